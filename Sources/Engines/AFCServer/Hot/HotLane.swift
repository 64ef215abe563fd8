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

    /// Returns the answer to a head that equals, byte for byte, one answered before.
    func entry(for head: UnsafeRawBufferPointer) -> HotTable.HeadEntry? {
        guard let entry = table.find(head: head, context: context) else { return nil }
        if isValid(entry.answer) { return entry }
        table.remove(entry.answer)
        return nil
    }

    /// Returns the answer to a plain request whose target was answered before.
    func answer(to request: HTTP1StateMachine.Request) -> HotTable.HeadEntry? {
        guard table.isEnabled, let target = target(of: request), let answer = table.find(target) else { return nil }
        guard isValid(answer) else {
            table.remove(answer)
            return nil
        }
        let entry = entry(answer, for: request)
        if request.bytes != nil { table.insert(entry) }
        return entry
    }

    private func isValid(_ answer: HotAnswer) -> Bool {
        answer.isValid(at: service.now(), changes: service.responder.changes)
    }

    /// Returns the bytes of an answer that is repeated, and counts and logs it.
    func bytes(of entry: HotTable.HeadEntry) -> ByteBuffer {
        let now = service.now()
        report(entry.answer, entry.record, at: now)
        return entry.answer.wire(at: now)
    }

    private func report(_ answer: HotAnswer, _ record: AccessRecord?, at now: Timestamp) {
        state.counters.countMemoryHit(status: answer.status, verdict: answer.verdict, bytes: answer.bodyBytes)
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
            default: guard PlainFields.kind(ofLowercased: name) == .indifferent else { return nil }
            }
        }
        return target.host.isEmpty ? nil : target
    }

    /// Returns the answer to a plain HTTP/2 request whose target was answered before, and counts and logs it.
    func message(to target: HotTable.Target, _ headers: HPACKHeaders) -> (fields: HPACKHeaders, body: ByteBuffer)? {
        guard let answer = table.find(target) else { return nil }
        guard isValid(answer) else {
            table.remove(answer)
            return nil
        }
        let now = service.now()
        report(answer, service.onAnswer.map { _ in AccessRecord(headers, target: target, hot: answer) }, at: now)
        return answer.message(at: now)
    }

    /// Keeps an answer that was sent in HTTP/2, if it may be repeated.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - target: The target of the request.
    ///   - body: The whole body as it was sent.
    ///   - length: The value of Content-Length.
    func remember(_ answer: ServerAnswer, to target: HotTable.Target, body: ByteBuffer?, length: Int64?) {
        guard let repetition = answer.repetition, repetition.isForAllPlainRequests else { return }
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
        guard let hot = admitted(answer, key: HotTable.Key(target), wire: wire, headLength: headLength) else { return }
        table.insert(hot, key: HotTable.Key(target), target: target, entry: nil)
    }

    // MARK: Keeping

    private func admitted(_ answer: ServerAnswer, key: HotTable.Key, wire: ByteBuffer, headLength: Int) -> HotAnswer? {
        let size = HotAnswer.size(head: headLength, body: wire.readableBytes - headLength)
        let (now, changes) = (service.now(), service.responder.changes)
        guard table.admits(key, size: size, isCurrent: { $0.isValid(at: now, changes: changes) }) else { return nil }
        return HotAnswer(answer, wire: wire, headLength: headLength)
    }

    /// Keeps an answer that was sent, if it may be repeated.
    func remember(
        _ answer: ServerAnswer,
        to request: HTTP1StateMachine.Request,
        wire: ByteBuffer,
        headLength: Int
    ) {
        guard table.isEnabled, let repetition = answer.repetition else { return }
        let target = repetition.isForAllPlainRequests ? target(of: request) : nil
        let key =
            target.map { HotTable.Key($0) }
            ?? request.bytes?.withUnsafeReadableBytes { HotTable.Key(head: $0, context: context) }
        guard let key else { return }
        guard let hot = admitted(answer, key: key, wire: wire, headLength: headLength) else { return }
        table.insert(hot, key: key, target: target, entry: request.bytes.map { _ in entry(hot, for: request) })
    }

    private func entry(_ answer: HotAnswer, for request: HTTP1StateMachine.Request) -> HotTable.HeadEntry {
        // A copy, since a slice would keep alive everything that was read with it.
        let head = request.bytes.map { ByteBuffer(bytes: $0.readableBytesView) } ?? ByteBuffer()
        let record = service.onAnswer == nil ? nil : AccessRecord(request.head, hot: answer)
        return HotTable.HeadEntry(head: head, context: context, answer: answer, record: record)
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
        case heeded
    }

    /// RFC 9110 §13 (conditions), §14 (ranges), §10.1.1, §7.8 and §11; RFC 9111 §5; RFC 9112 §6.
    private static let heeded: Set<String> = [
        "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "cache-control",
        "pragma", "authorization", "proxy-authorization", "expect", "upgrade", "content-length", "transfer-encoding",
        "trailer", "http2-settings", "prefer", "want-digest", "want-content-digest", "want-repr-digest", "a-im",
        "service-worker",
    ]

    static func kind(of name: String) -> Kind { kind(ofLowercased: name.lowercased()) }

    static func kind(ofLowercased name: String) -> Kind {
        switch name {
        case "host": return .host
        case "connection": return .connection
        default: return heeded.contains(name) || LeadingFields.names.contains(name) ? .heeded : .indifferent
        }
    }
}
