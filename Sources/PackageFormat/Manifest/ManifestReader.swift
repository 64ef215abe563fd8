internal import HTTPCaching
internal import URLStandard

/// Understands a manifest line by line; what is wrong or odd becomes a problem, and no line is dropped silently.
public struct ManifestReader: Sendable {
    /// An entry and where it stood.
    public struct Item: Equatable, Sendable {
        /// The entry.
        public var entry: ManifestEntry
        /// The URL as it stands in the line.
        public var urlText: String
        /// The line's number, from 1.
        public var line: Int
    }

    /// What was found wrong or odd so far.
    public private(set) var problems: [PackageProblem] = []
    /// The value of the header line `baseURL = URL`, where there was one.
    public private(set) var baseURL: String?

    private var lines: ManifestLines
    private var seen = SeenEntries()
    /// A manifest has many lines and few media types.
    private var mediaTypes: [String: String?] = [:]
    private var hasReportedCRLF = false
    private var isAtEnd = false

    /// Starts at the first line.
    public init(_ bytes: [UInt8]) {
        lines = ManifestLines(bytes)
        if lines.hasByteOrderMark { problems.append(PackageProblem(.byteOrderMark, at: .manifest(line: 1, column: 1))) }
    }

    /// The next entry that could be understood, each URL once, or nil after the last.
    public mutating func next() -> Item? {
        while let line = lines.next() {
            if line.endsInCRLF, !hasReportedCRLF {
                hasReportedCRLF = true
                report(.crlf, line, line.range.upperBound)
            }
            switch line.content {
            case .blank: continue
            case .tooLong: report(.lineTooLong, line)
            case .malformed(let fields):
                if isText(line) { report(.malformedLine(fields: fields), line) }
            case .header(let key, let value):
                if isText(line) { readHeader(key: text(key), value: text(value), line) }
            case .entry(let fields):
                if isText(line), let item = item(fields, line) { return item }
            }
        }
        finish()
        return nil
    }

    private mutating func finish() {
        guard !isAtEnd else { return }
        isAtEnd = true
        let last = max(1, lines.lastNumber)
        if lines.lacksLastLineEnd {
            problems.append(PackageProblem(.noLastLineEnd, at: .manifest(line: last, column: 1)))
        }
        let hasErrors = problems.contains { $0.severity == .error }
        if seen.isEmpty, !hasErrors {
            problems.append(PackageProblem(.manifestEmpty, at: .manifest(line: 1, column: 1)))
        }
    }

    // MARK: One line

    /// Reports bytes that no line may have.
    private mutating func isText(_ line: ManifestLine) -> Bool {
        let (isPlain, isASCII) = lines.bytes.withUnsafeBufferPointer { Self.look(at: $0[line.range]) }
        if !isPlain, let control = lines.bytes[line.range].firstIndex(where: Self.isControl) {
            report(.controlCharacter(lines.bytes[control]), line, control)
            return false
        }
        if !isASCII, String(validating: lines.bytes[line.range], as: UTF8.self) == nil {
            report(.notUTF8, line)
            return false
        }
        return true
    }

    private static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    private static func look(at bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (isPlain: Bool, isASCII: Bool) {
        var hasControl = false
        var all: UInt8 = 0
        for byte in UnsafeBufferPointer(rebasing: bytes) {
            hasControl = hasControl || isControl(byte)
            all |= byte
        }
        return (!hasControl, all < 0x80)
    }

    private mutating func readHeader(key: String, value: String, _ line: ManifestLine) {
        if key == "baseURL" {
            baseURL = value
        } else {
            report(.unknownHeader(key: key), line)
        }
    }

    private mutating func item(_ fields: ManifestLine.Fields, _ line: ManifestLine) -> Item? {
        let urlText = text(fields.url)
        guard let url = url(urlText, fields.url, line) else { return nil }
        var entry = ManifestEntry(url: url)
        entry.lastModified = date(fields.lastModified, name: "last-modified", line)
        entry.expires = fields.expires.flatMap { date($0, name: "expires", line) }
        entry.mediaType = fields.mediaType.flatMap { mediaType($0, line) }
        if let member = fields.member.map({ text($0) }), !member.isEmpty, member != "NULL" { entry.member = member }
        checkDates(entry, fields, line)
        let previous = seen.last
        if let first = seen.insert(entry, line: line.number) {
            report(
                first.isEqual
                    ? .duplicate(url: url.description, firstLine: first.line)
                    : .conflictingDuplicate(url: url.description, firstLine: first.line),
                line
            )
            return nil
        }
        if let previous, url < previous { report(.unsorted(previous: previous.description), line) }
        return Item(entry: entry, urlText: urlText, line: line.number)
    }

    private mutating func url(_ urlText: String, _ range: Range<Int>, _ line: ManifestLine) -> WebURL? {
        guard range.count <= PackageLayout.urlByteLimit else {
            report(
                .badURL(text: urlText, reason: "longer than \(PackageLayout.urlByteLimit) bytes"),
                line,
                range.lowerBound
            )
            return nil
        }
        let parsed: WebURL
        do throws(WebURL.ParseError) {
            parsed = try WebURL(urlText)
        } catch {
            report(.badURL(text: urlText, reason: error.description), line, range.lowerBound)
            return nil
        }
        guard !parsed.hasCredentials else {
            report(.urlHasCredentials, line, range.lowerBound)
            return nil
        }
        guard parsed.description != urlText else { return parsed }
        if urlText.utf8.contains(UInt8(ascii: "#")) {
            report(.urlHasFragment(text: urlText), line, range.lowerBound)
        } else {
            report(.urlNotNormal(text: urlText, normal: parsed.description), line, range.lowerBound)
        }
        return parsed
    }

    private mutating func date(_ range: Range<Int>, name: String, _ line: ManifestLine) -> Timestamp? {
        if isNone(range) { return nil }
        let found = lines.bytes.withUnsafeBufferPointer { LenientDate.parse(UnsafeBufferPointer(rebasing: $0[range])) }
        guard let found else {
            report(.badDate(field: name, text: text(range)), line, range.lowerBound)
            return nil
        }
        if found.form != .imfFixdate {
            let normal = HTTPDate.format(found.timestamp)
            report(.foreignDate(field: name, text: text(range), normal: normal), line, range.lowerBound)
        }
        return found.timestamp
    }

    private mutating func checkDates(_ entry: ManifestEntry, _ fields: ManifestLine.Fields, _ line: ManifestLine) {
        guard let lastModified = entry.lastModified, let expires = entry.expires, let range = fields.expires else {
            return
        }
        if expires == lastModified { report(.expiresEqualsLastModified, line, range.lowerBound) }
        if expires < lastModified { report(.expiresBeforeLastModified, line, range.lowerBound) }
    }

    private mutating func mediaType(_ range: Range<Int>, _ line: ManifestLine) -> String? {
        if isNone(range) { return nil }
        let written = text(range)
        let known = mediaTypes[written] ?? MediaType(written)?.description
        if mediaTypes.count < 1000 { mediaTypes[written] = known }
        guard let normal = known else {
            report(.badMediaType(text: written), line, range.lowerBound)
            return nil
        }
        if normal != written { report(.mediaTypeNotNormal(text: written, normal: normal), line, range.lowerBound) }
        return normal
    }

    // MARK: Bytes

    private func isNone(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return true }
        guard range.count == 4 else { return false }
        return lines.bytes.withUnsafeBufferPointer { bytes in
            var cursor = ByteCursor(UnsafeBufferPointer(rebasing: bytes[range]))
            return cursor.skip("NULL")
        }
    }

    private func text(_ range: Range<Int>) -> String {
        lines.bytes.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
    }

    private mutating func report(_ kind: PackageProblem.Kind, _ line: ManifestLine, _ offset: Int? = nil) {
        let column = (offset ?? line.range.lowerBound) - line.range.lowerBound + 1
        problems.append(PackageProblem(kind, at: .manifest(line: line.number, column: column)))
    }
}
