internal import AFCCaching
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

extension HTTP1Connection {
    /// The answer to a head that is, byte for byte, one that was answered before.
    func hotEntry(_ head: UnsafeRawBufferPointer) -> HotTable.HeadEntry? {
        guard let entry = state.hot.find(head: head, context: contextNumber) else { return nil }
        if entry.answer.isValid(at: service.now(), changes: service.responder.changes) { return entry }
        state.hot.remove(entry)
        return nil
    }

    /// The answer to a plain request whose target was answered before.
    func hotAnswer(to pending: Pending) -> HotAnswer? {
        guard state.hot.isEnabled, !isQuiescing, let target = target(of: pending),
            let answer = state.hot.find(target)
        else { return nil }
        guard answer.isValid(at: service.now(), changes: service.responder.changes) else {
            state.hot.remove(target)
            return nil
        }
        remember(answer, for: pending)
        return answer
    }

    /// Sends an answer again.
    ///
    /// - Parameters:
    ///   - answer: The answer, which is valid.
    ///   - record: What the log is told.
    func sendAgain(_ answer: HotAnswer, record: AccessRecord?) {
        let now = service.now()
        write(answer.wire(at: now))
        answered &+= 1
        state.counters.countMemoryHit(status: answer.status, bytes: answer.bodyBytes)
        guard var record, let onAnswer = service.onAnswer else { return }
        record.time = now
        record.remoteAddress = connection.remoteAddress
        onAnswer(record)
    }

    /// Keeps an answer that went out, where it may be repeated.
    func remember(_ answer: ServerAnswer, wire: ByteBuffer, headLength: Int, holes: ResponseHead.Holes) {
        guard let repetition = answer.repetition, state.hot.isEnabled, let current else { return }
        // A number that moves must be one that can be moved.
        guard (answer.fields[.age] != nil) == (holes.age != nil) else { return }
        let hot = HotAnswer(answer, repetition: repetition, wire: wire, headLength: headLength, holes: holes)
        if repetition.isForAllPlainRequests, let target = target(of: current) { state.hot.insert(hot, for: target) }
        remember(hot, for: current)
    }

    private func remember(_ answer: HotAnswer, for pending: Pending) {
        guard let bytes = pending.bytes else { return }
        let record =
            service.onAnswer == nil
            ? nil : AccessRecord(pending.head, hot: answer)
        // A copy, since the slice would keep all of what was read with it.
        let head = ByteBuffer(bytes: bytes.readableBytesView)
        state.hot.insert(HotTable.HeadEntry(head: head, context: contextNumber, answer: answer, record: record))
    }

    /// The target where nothing else in the request can change the answer.
    private func target(of pending: Pending) -> HotTable.Target? {
        let head = pending.head
        guard head.method == .GET || head.method == .HEAD, head.version == .http1_1, pending.body == nil else {
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
            HotTable.Target(isHead: head.method == .HEAD, host: $0, target: head.uri, context: contextNumber)
        }
    }
}

/// Which fields of a request can change what a cache answers.
enum PlainFields {
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
