internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// A connection of HTTP/1: takes parsed requests, answers them in their order, and ends when its time has run out.
///
/// What was read together may hold several requests; nothing more is read while one is being answered, but for its body.
final class HTTP1Connection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A request that waits for its turn, or is being answered.
    struct Pending {
        var head: HTTPRequestHead
        var body: IncomingBody?
        /// The head as it came, where it came in one piece.
        var bytes: ByteBuffer?
    }

    /// How far a body is whose end is that of the connection.
    enum OpenEnd {
        /// There is none.
        case none
        /// More of it will be handed over.
        case sending
        /// All of it was handed over.
        case sent
    }

    /// What becomes of the connection.
    enum Fate {
        /// More requests may come.
        case open
        /// What comes is thrown away until the client closes its side.
        case lingering
        /// About to be given away.
        case leaving
        /// Given away: bytes pass through.
        case handedOver
    }

    let service: Serving
    let state: LoopState
    private(set) var connection: ConnectionContext
    private(set) var contextNumber = 0
    var context: ChannelHandlerContext?
    var fate = Fate.open
    var waiting = CircularBuffer<Pending>(initialCapacity: 2)
    /// The request that is being answered.
    var current: Pending?
    var exchange: Exchange?
    /// The body of the request whose bytes arrive now.
    var incoming: IncomingBody?
    var isBodyWanted = false
    var awaitsContinue = false
    /// Whether the next byte begins a request for sure.
    var isAtBoundary = true
    /// The parser before this handler.
    var decoder: ByteToMessageHandler<HTTPRequestDecoder>?
    /// The head that the decoder is being given.
    var bytesOfHead: ByteBuffer?
    /// The method of the head that the decoder is being given, where the decoder doesn't know it.
    var unknownMethod: String?
    /// Whether something that isn't HTTP came after the requests that wait.
    var isMalformed = false
    /// What is said of it.
    var refusal: StaticString = "400 Bad Request"
    var isInputClosed = false
    var isQuiescing = false
    /// Whether the answer that is being sent is chunked.
    var isChunked = false
    var openEnd = OpenEnd.none
    /// Whether the connection ends with the answer that is being sent.
    var closesAfterCurrent = false
    /// Whether there is room for more in the socket, or before it.
    private(set) var isWritable = true
    private var isReadHeld = false
    var isFlushNeeded = false

    // What the watch over the connection goes by.
    var answered = 0
    var written = 0
    var received = 0
    var clock = ConnectionClock()

    init(service: Serving, state: LoopState, connection: ConnectionContext) {
        self.service = service
        self.state = state
        self.connection = connection
    }

    /// Whether no request is being read or answered.
    var isIdle: Bool { current == nil && waiting.isEmpty && fate == .open && !isMalformed }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { activate(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        activate(context)
        context.fireChannelActive()
    }

    private func activate(_ context: ChannelHandlerContext) {
        connection.server = state.identity(of: context.channel, boundHosts: service.boundHosts)
        connection.remoteAddress = context.channel.remoteAddress?.ipAddress
        contextNumber = state.number(of: connection)
        clock.begin(at: .now())
        state.counters.connections += 1
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        if fate == .open { fate = .lingering }
        waiting.removeAll()
        incoming?.fail(RequestCutShort())
        incoming = nil
        exchange?.cancel()
        exchange = nil
        current = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, fate == .open else {
            service.logger.debug("connection failed", metadata: ["error": "\(error)"])
            return fate == .handedOver ? context.fireErrorCaught(error) : context.close(promise: nil)
        }
        isMalformed = true
        if incoming != nil { giveUpBody(error) }
        if current == nil { refuseMalformed() }
    }

    /// The last request's body is no HTTP: that request gets one answer, which is the last.
    private func giveUpBody(_ error: any Error) {
        incoming?.fail(error)
        incoming = nil
        if !waiting.isEmpty {
            // It never begins; the refusal is its answer.
            waiting.removeLast()
        } else if let exchange, !exchange.isAnswered {
            self.exchange = nil
            current = nil
            exchange.cancel()
        } else {
            closesAfterCurrent = true
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent, fate != .handedOver else {
            return context.fireUserInboundEventTriggered(event)
        }
        isInputClosed = true
        incoming?.fail(RequestCutShort())
        incoming = nil
        if isIdle { finish() } else { cancelSoon() }
    }

    /// A client that has closed its side may still want its answer, or may be gone: only sending would tell.
    private func cancelSoon() {
        guard let exchange, !exchange.isAnswered else { return }
        let waiting = NIOLoopBound(exchange, eventLoop: state.loop)
        state.loop.scheduleTask(in: service.limits.halfClosedTimeout) {
            if !waiting.value.isAnswered { waiting.value.cut() }
        }
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard fate != .handedOver else { return context.fireChannelRead(data) }
        switch unwrapInboundIn(data) {
        case .head(let head): read(head)
        case .body(let bytes): read(bytes)
        case .end: readEnd()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        guard mayRead else {
            isReadHeld = true
            return
        }
        context.read()
    }

    /// Reads on where that was held back.
    func readOn() {
        guard isReadHeld, mayRead, let context else { return }
        isReadHeld = false
        context.read()
    }

    private var mayRead: Bool {
        switch fate {
        case .open: incoming == nil ? current == nil && waiting.isEmpty && isWritable : isBodyWanted
        case .lingering: received < service.limits.lingerBytes
        case .leaving: false
        case .handedOver: true
        }
    }

    /// A client that sends requests and takes no answers must not fill the memory with them.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable {
            exchange?.resume()
            if current == nil { scheduleNext() }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Writing

    func write(_ bytes: ByteBuffer) {
        guard let context else { return }
        written &+= bytes.readableBytes
        isFlushNeeded = true
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    func flushIfNeeded() {
        guard isFlushNeeded else { return }
        isFlushNeeded = false
        context?.flush()
    }

    /// Closes this side after all that was written, and waits a little for the client to close its own.
    func finish() {
        guard fate == .open else { return }
        fate = .lingering
        received = 0
        flushIfNeeded()
        context?.close(mode: .output, promise: nil)
        readOn()
    }
}

@available(*, unavailable)
extension HTTP1Connection: Sendable {}
