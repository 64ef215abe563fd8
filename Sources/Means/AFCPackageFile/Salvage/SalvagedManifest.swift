internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// The usable lines of a manifest, even if other lines are malformed.
struct SalvagedManifest {
    /// An entry and the names under which its body may be, best first.
    struct Entry {
        var entry: ManifestEntry
        var names: [String]
        /// The line number, from 1.
        var line: Int
    }

    private(set) var entries: [Entry] = []
    /// The lines that are left out, and the reasons.
    private(set) var leftOut: [(line: Int, reason: String)] = []
    /// Sentences about lines that were read differently from how they are written.
    private(set) var notes: [String] = []
    private(set) var baseURL: String?

    init(_ bytes: [UInt8]) {
        let text = decoded(bytes)
        var reader = ManifestReader(text)
        while let item = reader.next() { add(item) }
        baseURL = reader.baseURL
        for problem in reader.problems {
            guard case .manifest(let line, _) = problem.place else { continue }
            switch problem.kind {
            // Equal entries count as one.
            case .duplicate: continue
            case _ where problem.severity == .error: leftOut.append((line, problem.sentence))
            default: continue
            }
        }
    }

    private mutating func add(_ item: ManifestReader.Item) {
        var entry = item.entry
        if let whole = item.splitMediaType {
            notes.append(
                "line \(item.line): the media type is \(PrintableText.quoted(whole)), which the delimiter had split"
            )
            (entry.mediaType, entry.member) = (whole, nil)
        }
        var names = entry.member.map { [$0] } ?? MemberRule.candidates(text: item.urlText, url: entry.url)
        if entry.member == nil { names += Self.latin(names) }
        entries.append(Entry(entry: entry, names: names, line: item.line))
    }

    /// Returns names with escapes decoded as Latin-1, as was usual before UTF-8.
    private static func latin(_ names: [String]) -> [String] {
        names.compactMap { name in
            guard name.contains("%") else { return nil }
            let bytes = PercentDecoding.decode(name.utf8)
            guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }

    // MARK: Encodings

    /// Returns the manifest as UTF-8, converting UTF-16, and single lines that aren't UTF-8 from Latin-1.
    private mutating func decoded(_ bytes: [UInt8]) -> [UInt8] {
        if let name = WideEncoding.name(of: bytes[...]) {
            guard name == "UTF-16" else { return bytes }
            notes.append("the manifest is UTF-16")
            return Self.fromUTF16(bytes)
        }
        if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil { return bytes }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if number > 1 { text.append(UInt8(ascii: "\n")) }
            if String(validating: line, as: UTF8.self) != nil {
                text += line
            } else {
                text += String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })).utf8
                notes.append("line \(number) is not UTF-8, and is read as Latin-1")
            }
        }
        return text
    }

    private static func fromUTF16(_ bytes: [UInt8]) -> [UInt8] {
        let isBig = bytes[0] == 0xFE || bytes[0] == 0
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBig ? first << 8 | second : second << 8 | first)
        }
        if units.first == 0xFEFF { units.removeFirst() }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
