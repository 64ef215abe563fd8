/// The head of a record in a WARC (1.0, 1.1, and the drafts 0.17 and 0.18) or an ARC.
package struct RecordHead: Equatable, Sendable {
    /// The kinds of records.
    package enum Kind: Equatable, Sendable {
        case response
        case resource
        case request
        case revisit
        /// A further segment of a record.
        case continuation
        /// Any other, by its name: `warcinfo`, `metadata`, `conversion`.
        case other(String)
    }

    /// The kind of record.
    package var kind: Kind
    /// The URI that was captured, without the brackets of some writers.
    package var target = ""
    /// The time of the capture; nil if it is missing or not a date.
    package var date: ArchiveDate?
    /// The bytes of the content.
    package var length: Int64
    /// The identifier of the record.
    package var id = ""
    /// The identifiers of the records that belong to the same exchange.
    package var concurrentTo: [String] = []
    /// The type of the content.
    package var contentType: String?
    /// The digest of the payload.
    package var payloadDigest: StatedDigest?
    /// The reason why the content isn't whole; nil if it is.
    package var truncated: String?
    /// The number of the segment that the content is, from 1 on; nil if it is whole.
    package var segment: Int?
    /// The identifier of the record with the first segment.
    package var segmentOrigin: String?
    /// True for the last segment, which states the length of all.
    package var isLastSegment = false
    /// The profile of a revisit.
    package var profile: String?
    /// The identifier of the record that a revisit refers to.
    package var refersTo: String?
    /// The URI of the capture that a revisit refers to.
    package var refersToTarget: String?
    /// The time of the capture that a revisit refers to.
    package var refersToDate: ArchiveDate?

    /// Creates a head.
    package init(kind: Kind, length: Int64) { (self.kind, self.length) = (kind, length) }

    /// The longest head.
    package static let byteLimit = 1 << 20

    // MARK: WARC

    /// Returns true for the first line of a WARC record: `WARC/1.0`.
    static func isVersion(_ line: some Collection<UInt8>) -> Bool {
        guard line.starts(with: "WARC/".utf8) else { return false }
        var rest = line.dropFirst(5)
        let major = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(major.count)
        guard (1...2).contains(major.count), rest.first == UInt8(ascii: ".") else { return false }
        let minor = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        return (1...2).contains(minor.count)
            && rest.dropFirst(minor.count + 1).allSatisfy { $0 == 0x0D || $0 == 0x20 || $0 == 0x09 }
    }

    /// Parses the head of a WARC record.
    ///
    /// It is nil if it states no type, or no length that could be one.
    ///
    /// - Parameter bytes: The lines from the version to the empty one, ending in LF or CRLF. Lines that begin with white
    ///   space continue the one before.
    package init?(warc bytes: [UInt8]) {
        var fields: [(name: String, value: String)] = []
        for line in HeadLines(bytes).dropFirst() {
            if let first = line.first, first == 0x20 || first == 0x09 {
                guard !fields.isEmpty else { continue }
                fields[fields.count - 1].value += " " + HeadLines.text(HeadLines.trimmed(line))
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = HeadLines.text(HeadLines.trimmed(line[..<colon])).lowercased()
            fields.append((name, HeadLines.text(HeadLines.trimmed(line[(colon + 1)...]))))
        }
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        guard let type = value("warc-type"), let text = value("content-length"), let length = Self.length(text) else {
            return nil
        }
        self.init(kind: Self.kind(type.lowercased()), length: length)
        target = Self.unbracketed(value("warc-target-uri") ?? "")
        date = value("warc-date").flatMap { ArchiveDate($0) }
        id = value("warc-record-id") ?? ""
        for field in fields where field.name == "warc-concurrent-to" {
            concurrentTo += field.value.split(separator: " ").map(String.init)
        }
        contentType = value("content-type")
        payloadDigest = value("warc-payload-digest").flatMap { StatedDigest($0) }
        truncated = value("warc-truncated")
        segment = value("warc-segment-number").map { Int($0) ?? 0 }
        segmentOrigin = value("warc-segment-origin-id")
        isLastSegment = value("warc-segment-total-length") != nil
        profile = value("warc-profile")
        refersTo = value("warc-refers-to")
        refersToTarget = value("warc-refers-to-target-uri").map(Self.unbracketed)
        refersToDate = value("warc-refers-to-date").flatMap { ArchiveDate($0) }
    }

    private static func kind(_ name: String) -> Kind {
        switch name {
        case "response": .response
        case "resource": .resource
        case "request": .request
        case "revisit": .revisit
        case "continuation": .continuation
        default: .other(name)
        }
    }

    /// Returns a length; nil if the text isn't a number from 0 to that of the longest file.
    private static func length(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns a URI without the brackets that wget wrote until version 1.21.
    private static func unbracketed(_ text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "<") else { return text }
        return String(text.dropFirst(text.hasPrefix("<") ? 1 : 0).prefix { $0 != ">" })
    }

    // MARK: ARC

    /// Parses the head of an ARC record, which is one line; nil if the line isn't one.
    ///
    /// It has URL, address, date, type and length, or in version 2 also status, checksum, location, offset and file
    /// between type and length. The URL may contain spaces.
    ///
    /// - Parameter line: The line without its end.
    package init?(arc line: some Collection<UInt8>) {
        let text = HeadLines.text(Array(line))
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 5, let last = parts.last, let length = Self.length(last) else { return nil }
        func isDate(_ index: Int) -> Bool {
            guard index > 1 else { return false }
            return (8...20).contains(parts[index].utf8.count) && ArchiveDate(parts[index]) != nil
        }
        // The type of a response may contain spaces, too.
        let places = [parts.count - 3, parts.count - 8] + (2..<parts.count - 2).reversed()
        guard let place = places.first(where: isDate) else { return nil }
        let url = parts[..<(place - 1)].joined(separator: " ")
        guard let colon = url.firstIndex(of: ":"), url[..<colon].utf8.allSatisfy(Self.isSchemeByte) else { return nil }
        self.init(kind: url.hasPrefix("filedesc:") ? .other("warcinfo") : .response, length: length)
        target = url
        date = ArchiveDate(parts[place])
        contentType = String(parts[place + 1])
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
    }
}

/// The lines of a head, without their ends: LF, behind any number of CR.
struct HeadLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> ArraySlice<UInt8>? {
        guard position < bytes.count else { return nil }
        let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
        defer { position = end + 1 }
        // Some programs wrote line ends twice.
        var line = bytes[position..<end]
        while line.last == 0x0D { line.removeLast() }
        return line
    }

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = line.firstIndex(where: { !isSpace($0) }),
            let last = line.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return line[first...last]
    }

    /// Returns bytes as text: UTF-8, or else Latin-1.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
