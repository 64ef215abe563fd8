internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

extension HTTP2Stream: AnswerSink {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        write(.headers(.init(headers: HPACKHeaders(status, fields, length: nil))), count: 1)
    }

    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool) {
        let hasBody = isHead == false && answer.status.mayHaveBody
        let stated = answer.fields[.contentLength].flatMap { Int64($0) }
        let headers = HPACKHeaders(
            answer.status,
            answer.fields,
            length: answer.status.mayHaveLength ? length ?? stated : nil
        )
        let count = hasBody ? first?.readableBytes ?? 0 : 0
        let endsHere = !hasBody || (isWhole && count == 0)
        write(.headers(.init(headers: headers, endStream: endsHere)), count: 1)
        if count > 0, let first {
            write(.data(.init(data: .byteBuffer(first), endStream: isWhole)), count: count)
        }
    }

    func send(_ bytes: ByteBuffer) {
        write(.data(.init(data: .byteBuffer(bytes))), count: bytes.readableBytes)
    }

    func end(trailers: HTTPFields?) {
        if let trailers, !trailers.isEmpty {
            write(.headers(.init(headers: HPACKHeaders(nil, trailers, length: nil), endStream: true)), count: 1)
        } else {
            write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), count: 0)
        }
    }

    func cut() { context?.close(promise: nil) }

    /// Tunnels are for connections, not for streams.
    func handOver(_ answer: ServerAnswer, to handover: Handover) { cut() }
}

extension HTTP2Stream: Watched {
    func check(_ now: NIODeadline) {
        let view = ConnectionClock.View(
            answered: isAnswered ? 1 : 0,
            sent: sent,
            received: received,
            isSending: written != sent,
            isReceiving: incoming != nil && isBodyWanted,
            isAnswering: exchange != nil,
            isLingering: false
        )
        if clock.isOver(view, now: now, limits: service.limits) { cut() }
    }

    /// A stream that is open ends by itself; its connection takes no more.
    func quiesce() {}
}
