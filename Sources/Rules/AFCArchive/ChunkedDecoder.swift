/// Decodes the chunked transfer coding (RFC 9112 §7.1), with extensions and trailers.
package struct ChunkedDecoder {
    private enum State {
        case size
        case data(Int64)
        case dataEnd
        case trailer
        case finished
        case failed
    }

    /// The longest line of a size, or of a trailer.
    private static let lineLimit = 64 << 10

    private var state = State.size
    private var line: [UInt8] = []
    /// The number of whole chunks with data.
    package private(set) var chunks = 0

    /// Creates a decoder.
    package init() {}

    /// True after the last chunk, even if trailers are cut.
    package var isFinished: Bool {
        switch state {
        case .trailer, .finished: true
        case .size, .data, .dataEnd, .failed: false
        }
    }

    /// True if the bytes aren't chunked.
    package var hasFailed: Bool { if case .failed = state { true } else { false } }

    /// Decodes bytes; those after the end are ignored.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes.
    ///   - body: Takes decoded bytes.
    /// - Throws: The error of the closure.
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var rest = bytes
        while !rest.isEmpty {
            switch state {
            case .finished, .failed: return
            case .data(let missing):
                let count = Int(min(missing, Int64(rest.count)))
                try body(UnsafeRawBufferPointer(rebasing: rest[..<count]))
                state = missing > Int64(count) ? .data(missing - Int64(count)) : .dataEnd
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            case .size, .dataEnd, .trailer:
                let end = rest.firstIndex(of: 0x0A)
                line.append(contentsOf: rest[..<(end ?? rest.count)])
                guard line.count <= Self.lineLimit else {
                    state = .failed
                    return
                }
                guard let end else { return }
                if line.last == 0x0D { line.removeLast() }
                endLine()
                line.removeAll(keepingCapacity: true)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(end + 1))
            }
        }
    }

    private mutating func endLine() {
        switch state {
        case .size:
            let text = line.prefix { $0 != UInt8(ascii: ";") }
            let digits = HeadLines.trimmed(text)
            guard (1...16).contains(digits.count), digits.allSatisfy(Self.isHexadecimal),
                let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                state = .failed
                return
            }
            state = size > 0 ? .data(size) : .trailer
        case .dataEnd:
            state = line.isEmpty ? .size : .failed
            if line.isEmpty { chunks += 1 }
        case .trailer: if line.isEmpty { state = .finished }
        case .data, .finished, .failed: break
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
