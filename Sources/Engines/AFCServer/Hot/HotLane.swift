internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1

/// One connection's access to the answers in memory: finds them in the table, counts them, and adds to them.
struct HotLane {
    private let service: Serving
    private let state: LoopState
    private var table: HotTable { service.hot }
    private var remoteAddress: String?
    /// The number of the ``ConnectionContext`` that answers belong to.
    private var context = 0

    init(service: Serving, state: LoopState) {
        self.service = service
        self.state = state
    }

    /// Sets the connection's context.
    mutating func begin(_ connection: ConnectionContext) {
        context = table.number(of: connection)
        remoteAddress = connection.remoteAddress
    }

    /// Returns the bytes of the answer to a head that equals, byte for byte, one answered before, and counts and logs it.
    func answer(to head: UnsafeRawBufferPointer) -> ByteBuffer? {
        table.find(head: head, context: context).flatMap { bytes(of: $0) }
    }

    /// Returns the bytes of the answer to a plain request whose target was answered before, and counts and logs it.
    func answer(to request: HTTP1StateMachine.Request) -> ByteBuffer? {
        guard table.isEnabled, let target = target(of: request), let answer = table.find(target) else { return nil }
        let entry = entry(answer, for: request)
        guard let bytes = bytes(of: entry) else { return nil }
        if request.bytes != nil { table.insert(entry) }
        return bytes
    }

    private func bytes(of entry: HotTable.HeadEntry) -> ByteBuffer? {
        let (answer, view) = (entry.answer, view)
        guard requireValid(answer, at: view), let wire = answer.wire(at: view.now) else { return nil }
        report(answer, entry.record, at: view.now)
        if answer.noteUse() {
            var body = wire
            body.moveReaderIndex(forwardBy: body.readableBytes - answer.bodyBytes)
            table.keep(body, of: answer, at: view)
        }
        return wire
    }

    private var view: HotTable.View { HotTable.View(now: service.now(), changes: service.responder.changes) }

    /// Returns true if an answer may be repeated, and otherwise removes it.
    private func requireValid(_ answer: HotAnswer, at view: HotTable.View) -> Bool {
        if answer.isValid(at: view.now, changes: view.changes) { return true }
        table.remove(answer)
        return false
    }

    private func report(_ answer: HotAnswer, _ record: AccessRecord?, at now: Timestamp) {
        state.counters.countMemoryHit(status: answer.status, verdict: answer.verdict, bytes: answer.bodyBytes)
        if let unanswered = answer.unanswered { service.note(unanswered) }
        guard var record, let onAnswer = service.onAnswer else { return }
        record.time = now
        record.remoteAddress = remoteAddress
        onAnswer(record)
    }

    // MARK: HTTP/2

    /// Returns the target of an HTTP/2 request without a body, if nothing else in the request can change the answer.
    func target(of headers: HPACKHeaders) -> HotTable.Target? {
        guard table.isEnabled else { return nil }
        var target = HotTable.Target(isHead: false, host: "", target: "", context: context)
        for (name, value, _) in headers {
            switch name {
            case ":method" where value == "GET": break
            case ":method" where value == "HEAD": target.isHead = true
            case ":method": return nil
            case ":authority": target.host = value
            case ":path": target.target = value
            case _ where name.hasPrefix(":"): continue
            default:
                let kind = PlainFields.kind(ofLowercased: name)
                guard kind == .indifferent || kind == .control && isReload(value) else { return nil }
            }
        }
        return target.host.isEmpty ? nil : target
    }

    /// Returns the answer to a plain HTTP/2 request whose target was answered before, and counts and logs it.
    func message(to target: HotTable.Target, _ headers: HPACKHeaders) -> (fields: HPACKHeaders, body: ByteBuffer)? {
        guard let answer = table.find(target) else { return nil }
        let view = view
        guard requireValid(answer, at: view), let message = answer.message(at: view.now) else { return nil }
        let record = service.onAnswer.map { _ in AccessRecord(headers, target: target, hot: answer) }
        report(answer, record, at: view.now)
        if answer.noteUse() { table.keep(message.body, of: answer, at: view) }
        return message
    }

    /// Keeps an answer that was sent in HTTP/2, if it may be repeated.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - target: The target of the request.
    ///   - body: The whole body as it was sent.
    ///   - length: The value of Content-Length.
    func remember(_ answer: ServerAnswer, to target: HotTable.Target, body: ByteBuffer?, length: Int64?) {
        let place = answer.place(ofBody: body?.readableBytes ?? 0)
        guard let repetition = answer.repetition, repetition.isForAllPlainRequests,
            place != nil || body?.readableBytes ?? 0 <= HotAnswer.bodyLimit
        else { return }
        var wire = ByteBufferAllocator().buffer(capacity: 512 + (body?.readableBytes ?? 0))
        let head = HeadWriter(
            status: answer.status,
            fields: answer.fields,
            framing: .length(length),
            persistence: .implied
        )
        head.write(into: &wire)
        let headLength = wire.readableBytes
        if let body { wire.writeImmutableBuffer(body) }
        let key = HotTable.Key(target)
        guard let hot = admitted(answer, key, isForOneHead: false, wire, headLength: headLength, place: place) else {
            return
        }
        table.insert(hot, key: key, target: target, entry: nil)
    }

    // MARK: Keeping

    private func admitted(
        _ answer: ServerAnswer,
        _ key: HotTable.Key,
        isForOneHead: Bool,
        _ wire: ByteBuffer,
        headLength: Int,
        place: BodyPlace?
    ) -> HotAnswer? {
        let body = wire.readableBytes - headLength
        let isSmall = body <= HotAnswer.bodyLimit && body == place?.size ?? body
        let admission = table.admits(
            key,
            head: HotAnswer.size(head: headLength, body: 0),
            body: isSmall ? body : nil,
            isOnDisk: place != nil,
            isForOneHead: isForOneHead,
            at: view
        )
        switch admission {
        case .whole: return HotAnswer(answer, wire: wire, headLength: headLength, place: place)
        case .head:
            let head = wire.getSlice(at: wire.readerIndex, length: headLength) ?? ByteBuffer()
            return HotAnswer(answer, wire: head, headLength: headLength, place: place)
        case .none: return nil
        }
    }

    /// Keeps an answer that was sent, if it may be repeated.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - request: The request.
    ///   - wire: The head and, unless it is large, the body as they were sent.
    ///   - headLength: The length of the head in bytes.
    ///   - place: The place of the body on the disk, if there is one.
    func remember(
        _ answer: ServerAnswer,
        to request: HTTP1StateMachine.Request,
        wire: ByteBuffer,
        headLength: Int,
        place: BodyPlace?
    ) {
        guard table.isEnabled, let repetition = answer.repetition else { return }
        let target = repetition.isForAllPlainRequests ? target(of: request) : nil
        let key =
            target.map { HotTable.Key($0) }
            ?? request.bytes?.withUnsafeReadableBytes { HotTable.Key(head: $0, context: context) }
        guard let key else { return }
        // What depends on Accept, say, is for the many heads of one browser.
        let isForOneHead = target == nil && repetition.isForAllPlainRequests
        guard let hot = admitted(answer, key, isForOneHead: isForOneHead, wire, headLength: headLength, place: place)
        else { return }
        table.insert(hot, key: key, target: target, entry: request.bytes.map { _ in entry(hot, for: request) })
    }

    private func entry(_ answer: HotAnswer, for request: HTTP1StateMachine.Request) -> HotTable.HeadEntry {
        // A copy, since a slice would keep alive everything that was read with it.
        let head = request.bytes.map { ByteBuffer(bytes: $0.readableBytesView) } ?? ByteBuffer()
        let record = service.onAnswer == nil ? nil : AccessRecord(request.head, hot: answer)
        return HotTable.HeadEntry(head: head, context: context, answer: answer, record: record)
    }

    /// Returns true for a value of Cache-Control or Pragma that makes no difference, since the responder has no origins.
    private func isReload(_ value: String) -> Bool {
        guard !service.responder.heedsCacheControl else { return false }
        let value = value.lowercased()
        return !value.contains("max-stale") && !value.contains("min-fresh")
    }

    /// Returns the target if nothing else in the request can change the answer.
    private func target(of request: HTTP1StateMachine.Request) -> HotTable.Target? {
        let head = request.head
        guard head.method == .GET || head.method == .HEAD, head.version == .http1_1, request.body == nil else {
            return nil
        }
        var host: String?
        for (name, value) in head.headers {
            switch PlainFields.kind(of: name) {
            case .indifferent: continue
            case .host where host == nil: host = value
            case .control: guard isReload(value) else { return nil }
            case .host, .heeded: return nil
            case .connection: guard value.lowercased() == "keep-alive" else { return nil }
            }
        }
        return host.map {
            HotTable.Target(isHead: head.method == .HEAD, host: $0, target: head.uri, context: context)
        }
    }
}

/// The request fields that can change a cache's answer.
private enum PlainFields {
    enum Kind {
        case indifferent
        case host
        case connection
        /// What a client demands of a cache.
        case control
        case heeded
    }

    /// RFC 9110 §13 (conditions), §14 (ranges), §10.1.1, §7.8 and §11; RFC 9111 §5; RFC 9112 §6; Fetch §3.2.
    private static let heeded: Set<String> = [
        "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
        "authorization", "proxy-authorization", "expect", "upgrade", "content-length", "transfer-encoding",
        "trailer", "http2-settings", "prefer", "want-digest", "want-content-digest", "want-repr-digest", "a-im",
        "service-worker", "origin", "accept-datetime",
    ]

    static func kind(of name: String) -> Kind { kind(ofLowercased: name.lowercased()) }

    static func kind(ofLowercased name: String) -> Kind {
        switch name {
        case "host": return .host
        case "connection": return .connection
        case "cache-control", "pragma": return .control
        default: return heeded.contains(name) || LeadingFields.contains(lowercased: name) ? .heeded : .indifferent
        }
    }
}
