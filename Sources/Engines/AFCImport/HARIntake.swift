internal import AFCArchive
internal import AFCCoding
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCDiscovery
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Takes the entries of one HAR.
final class HARIntake: HARReceiver {
    private let intake: Intake
    private let file: Int
    private let beside: any BesideFiles
    private(set) var firstPage: WebURL?

    init(_ intake: Intake, file: Int, beside: any BesideFiles) {
        (self.intake, self.file, self.beside) = (intake, file, beside)
        intake.buffer.clear()
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws { try intake.buffer.append(bytes) }

    func take(_ entry: HAREntry) throws {
        defer { intake.buffer.clear() }
        try intake.checkCancellation()
        let place = NotePlace(file: file, offset: nil, number: entry.number)
        let method = entry.method.uppercased()
        func note(_ kind: ImportNote.Kind, _ detail: String = "") throws {
            try intake.note(kind, at: place, url: entry.url, detail: detail)
        }
        guard let requested = try intake.url(entry.url, at: place) else { return }
        var url = requested
        if method != "GET" {
            guard intake.options.takesOtherMethods, MethodURL.isUsed(for: method) else {
                return try note(.method, method)
            }
            guard let name = methodURL(entry, requested, method) else { return try note(.method, method) }
            url = name
        }
        guard entry.status != 0 else { return try note(.noResponse) }
        guard Intake.isStored(entry.status) else { return try note(.status, "\(entry.status)") }
        if let omission = intake.omission(requested, ArchiveDate(entry.started)) { return try note(omission) }
        guard !isMissing(entry) else { return try note(.noBody) }
        do {
            try add(entry, url, requested, place)
        } catch let refusal as BodyIntake.Refusal {
            try note(refusal.kind, refusal.detail)
        }
    }

    private func methodURL(_ entry: HAREntry, _ url: WebURL, _ method: String) -> WebURL? {
        guard !entry.hasLongRequest else { return nil }
        let type = entry.requestType ?? entry.requestFields[.contentType]
        var name = MethodURL(url, method: method, contentType: type)
        entry.requestBody?.withUnsafeBytes { name.append($0) }
        return name.url
    }

    /// Returns true if the response has a body that the HAR lacks.
    private func isMissing(_ entry: HAREntry) -> Bool {
        guard file(entry) == nil, !entry.hasText, !(300..<400).contains(entry.status) else { return false }
        // A coded body of some bytes may be empty when it is decoded.
        return entry.contentSize > 0 || entry.contentSize < 0 && entry.bodySize > 0
    }

    /// Returns the name of the file that holds a body, as Playwright names it; nil for none.
    private func file(_ entry: HAREntry) -> String? {
        entry.file ?? (entry.hasText ? nil : entry.sha1.map { $0.contains("/") ? $0 : "resources/\($0)" })
    }

    private func add(_ entry: HAREntry, _ url: WebURL, _ requested: WebURL, _ place: NotePlace) throws {
        var head = FetchHead(status: entry.status, fields: entry.fields)
        if let type = entry.mediaType, !type.isEmpty, type != "x-unknown", !head.fields.contains(.contentType) {
            head.fields[.contentType] = type
        }
        if !entry.redirectURL.isEmpty, (300..<400).contains(entry.status), !head.fields.contains(.location) {
            head.fields[.location] = entry.redirectURL
        }
        let date = ArchiveDate(entry.started)
        if Intake.target(head, requested) != nil {
            let record = intake.record(url, head, date, sent: entry.requestFields)
            try intake.add(Capture(kind: .redirect, record: record, date: date, place: place))
            return
        }
        if let name = file(entry) {
            intake.buffer.clear()
            guard try beside.read(name, { try intake.buffer.append($0) }) else {
                throw BodyIntake.Refusal(kind: .noBody, detail: "no file \(PrintableText.quoted(name))")
            }
        }
        guard !intake.buffer.isTooLarge else { throw BodyIntake.Refusal(kind: .tooLarge) }
        let result = try body(entry, &head, url)
        // The body is stated decoded, so the fields say what was removed.
        if let codings = try? ContentCoding.named(by: head.fields) { head.coding = ContentCoding.words(codings) }
        let record = intake.record(url, head, date, sent: entry.requestFields, body: result.body)
        try intake.add(Capture(record: record, date: date, body: result.body, notes: result.notes, place: place))
        let type = head.fields.value(of: .contentType).flatMap { MediaType($0)?.essence }
        if firstPage == nil, entry.status == 200, type == "text/html" || type == "application/xhtml+xml" {
            firstPage = url
        }
    }

    private func body(_ entry: HAREntry, _ head: inout FetchHead, _ url: WebURL) throws -> BodyIntake.Result {
        let buffer = intake.buffer
        guard file(entry) == nil else { return try intake.bodies.plain(buffer, head, url) }
        if entry.isBase64 {
            if let result = try intake.bodies.base64(buffer, head, url, size: entry.contentSize) { return result }
            // Firefox marks some texts as base 64 that aren't.
            var result = try intake.bodies.plain(buffer, head, url)
            result.notes = [(.plain, "base64")]
            return result
        }
        let type = head.fields.value(of: .contentType).flatMap { MediaType($0) }
        let charset = type?.parameter("charset") ?? entry.mediaType.flatMap { MediaType($0)?.parameter("charset") }
        guard buffer.size <= Self.textLimit, let encoding = try encoding(of: buffer, type, charset) else {
            return try intake.bodies.plain(buffer, head, url)
        }
        guard let bytes = encoding.encode(String(decoding: try buffer.whole(), as: UTF8.self)) else {
            // The text isn't what the server sent; the fields then say what it is now.
            if let type { head.fields[.contentType] = type.essence + "; charset=utf-8" }
            var result = try intake.bodies.plain(buffer, head, url)
            result.notes = [(.plain, encoding.name)]
            return result
        }
        buffer.clear()
        try bytes.withUnsafeBytes { try buffer.append($0) }
        return try intake.bodies.plain(buffer, head, url)
    }

    /// The largest text that is encoded.
    private static let textLimit: Int64 = 16 << 20

    /// Returns the encoding that a text had, as the charset or the text itself states; nil for UTF-8 and ASCII.
    private func encoding(of text: BodyBuffer, _ type: MediaType?, _ charset: String?) throws -> TextEncoding? {
        var encoding = charset.flatMap { TextEncoding(label: $0) }
        if charset == nil, let type, type.isText {
            let beginning = try text.beginning(1024)
            encoding = beginning.withUnsafeBufferPointer { bytes in
                if type.essence == "text/html" { return TextDecoding.metaEncoding(of: bytes) }
                if type.essence == "text/css" { return TextDecoding.cssEncoding(of: bytes, charset: nil) }
                return type.essence.hasSuffix("xml") ? TextDecoding.xmlEncoding(of: bytes, charset: nil).encoding : nil
            }
        }
        guard let encoding, encoding != .utf8 else { return nil }
        var isASCII = true
        try text.forEachPiece { piece in if isASCII { isASCII = piece.allSatisfy { $0 < 0x80 } } }
        return isASCII && encoding != .utf16LE && encoding != .utf16BE ? nil : encoding
    }
}
