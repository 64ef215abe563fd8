internal import PackageFormat

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension [Finding] {
    /// Adds the manifest's lines to findings in it.
    ///
    /// - Parameters:
    ///   - manifest: The whole manifest, in which the findings stand in the order of their lines.
    ///   - limit: How many findings get their lines.
    mutating func addExcerpts(of manifest: [UInt8], limit: Int) {
        manifest.withUnsafeBytes { bytes in
            // A byte order mark belongs to no line.
            let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
            var lines = LineCursor(bytes, from: isMarked ? 3 : 0)
            for index in indices.prefix(limit) {
                guard case .manifest(let number, let column) = self[index].place, let line = lines.line(number) else {
                    continue
                }
                self[index].excerpt = Excerpt(line: line, column: column, length: self[index].length)
            }
        }
    }
}

/// Goes forward through the lines of a text.
private struct LineCursor {
    private let bytes: UnsafeRawBufferPointer
    private var number = 1
    private var start: Int

    init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        self.bytes = bytes
        self.start = start
    }

    /// A line without its end, or nil where there is none, or where a later one was asked for before.
    mutating func line(_ wanted: Int) -> Slice<UnsafeRawBufferPointer>? {
        guard wanted >= number else { return nil }
        while number < wanted {
            guard let end = end(from: start) else { return nil }
            start = end + 1
            number += 1
        }
        guard start <= bytes.count else { return nil }
        guard let end = end(from: start) else { return bytes[start...] }
        let endsInCR = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return bytes[start..<(endsInCR ? end - 1 : end)]
    }

    private func end(from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
