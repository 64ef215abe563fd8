internal import AFCArchive
internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Takes the parts of one MHTML file.
///
/// Parts that are only known by `cid:` get URLs on the page's host, and so do the references to them.
final class MHTMLIntake: MHTMLReceiver {
    /// The folder on the page's host for parts without a URL.
    private static let folder = "~cid/"
    /// The largest text in which references are replaced.
    private static let textLimit: Int64 = 64 << 20

    private let intake: Intake
    private let file: Int
    private var page: WebURL?
    private var date: ArchiveDate?
    private var part = MHTMLPart()

    init(_ intake: Intake, file: Int) { (self.intake, self.file) = (intake, file) }

    func begin(_ fields: HTTPFields) throws {
        date = fields[.date].flatMap { LenientDate.parse($0) }.map { ArchiveDate(time: $0.timestamp) }
        if let name = HTTPField.Name("Snapshot-Content-Location"), let text = fields[name] {
            page = try? WebURL(MHTMLPart(fields: [.contentLocation: text]).location ?? "")
        }
    }

    func begin(_ part: MHTMLPart) throws {
        try intake.checkCancellation()
        self.part = part
        intake.buffer.clear()
    }

    func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try intake.buffer.append($0) } }

    func end(isComplete: Bool) throws {
        let place = NotePlace(file: file, offset: part.offset, number: part.number)
        let location = part.location ?? ""
        func note(_ kind: ImportNote.Kind, _ url: String, _ detail: String = "") throws {
            try intake.note(kind, at: place, url: url, detail: detail)
        }
        guard isComplete else { return try note(.cut, location) }
        var urls: [WebURL] = []
        let isID = location.isEmpty || location.lowercased().hasPrefix("cid:")
        if !isID {
            let text = (try? WebURL(location, base: page))?.description ?? location
            if let url = try? WebURL(text), url.isHTTP {
                guard let url = try intake.url(text, at: place) else { return }
                urls.append(url)
                if page == nil { page = url }
            }
        }
        let name = isID && !location.isEmpty ? String(location.dropFirst("cid:".count)) : part.id
        // The frame of the page itself is what the reader opens.
        if let name, part.number > 1 || urls.isEmpty, let url = url(ofID: name) { urls.append(url) }
        guard let first = urls.first else {
            return try note(isID ? .badURL : .scheme, location.isEmpty ? part.id ?? "" : location)
        }
        if let omission = intake.omission(first, date) { return try note(omission, first.description) }
        guard !intake.buffer.isTooLarge else { return try note(.tooLarge, first.description) }
        var head = FetchHead(status: 200)
        head.fields[.contentType] = part.fields[.contentType].flatMap { MediaType($0)?.description }
        try replaceIDs(head)
        let result = try intake.bodies.plain(intake.buffer, head, first)
        for url in urls {
            let record = intake.record(url, head, date, body: result.body)
            try intake.add(Capture(record: record, date: date, body: result.body, place: place))
        }
        if part.number == 1, !intake.pages.contains(first) { intake.pages.append(first) }
    }

    /// Returns the URL of a part by its identifier; nil if the page isn't known.
    private func url(ofID id: String) -> WebURL? {
        guard let page, page.isHTTP else { return nil }
        return try? WebURL(
            "\(page.scheme)://\(page.authority)/\(Self.folder)\(PercentEncodeSet.reserved.encode(id[...]))"
        )
    }

    /// Replaces references to identifiers in the text in the buffer by URLs.
    private func replaceIDs(_ head: FetchHead) throws {
        guard let page, page.isHTTP, let type = head.fields[.contentType].flatMap({ MediaType($0) }),
            ["text/html", "application/xhtml+xml", "text/css", "image/svg+xml"].contains(type.essence),
            intake.buffer.size <= Self.textLimit
        else { return }
        let text = try intake.buffer.whole()
        let mark = Array("cid:".utf8)
        var result: [UInt8] = []
        var rest = text[...]
        while let range = rest.firstRange(of: mark) {
            let name = rest[range.upperBound...].prefix(256).prefix(while: Self.isNameByte)
            result += rest[..<range.lowerBound]
            if name.contains(UInt8(ascii: "@")), let url = url(ofID: String(decoding: name, as: UTF8.self)) {
                result += url.description.utf8
                rest = rest[name.endIndex...]
            } else {
                result += mark
                rest = rest[range.upperBound...]
            }
        }
        guard rest.startIndex > 0 else { return }
        result += rest
        intake.buffer.clear()
        try append(result)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-._@$%+".utf8.contains(byte)
    }
}
