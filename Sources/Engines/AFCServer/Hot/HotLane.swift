internal import AFCCaching
internal import HTTPTypes
internal import NIOCore
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
        let answer = entry.answer
        state.counters.countMemoryHit(status: answer.status, verdict: answer.verdict, bytes: answer.bodyBytes)
        if var record = entry.record, let onAnswer = service.onAnswer {
            record.time = now
            record.remoteAddress = remoteAddress
            onAnswer(record)
        }
        return answer.wire(at: now)
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
        let size = HotAnswer.size(head: headLength, body: wire.readableBytes - headLength)
        let (now, changes) = (service.now(), service.responder.changes)
        guard table.admits(key, size: size, isCurrent: { $0.isValid(at: now, changes: changes) }),
            let hot = HotAnswer(answer, wire: wire, headLength: headLength)
        else { return }
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

    static func kind(of name: String) -> Kind {
        let name = name.lowercased()
        switch name {
        case "host": return .host
        case "connection": return .connection
        default: return heeded.contains(name) || LeadingFields.names.contains(name) ? .heeded : .indifferent
        }
    }
}
