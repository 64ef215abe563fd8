internal import AFCResolver
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

extension HTTP1Connection: AnswerSink {
    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        var buffer = ByteBuffer()
        ResponseHead(status: status, fields: fields, framing: .length(nil), persistence: .implied).write(into: &buffer)
        write(buffer)
        flushIfNeeded()
    }

    /// Whether no request can follow the one that is being answered.
    ///
    /// A body that wasn't read to its end ends the connection, so that nothing can hide behind it (RFC 9112 §9.3).
    private var persists: Bool {
        guard let current, fate == .open, !isQuiescing else { return false }
        guard current.head.isKeepAlive, !current.head.mayUpgrade else { return false }
        // RFC 9112 §6.1: the framing may have been misunderstood on the way.
        if current.head.version.isBefore11, current.head.headers.contains(name: "transfer-encoding") { return false }
        guard let body = current.body else { return true }
        return incoming !== body && current.head.method != .GET && current.head.method != .HEAD
    }

    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool) {
        guard let current else { return }
        let isHead = current.head.method == .HEAD
        let isOld = current.head.version.isBefore11
        let hasBody = !isHead && answer.status.mayHaveBody
        var persists = persists
        var framing = ResponseHead.Framing.length(length)
        if !answer.status.mayHaveLength {
            framing = .length(nil)
        } else if length == nil {
            switch answer.body {
            // RFC 9112 §6.1 allows the coding of the body that isn't there, but some clients wait for chunks.
            case .stream where !hasBody: framing = .length(answer.fields[.contentLength].flatMap { Int64($0) })
            case .stream:
                framing = isOld ? .untilClose : .chunked
                if isOld { persists = false }
            case .none, .bytes, .stored:
                let stated = answer.fields[.contentLength].flatMap { Int64($0) }
                // Without a length a client would wait for the end of the connection.
                framing = .length(stated ?? (isHead ? nil : 0))
            }
        }
        isChunked = framing == .chunked
        openEnd = framing == .untilClose ? .sending : .none
        closesAfterCurrent = !persists
        let persistence: ResponseHead.Persistence = persists ? (isOld ? .keepAlive : .implied) : .close
        let head = ResponseHead(
            status: answer.status,
            fields: answer.fields,
            framing: framing,
            persistence: persistence
        )
        let count = hasBody ? first?.readableBytes ?? 0 : 0
        var buffer = ByteBufferAllocator().buffer(capacity: 512 + (count <= HotAnswer.bodyLimit ? count : 0))
        let holes = head.write(into: &buffer)
        let headLength = buffer.readableBytes
        if count > 0, let first {
            if count <= HotAnswer.bodyLimit {
                buffer.writeImmutableBuffer(first)
                write(buffer)
            } else {
                write(buffer)
                write(first)
            }
        } else {
            write(buffer)
        }
        if isWhole || !hasBody, persistence == .implied, count <= HotAnswer.bodyLimit, current.body == nil {
            remember(answer, wire: buffer, headLength: headLength, holes: holes)
        }
        flushIfNeeded()
    }

    func send(_ bytes: ByteBuffer) {
        if isChunked {
            var size = ByteBuffer()
            size.writeString(String(bytes.readableBytes, radix: 16))
            size.writeStaticString("\r\n")
            write(size)
            write(bytes)
            var end = ByteBuffer()
            end.writeStaticString("\r\n")
            write(end)
        } else {
            write(bytes)
        }
        flushIfNeeded()
    }

    func end(trailers: HTTPFields?) {
        guard isChunked else { return }
        var buffer = ByteBuffer()
        buffer.writeStaticString("0\r\n")
        for field in trailers ?? HTTPFields() where !ResponseHead.isConnectionField(field.name) {
            buffer.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        buffer.writeStaticString("\r\n")
        write(buffer)
        flushIfNeeded()
    }

    /// Ends the connection at once.
    ///
    /// A body whose end is that of the connection is whole for a client that sees a proper end, and so it mustn't.
    func cut() {
        fate = .lingering
        guard let context else { return }
        if openEnd == .sending || openEnd == .sent && bufferedBytes > 0 {
            ConnectionReset.reset(context.channel)
        } else {
            context.close(promise: nil)
        }
    }
}

extension HTTPResponse.Status {
    /// Whether a body may follow by the status (RFC 9112 §6.3).
    var mayHaveBody: Bool { code >= 200 && code != 204 && code != 304 }

    /// Whether Content-Length may be sent (RFC 9110 §8.6).
    var mayHaveLength: Bool { code >= 200 && code != 204 }
}
