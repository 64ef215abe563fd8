internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// A stream of HTTP/2: one request and its answer.
final class HTTP2Stream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = Never
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    let service: Serving
    let state: LoopState
    private let connection: ConnectionContext
    var context: ChannelHandlerContext?
    var exchange: Exchange?
    /// Whether the request is HEAD; nil before it has come.
    ///
    /// The request itself would keep the stream alive.
    var isHead: Bool?
    var incoming: IncomingBody?
    var isBodyWanted = false
    private var isReadHeld = false
    private var awaitsContinue = false
    var isAnswered = false
    var clock = ConnectionClock()
    var written = 0
    var sent = 0
    var received = 0

    init(service: Serving, state: LoopState, connection: ConnectionContext) {
        self.service = service
        self.state = state
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        clock.begin(at: .now())
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        incoming?.fail(RequestCutShort())
        incoming = nil
        exchange?.cancel()
        exchange = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { exchange?.resume() }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            if isHead == nil { begin(headers.headers, isWhole: headers.endStream) } else { endBody() }
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return }
            received &+= bytes.readableBytes
            if let incoming, bytes.readableBytes > 0, !incoming.yield(bytes) { isBodyWanted = false }
            if data.endStream { endBody() }
        default: break
        }
    }

    func read(context: ChannelHandlerContext) {
        guard incoming == nil || isBodyWanted else {
            isReadHeld = true
            return
        }
        context.read()
    }

    private func endBody() {
        incoming?.finish()
        incoming = nil
    }

    private func begin(_ headers: HPACKHeaders, isWhole: Bool) {
        guard exchange == nil, !isAnswered else { return }
        if !isWhole {
            let handler = NIOLoopBound(self, eventLoop: state.loop)
            let loop = state.loop
            incoming = IncomingBody(
                length: headers.first(name: "content-length").flatMap { Int64($0) },
                onDemand: { loop.execute { handler.value.wantBody() } },
                onEnd: {}
            )
            awaitsContinue = headers.first(name: "expect")?.lowercased() == "100-continue"
        }
        let request = ServerRequest(headers, body: incoming?.body ?? RequestBody(), connection: connection)
        isHead = request.isHead
        let exchange = Exchange(request, service: service, loop: state.loop, sink: self) { [weak self] exchange in
            self?.ended(exchange)
        }
        self.exchange = exchange
        exchange.start()
    }

    private func wantBody() {
        guard incoming != nil else { return }
        isBodyWanted = true
        if awaitsContinue, exchange?.isAnswered == false {
            awaitsContinue = false
            sendInterim(.continue, HTTPFields())
        }
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }

    private func ended(_ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        self.exchange = nil
        isAnswered = true
        service.report(exchange, state: state)
        // A body that nobody wants: the stream is reset, and the connection lives on.
        if incoming != nil { context?.close(promise: nil) }
    }

    // MARK: Writing

    func write(_ payload: HTTP2Frame.FramePayload, count: Int) {
        guard let context else { return }
        written &+= count
        let promise = context.eventLoop.makePromise(of: Void.self)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess { handler.value.sent &+= count }
        context.writeAndFlush(wrapOutboundOut(payload), promise: promise)
    }
}

@available(*, unavailable)
extension HTTP2Stream: Sendable {}
