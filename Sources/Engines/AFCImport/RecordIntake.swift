internal import AFCArchive
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import HTTPTypes

/// Takes the records of one WARC or ARC.
final class RecordIntake: RecordReceiver {
    /// The part of a record's content that comes next.
    private enum Part {
        /// The head of an HTTP message.
        case head
        /// The body of a response.
        case body(FetchHead)
        /// The body of a request.
        case requestBody(MethodURL, HTTPFields)
        /// A further part of a response's body.
        case continuation
        /// Nothing of interest.
        case rest
    }

    private let intake: Intake
    private let file: Int
    private var record = RecordHead(kind: .other(""), length: 0)
    private var place: NotePlace
    private var url: WebURL?
    private var part = Part.rest
    private var headBytes: [UInt8] = []
    private var scanned = 0
    /// The status of the interim response before the head at hand.
    private var interim: Int?
    /// The number of records so far.
    private(set) var count = 0
    /// The first page, which a reader sees if the archive names none.
    private(set) var firstPage: WebURL?

    init(_ intake: Intake, file: Int) {
        (self.intake, self.file) = (intake, file)
        place = NotePlace(file: file, offset: nil, number: 0)
    }

    // MARK: Records

    func begin(_ head: RecordHead, at place: RecordPlace) throws {
        try intake.checkCancellation()
        count += 1
        record = head
        self.place = NotePlace(file: file, offset: place.offset, number: place.number)
        (part, url, scanned, interim) = (.rest, nil, 0, nil)
        headBytes.removeAll(keepingCapacity: true)
        intake.buffer.clear()
        switch head.kind {
        case .other(let type): intake.count(other: type)
        case .continuation: part = .continuation
        case .request:
            // The request of something else than a web page matters to nobody.
            url = try? WebURL(utf8: head.target.utf8).removingCredentials
            if url != nil { part = .head }
        case .response, .resource, .revisit:
            if head.truncated != nil, head.kind != .revisit {
                return try intake.note(.truncated, at: self.place, url: head.target, detail: head.truncated ?? "")
            }
            url = try intake.url(head.target, at: self.place)
            guard url != nil else { return }
            guard head.kind == .resource else { return part = .head }
            var response = FetchHead(status: 200)
            if let type = head.contentType { response.fields[.contentType] = type }
            part = .body(response)
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        switch part {
        case .rest: return
        case .body, .continuation: try intake.buffer.append(bytes)
        case .requestBody(var name, let fields):
            name.append(bytes)
            part = .requestBody(name, fields)
        case .head:
            let before = headBytes.count
            headBytes.append(contentsOf: bytes.prefix(MessageHead.byteLimit + 1 - before))
            guard headBytes.count < 16 || isMessage else { return try refuseHead() }
            guard let length = MessageHead.length(of: headBytes, scanned: &scanned) else {
                if headBytes.count > MessageHead.byteLimit { try refuseHead() }
                return
            }
            headBytes.removeSubrange(length...)
            try endHead()
            let rest = bytes.dropFirst(length - before)
            if !rest.isEmpty { try append(UnsafeRawBufferPointer(rebasing: rest)) }
        }
    }

    var shortfall: Int64 {
        guard case .body(let head) = part, record.kind == .response, let stated = Self.length(head) else { return 0 }
        return max(0, stated - intake.buffer.size)
    }

    /// Returns the number of bytes that a response states for its body; nil if it doesn't.
    private static func length(_ head: FetchHead) -> Int64? {
        guard !(300..<400).contains(head.status), !head.fields.contains(.transferEncoding) else { return nil }
        return head.fields.singleValue(of: .contentLength).flatMap { Int64($0) }
    }

    func end(_ ending: RecordEnding) throws {
        if ending == .cut {
            // The response may be whole nevertheless.
            guard case .body(let head) = part, record.kind == .response, let stated = Self.length(head), stated >= 0,
                stated <= intake.buffer.size
            else {
                part = .rest
                return try intake.note(.cut, at: place, url: record.target)
            }
            intake.buffer.shorten(to: stated)
        }
        if ending != .complete { try intake.note(.length, at: place, url: record.target) }
        if case .head = part {
            // The head may end with the record.
            if headBytes.isEmpty, record.kind == .revisit {
                part = .body(FetchHead(status: 0))
            } else if isMessage {
                try endHead()
            } else {
                try refuseHead()
            }
        }
        switch part {
        case .body(let head):
            if ending == .early { try intake.buffer.removeSeparator() }
            try takeResponse(head)
        case .requestBody(let name, let fields): try takeRequest(name.url, fields)
        case .continuation: if ending == .complete { try takeContinuation() }
        case .rest, .head: break
        }
        part = .rest
    }

    func lose(at place: RecordPlace, isEnd: Bool) throws {
        try intake.note(isEnd ? .cut : .lost, at: NotePlace(file: file, offset: place.offset, number: place.number))
    }

    // MARK: Heads

    private var isMessage: Bool {
        guard record.kind != .request else { return true }
        let beginning = String(decoding: headBytes.prefix(5), as: UTF8.self).uppercased()
        return beginning == "HTTP/" || beginning.hasPrefix("ICY ")
    }

    private func refuseHead() throws {
        part = .rest
        guard record.kind != .request else { return }
        if let interim { return try intake.note(.status, at: place, url: record.target, detail: "\(interim)") }
        try intake.note(.noHead, at: place, url: record.target)
    }

    private func endHead() throws {
        guard record.kind != .request else { return beginRequest() }
        guard let head = MessageHead(response: headBytes), case .response(let status, let reason) = head.start else {
            return try refuseHead()
        }
        if (100..<200).contains(status), status != 101 {
            // The final response follows (RFC 9110 §15.2).
            (interim, scanned) = (status, 0)
            headBytes.removeAll(keepingCapacity: true)
            return
        }
        guard Intake.isStored(status) || record.kind == .revisit && status == 304 else {
            part = .rest
            return try intake.note(.status, at: place, url: record.target, detail: "\(status)")
        }
        part = .body(FetchHead(status: status, reason: reason, fields: ArchivedFields.restored(head.fields)))
    }

    private func beginRequest() {
        part = .rest
        guard let url, let head = MessageHead(request: headBytes), case .request(let method, _) = head.start else {
            return
        }
        part = .requestBody(MethodURL(url, method: method, contentType: head.fields[.contentType]), head.fields)
        requestMethod = method
    }

    private var requestMethod = "GET"

    // MARK: Content

    private func takeRequest(_ methodURL: WebURL?, _ fields: HTTPFields) throws {
        guard let url else { return }
        let isOther = MethodURL.isUsed(for: requestMethod)
        try intake.store.add(
            CapturedRequest(
                ids: record.concurrentTo + (record.id.isEmpty ? [] : [record.id]),
                url: url,
                date: record.date,
                method: requestMethod,
                methodURL: isOther ? methodURL : nil,
                fields: fields.without([.secret, .connection])
            )
        )
    }

    private func takeResponse(_ head: FetchHead) throws {
        guard let url else { return }
        if record.segment != nil, record.kind != .revisit {
            guard let stated = Self.length(head), stated <= intake.buffer.size else {
                return try takeSegment(
                    1,
                    of: record.id,
                    SegmentedResponse(record: record, place: place, url: url, head: head)
                )
            }
        }
        try takeWhole(head, url)
    }

    /// Keeps the first or a further segment, and takes the response if it is whole now.
    private func takeSegment(_ number: Int, of origin: String, _ first: SegmentedResponse? = nil) throws {
        guard !origin.isEmpty, !intake.segments.isFull else {
            return try intake.note(.truncated, at: place, url: record.target, detail: "segment")
        }
        let response = try intake.segments.add(
            number,
            of: origin,
            isLast: record.isLastSegment && record.truncated == nil,
            body: intake.buffer,
            found: (place, record.target),
            first: first
        )
        guard let response else { return }
        (record, place, url) = (response.record, response.place, response.url)
        try takeWhole(response.head, response.url)
    }

    private func takeContinuation() throws {
        guard let number = record.segment, number > 1, number <= SegmentJoin.limit else {
            return try intake.note(.truncated, at: place, url: record.target, detail: "segment")
        }
        try takeSegment(number, of: record.segmentOrigin ?? "")
    }

    private func takeWhole(_ head: FetchHead, _ url: WebURL) throws {
        let date = record.date
        var capture = Capture(record: intake.record(url, head, date), date: date, place: place)
        capture.ids = [record.id] + record.concurrentTo
        capture.digest = record.payloadDigest
        capture.omission = intake.omission(url, date)
        if record.kind == .revisit {
            let isUnchanged = record.profile?.contains("not-modified") ?? false || head.status == 304
            if !isUnchanged, head.status != 0 {
                // Some responses are whole without the body of their originals.
                if Intake.target(head, url) != nil {
                    // It has no body that others could refer to.
                    (capture.kind, capture.digest) = (.redirect, nil)
                    return try intake.add(capture)
                }
                if let digest = record.payloadDigest, DigestCheck(digest).fits {
                    intake.buffer.clear()
                    return try addWhole(&capture, try intake.bodies.plain(intake.buffer, head, url))
                }
            }
            capture.kind = isUnchanged ? .unchanged : .repeated
            capture.lacksHead = head.status == 0
            let target = record.refersToTarget.flatMap { try? WebURL(utf8: $0.utf8).removingCredentials }
            if let target { capture.original = (target, record.refersToDate) }
            capture.originalID = record.refersTo
            // A record needs a status; that of the original replaces it.
            if !Intake.isStored(capture.record.status) { capture.record.status = 200 }
            return try intake.add(capture)
        }
        if Intake.target(head, url) != nil {
            capture.kind = .redirect
            // Another capture may have the same body, and only refer to it.
            capture.body = try? intake.bodies.body(intake.buffer, head, url, nil).body
            return try intake.add(capture)
        }
        do {
            let result =
                record.kind == .resource
                ? try intake.bodies.plain(intake.buffer, head, url)
                : try intake.bodies.body(intake.buffer, head, url, record.payloadDigest)
            try addWhole(&capture, result)
        } catch let refusal as BodyIntake.Refusal {
            return try intake.note(refusal.kind, at: place, url: record.target, detail: refusal.detail)
        }
        guard firstPage == nil, head.status == 200, capture.omission == nil,
            let type = head.fields.value(of: .contentType).flatMap({ MediaType($0)?.essence }),
            type == "text/html" || type == "application/xhtml+xml"
        else { return }
        firstPage = url
    }

    /// Adds a response with its body.
    private func addWhole(_ capture: inout Capture, _ result: BodyIntake.Result) throws {
        let record = capture.record
        capture.notes = result.notes
        capture.body = result.body
        capture.record = ResourceRecord(
            url: record.url,
            status: record.status,
            fields: record.fields,
            coding: result.coding,
            fetched: record.fetched,
            size: result.body.size,
            sha256: result.body.sha256
        )
        try intake.add(capture)
    }
}

/// Fields that other archivers renamed or added.
enum ArchivedFields {
    private static let original = "x-archive-orig-"
    private static let crawl = "x-crawl-"
    private static let framing: Set<String> = [
        "connection", "content-encoding", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the fields under the names that the origin gave them.
    ///
    /// Programs that decode bodies rename the fields of the codings, with `X-Archive-Orig-` or `X-Crawl-` before their
    /// names; some rename others, too.
    static func restored(_ fields: HTTPFields) -> HTTPFields {
        guard fields.contains(where: { isRenamed($0.name.canonicalName) }) else { return fields }
        var result = HTTPFields()
        for field in fields {
            let name = field.name.canonicalName
            guard isRenamed(name) else {
                result.append(field)
                continue
            }
            let old = String(name.dropFirst(name.hasPrefix(original) ? original.count : crawl.count))
            guard name.hasPrefix(original), !framing.contains(old), let restored = HTTPField.Name(old),
                fields[restored] == nil
            else { continue }
            result.append(HTTPField(name: restored, value: field.value))
        }
        return result
    }

    private static func isRenamed(_ name: String) -> Bool {
        name.hasPrefix(original) || name.hasPrefix(crawl) && framing.contains(String(name.dropFirst(crawl.count)))
    }
}
