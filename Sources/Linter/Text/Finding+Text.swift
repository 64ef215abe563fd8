internal import PackageFormat
internal import ZipArchive

extension Linter {
    /// Gives findings what only the text at their places says: fingerprints, and columns in characters.
    ///
    /// Reads the manifest once more, and keeps no line of it.
    ///
    /// - Parameters:
    ///   - findings: What was found, in the order of the file.
    ///   - path: The file.
    ///   - isPackage: Whether it is a package.
    ///   - password: What decrypts it.
    static func identify(_ findings: inout [Finding], in path: String, isPackage: Bool, password: Password?) {
        var numbers: (manifest: [Int: [Int]], records: [Int: [Int]]) = ([:], [:])
        for (number, finding) in findings.enumerated() {
            switch finding.place {
            case .manifest(let line, _): numbers.manifest[line, default: []].append(number)
            case .record(let line): numbers.records[line, default: []].append(number)
            case .member(let name): findings[number].fingerprint = Fingerprint.text(rule: finding.rule, subject: name)
            case .package: findings[number].fingerprint = Fingerprint.text(rule: finding.rule, subject: nil)
            }
        }
        do throws(ZipError) {
            if isPackage {
                guard !numbers.manifest.isEmpty || !numbers.records.isEmpty else { return }
                let archive = try ZipReader(path: path, password: password)
                for (name, numbers) in [
                    (PackageLayout.manifest, numbers.manifest), (PackageLayout.records, numbers.records),
                ] where !numbers.isEmpty {
                    guard let member = archive.member(named: name) else { continue }
                    var lines = WantedLines(numbers.keys.sorted())
                    try archive.forEachChunk(of: member) { chunk throws(ZipError) in
                        lines.add(chunk) { line, text in identify(numbers[line] ?? [], with: text, &findings) }
                    }
                    lines.finish { line, text in identify(numbers[line] ?? [], with: text, &findings) }
                }
            } else if !numbers.manifest.isEmpty {
                var lines = WantedLines(numbers.manifest.keys.sorted())
                try forEachChunk(of: try OpenFile(reading: path)) { chunk in
                    lines.add(chunk) { line, text in identify(numbers.manifest[line] ?? [], with: text, &findings) }
                    return !lines.isDone
                }
                lines.finish { line, text in identify(numbers.manifest[line] ?? [], with: text, &findings) }
            }
        } catch {
            // That the file can't be read is among the findings already, which then have no more than their places.
            return
        }
    }

    private static func identify(_ numbers: [Int], with line: [UInt8], _ findings: inout [Finding]) {
        for number in numbers { findings[number].identify(with: line) }
    }

    private static func forEachChunk(
        of file: OpenFile,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(ZipError) {
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
    /// - Parameter line: The line of the manifest, or of the records.
    fileprivate mutating func identify(with line: [UInt8]) {
        guard case .manifest(let number, let column) = place else {
            let url = (try? JSONValue(parsing: line))?["url"]?.string
            fingerprint = Fingerprint.text(rule: rule, subject: url ?? String(decoding: line, as: UTF8.self))
            return
        }
        // A byte order mark belongs to no line.
        let line = number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line.dropFirst(3)) : line
        let start = min(column - 1, line.count)
        let end = min(start + length, line.count)
        let first = 1 + Self.characters(line[..<start])
        characters = first..<(first + Self.characters(line[start..<end]))
        let url = line.firstRange(of: Array(" ; ".utf8)).map { line[..<$0.lowerBound] } ?? line[...]
        let text = String(decoding: url, as: UTF8.self)
        fingerprint = Fingerprint.text(rule: rule, subject: text.trimmed)
    }

    /// How many code points bytes are; what isn't UTF-8 counts as its replacement.
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
