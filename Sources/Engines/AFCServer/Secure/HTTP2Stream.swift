internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// An HTTP/2 stream: one request and its answer.
final class HTTP2Stream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = Never
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let service: Serving
    private let state: LoopState
    private let connection: ConnectionContext
    private let hot: HotLane
    private var context: ChannelHandlerContext?
    private var intake = BodyIntake()
    private var job: AnswerJob?
    /// True if the request is HEAD; nil before it has arrived.
    ///
    /// Keeping the request itself would keep the stream alive.
    private var isHead: Bool?
    /// The target of a request whose answer may be repeated to others.
    private var target: HotTable.Target?
    private var isAnswered = false
    private var isReadHeld = false

    // Progress, as seen by the stream's watcher.
    private var written = 0
    private var sent = 0

    init(service: Serving, state: LoopState, connection: ConnectionContext, hot: HotLane) {
        self.service = service
        self.state = state
        self.connection = connection
        self.hot = hot
    }

    // MARK: Lifetime

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        intake.fail(RequestCutShort())
        job?.cancel()
        job = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { job?.resume() }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            if isHead == nil { begin(headers.headers, isWhole: headers.endStream) } else { _ = intake.end() }
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return }
            intake.take(bytes)
            if data.endStream { _ = intake.end() }
        default: break
        }
    }

    func read(context: ChannelHandlerContext) {
        guard !intake.isArriving || intake.isDue else {
            isReadHeld = true
            return
        }
        context.read()
    }

    private func begin(_ headers: HPACKHeaders, isWhole: Bool) {
        guard job == nil, !isAnswered else { return }
        if isWhole, let target = hot.target(of: headers) {
            if let (fields, body) = hot.message(to: target, headers) {
                isHead = target.isHead
                isAnswered = true
                return send(fields, body: body, isWhole: true)
            }
            self.target = target
        }
        var body = RequestBody()
        if !isWhole {
            let length = headers.first(name: "content-length").flatMap { Int64($0) }
            let incoming = IncomingBody(length: length, to: self, on: state.loop)
            intake.begin(incoming, awaitsContinue: headers.first(name: "expect")?.lowercased() == "100-continue")
            body = incoming.body
        }
        let request = ServerRequest(headers, body: body, connection: connection)
        isHead = request.isHead
        let job = AnswerJob(request, service: service, state: state, sink: self) { [weak self] job in
            self?.ended(job)
        }
        self.job = job
        job.start()
    }

    private func ended(_ job: AnswerJob) {
        guard self.job === job else { return }
        self.job = nil
        isAnswered = true
        job.report()
        // The body is unwanted: the stream is reset, and the connection stays open.
        if intake.isArriving { context?.close(promise: nil) }
    }

    // MARK: Writing

    /// Writes a frame.
    ///
    /// - Parameters:
    ///   - payload: The frame.
    ///   - count: The progress that it is, for the stream's watcher.
    ///   - isFollowed: True if another frame is written at once, with which this one is sent.
    private func write(_ payload: HTTP2Frame.FramePayload, count: Int, isFollowed: Bool = false) {
        guard let context else { return }
        guard !isFollowed else { return context.write(wrapOutboundOut(payload), promise: nil) }
        written &+= count
        let promise = context.eventLoop.makePromise(of: Void.self)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { handler.value.sent &+= count }
        context.writeAndFlush(wrapOutboundOut(payload), promise: promise)
    }
}

extension HTTP2Stream: AnswerSink {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func wantBody() {
        guard intake.isArriving else { return }
        if intake.demand(mayContinue: job?.isAnswered == false) { sendInterim(.continue, HTTPFields()) }
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }

    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        write(.headers(.init(headers: HPACKHeaders(status, fields, length: nil))), count: 1)
    }

    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool) {
        let hasBody = isHead == false && answer.status.mayHaveBody
        let length = answer.status.mayHaveLength ? length ?? answer.statedLength : nil
        let body = hasBody ? first : nil
        if isWhole || !hasBody, let target { hot.remember(answer, to: target, body: body, length: length) }
        send(HPACKHeaders(answer.status, answer.fields, length: length), body: body, isWhole: isWhole || !hasBody)
    }

    private func send(_ fields: HPACKHeaders, body: ByteBuffer?, isWhole: Bool) {
        let count = body?.readableBytes ?? 0
        write(.headers(.init(headers: fields, endStream: isWhole && count == 0)), count: 1, isFollowed: count > 0)
        if count > 0, let body {
            write(.data(.init(data: .byteBuffer(body), endStream: isWhole)), count: count)
        }
    }

    /// None, since HTTP/2 comes over TLS.
    var files: (any FileSink)? { nil }

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

    /// Cuts the stream, since only connections can become tunnels.
    func handOver(_ answer: ServerAnswer, to handover: Handover) { cut() }
}

extension HTTP2Stream: Watched {
    var activity: ConnectionClock.View {
        ConnectionClock.View(
            answered: isAnswered ? 1 : 0,
            sent: sent,
            received: intake.received,
            isSending: written != sent,
            isReceiving: intake.isDue,
            isAnswering: job != nil,
            isLingering: false
        )
    }

    /// Does nothing: an open stream ends by itself, and its connection accepts no more.
    func quiesce() {}
}

@available(*, unavailable)
extension HTTP2Stream: Sendable {}
