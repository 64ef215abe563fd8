internal import AFCFiles
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

extension Linter {
    /// A closure that reads a member's text in chunks until the end, or until the inner closure returns false.
    typealias TextSource = (String, (UnsafeRawBufferPointer) -> Bool) throws(ZipError) -> Void

    /// Adds excerpts, fingerprints and columns in code points to findings, from the text at their places.
    ///
    /// Reads the manifest again up to the last finding, and keeps no line of it.
    ///
    /// - Parameters:
    ///   - findings: The findings, in the order of the file.
    ///   - options: The options that say what to add.
    ///   - source: The manifest and the records.
    static func quote(_ findings: inout [Finding], _ options: Options, from source: TextSource) {
        var numbers: (manifest: [Int: [Int]], records: [Int: [Int]]) = ([:], [:])
        let identifies = options.identifiesFindings
        for (number, finding) in findings.enumerated() where identifies || number < options.excerptLimit {
            switch finding.place {
            case .manifest(let line, _): numbers.manifest[line, default: []].append(number)
            case .record(let line): numbers.records[line, default: []].append(number)
            case .member(let name):
                if identifies { findings[number].fingerprint = Fingerprint.text(rule: finding.rule, subject: name) }
            case .package:
                if identifies { findings[number].fingerprint = Fingerprint.text(rule: finding.rule, subject: nil) }
            }
        }
        if !identifies { numbers.records = [:] }
        for (name, numbers) in [(PackageLayout.manifest, numbers.manifest), (PackageLayout.records, numbers.records)]
        where !numbers.isEmpty {
            var lines = WantedLines(numbers.keys.sorted())
            func take(_ line: WantedLines.Line) {
                for number in numbers[line.number] ?? [] {
                    if identifies { findings[number].identify(with: line.text) }
                    if number < options.excerptLimit { findings[number].quote(line) }
                }
            }
            do throws(ZipError) {
                try source(name) { chunk in
                    lines.add(chunk, take)
                    return !lines.isDone
                }
                lines.finish(take)
            } catch {
                // A finding already reports that the text can't be read; the findings then have only their places.
                continue
            }
        }
    }

    /// Reads a file in chunks.
    static func forEachChunk(of file: OpenFile, _ body: (UnsafeRawBufferPointer) -> Bool) throws(FileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: buffer, at: offset)
            guard count > 0, body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
            offset += Int64(count)
        }
    }
}

extension Finding {
    /// - Parameter line: The line of the manifest.
    fileprivate mutating func quote(_ line: WantedLines.Line) {
        guard case .manifest(let number, let column) = place else { return }
        var text = Self.withoutMark(line.text, number)
        if line.hasEnd, text.last == UInt8(ascii: "\r") { text.removeLast() }
        excerpt = Excerpt(line: text, column: column, length: length)
    }

    /// Returns a line without the byte order mark.
    private static func withoutMark(_ line: [UInt8], _ number: Int) -> ArraySlice<UInt8> {
        number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line[...]
    }

    /// - Parameter line: The line of the manifest, or of the records.
    fileprivate mutating func identify(with line: [UInt8]) {
        guard case .manifest(let number, let column) = place else {
            let url = (try? JSONValue(parsing: line))?["url"]?.string
            fingerprint = Fingerprint.text(rule: rule, subject: url ?? String(decoding: line, as: UTF8.self))
            return
        }
        let line = Array(Self.withoutMark(line, number))
        let start = min(column - 1, line.count)
        let end = min(start + length, line.count)
        let first = 1 + Self.characters(line[..<start])
        characters = first..<(first + Self.characters(line[start..<end]))
        let url = line.firstRange(of: Array(" ; ".utf8)).map { line[..<$0.lowerBound] } ?? line[...]
        let text = String(decoding: url, as: UTF8.self)
        fingerprint = Fingerprint.text(rule: rule, subject: text.trimmed)
    }

    /// Returns the number of code points; invalid UTF-8 counts as its replacement characters.
    private static func characters(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.allSatisfy { $0 < 0x80 } ? bytes.count : String(decoding: bytes, as: UTF8.self).unicodeScalars.count
    }
}

extension String {
    fileprivate var trimmed: String {
        var rest = self[...]
        while let last = rest.unicodeScalars.last, last.properties.isWhitespace { rest.unicodeScalars.removeLast() }
        return String(rest.drop { $0.isWhitespace })
    }
}
