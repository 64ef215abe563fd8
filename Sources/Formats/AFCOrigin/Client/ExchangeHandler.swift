internal import HTTPTypes
package import NIOCore

/// What came of a response since the last piece of it.
package struct ResponsePiece: Sendable {
    /// Responses before the final one (RFC 9110 §15.2), where the client asked for them.
    package var interims: [ResponseHead] = []
    /// The head of the final response, in the piece that it came with.
    package var head: ResponseHead?
    /// How long the body is, beside the head.
    package var length: ResponseParser.BodyLength?
    /// The next bytes of the body.
    package var body: [ByteBuffer] = []
    /// Whether the response ends here.
    package var isEnd = false

    /// Creates a piece of nothing.
    package init() {}
}

/// The state of a wait for an exchange, and when it ends.
struct ExchangeOptions: Sendable {
    /// In what time a head must come, and then each time as many bytes as are the least.
    var patience: TimeAmount
    /// How many bytes of a body must come in that time.
    var leastBytes: Int
    /// How long a connection is kept without an exchange.
    var idle: TimeAmount
    /// Whether a reader is woken by all that comes; otherwise by large pieces, and once by a small response.
    var isEager: Bool
}

/// The loop's side of a connection, whatever its version of HTTP.
protocol ExchangeDriver: AnyObject {
    typealias Waiter = CheckedContinuation<ResponsePiece, any Error>

    /// Told that the connection is free for another exchange, or is no more.
    var onChange: ((_ isFree: Bool) -> Void)? { get set }

    /// Sends a request's head and waits for the beginning of its response.
    ///
    /// Later calls of this exchange name its number, so that a late one doesn't mean the next exchange.
    func begin(_ request: OriginRequest, _ number: Int, _ waiter: Waiter)
    /// Carries bytes as they are.
    func beginRaw(_ number: Int)
    /// Waits for what comes next of the response.
    func more(_ number: Int, _ waiter: Waiter)
    /// Sends some of the request's body, or its end.
    func send(_ number: Int, _ bytes: ByteBuffer?, _ promise: EventLoopPromise<Void>)
    /// Nobody takes the response any more.
    func abandon(_ number: Int)
}

/// One connection to an origin, or one stream of it, on its event loop: one exchange at a time, read in pieces on demand.
final class ExchangeHandler<Wire: ResponseWire>: ChannelDuplexHandler, ExchangeDriver {
    typealias InboundIn = Wire.Inbound
    typealias OutboundIn = Wire.Outbound
    typealias OutboundOut = Wire.Outbound

    var onChange: ((_ isFree: Bool) -> Void)?

    /// How many bytes of a body wait for their reader before no more are read.
    private let pieceSize = 256 << 10
    private let options: ExchangeOptions
    private var wire = Wire()
    private var pace: Pace
    private var context: ChannelHandlerContext?
    private var isClosed = false
    private var isOutputClosed = false
    private var hasHeldRead = false
    private var hasTimer = false
    private var idleSince = NIODeadline.now()

    /// The exchange under way: until its last piece is taken and its request is sent.
    private var number: Int?
    /// Whether more of the response may come.
    private var isReceiving = false
    private var hasHead = false
    private var isRaw = false
    private var isSent = true
    /// Whether the connection is free once the last piece is taken.
    private var isFreeWhenTaken = false
    private var isTaken = false
    private var piece = ResponsePiece()
    private var pieceBytes = 0
    private var waiter: Waiter?
    private var failure: (any Error)?

    init(_ options: ExchangeOptions) {
        self.options = options
        pace = Pace(window: options.patience, least: options.leastBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: The reader

    func begin(_ request: OriginRequest, _ number: Int, _ waiter: Waiter) {
        guard let context = prepare(number) else { return waiter.resume(throwing: WireError.closed) }
        isSent = request.body == nil
        self.waiter = waiter
        let head = wrapOutboundOut(wire.begin(request))
        guard Wire.isStream else { return context.writeAndFlush(head, promise: nil) }
        // A connection that was told to end takes no more streams, and says so here.
        context.writeAndFlush(head).assumeIsolated().whenFailure { _ in self.end(WireError.closed) }
    }

    func beginRaw(_ number: Int) {
        guard prepare(number) != nil else { return }
        pace.pause(at: .now())
        hasHead = true
        isRaw = true
        wire.beginRaw()
    }

    private func prepare(_ number: Int) -> ChannelHandlerContext? {
        guard !isClosed, self.number == nil, let context else { return nil }
        self.number = number
        isReceiving = true
        hasHead = false
        isSent = true
        isTaken = false
        isFreeWhenTaken = false
        piece = ResponsePiece()
        pieceBytes = 0
        pace = Pace(window: options.patience, least: options.leastBytes)
        schedule(min(options.patience, options.idle), context)
        return context
    }

    func more(_ number: Int, _ waiter: Waiter) {
        guard self.number == number, !isTaken else { return waiter.resume(throwing: failure ?? WireError.closed) }
        self.waiter = waiter
        pace.resume(at: .now())
        if isWorthWaking(1) { return wake() }
        if let failure { return fail(failure) }
        if let context { schedule(min(options.patience, options.idle), context) }
        resumeReading()
    }

    func send(_ number: Int, _ bytes: ByteBuffer?, _ promise: EventLoopPromise<Void>) {
        guard self.number == number, !isClosed, let context else { return promise.fail(WireError.closed) }
        if let bytes {
            pace.restart(at: .now())
            context.writeAndFlush(wrapOutboundOut(wire.framed(bytes)), promise: promise)
        } else {
            isSent = true
            if let end = wire.bodyEnd {
                context.writeAndFlush(wrapOutboundOut(end), promise: promise)
            } else {
                promise.succeed()
            }
            if isTaken { free() }
        }
    }

    func abandon(_ number: Int) {
        guard self.number == number, !isTaken || isRaw else { return }
        if piece.isEnd, isFreeWhenTaken, isSent, waiter == nil {
            free()
        } else if let context {
            close(context)
        }
    }

    private func isWorthWaking(_ least: Int) -> Bool {
        pieceBytes >= least || piece.isEnd || options.isEager && (piece.head != nil || !piece.interims.isEmpty)
    }

    private func wake() {
        guard let waiter else { return }
        self.waiter = nil
        pace.pause(at: .now())
        let ready = piece
        piece = ResponsePiece()
        pieceBytes = 0
        if ready.isEnd {
            isTaken = true
            // Before the reader knows, so that its next request finds it; not sooner, since what follows would be taken for it.
            if isSent, !isRaw { free() }
        }
        waiter.resume(returning: ready)
        resumeReading()
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        guard let waiter else { return }
        self.waiter = nil
        waiter.resume(throwing: error)
    }

    private func free() {
        number = nil
        guard isFreeWhenTaken, !isClosed else { return }
        isFreeWhenTaken = false
        idleSince = .now()
        onChange?(true)
    }

    // MARK: The connection

    func read(context: ChannelHandlerContext) {
        // What nobody takes stays with the origin.
        if pieceBytes >= pieceSize { hasHeldRead = true } else { context.read() }
    }

    private func resumeReading() {
        guard hasHeldRead, pieceBytes < pieceSize else { return }
        hasHeldRead = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing was asked, so this belongs to no answer: what follows couldn't be trusted.
        guard isReceiving else { return close(context) }
        let count = wire.take(unwrapInboundIn(data))
        // A head must come whole in its time, or it could drip for days.
        if hasHead { pace.receive(count, at: .now()) }
        parse(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ChannelEvent {
        // Only a connection that may become another protocol's is told; on such a one this side may still send.
        case .inputClosed: if isRaw { endRaw(nil) } else { close(context) }
        case .outputClosed: isOutputClosed = true
        case nil: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        if isReceiving, isRaw {
            // The end of the input has an event of its own, except where this side was closed first.
            endRaw(isOutputClosed ? nil : WireError.closed)
        } else if isReceiving {
            isReceiving = false
            do throws(WireError) {
                if case .end = try wire.close() { piece.isEnd = true }
                wake()
            } catch {
                fail(error)
            }
        }
        onChange?(false)
        onChange = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(Wire.isStream ? hasHead ? WireError.truncated : WireError.closed : error)
    }

    /// A response that ends with the connection doesn't end where that fails.
    private func end(_ error: any Error) {
        if isReceiving { fail(error) }
        isReceiving = false
        if let context { close(context) }
    }

    private func endRaw(_ error: (any Error)?) {
        isReceiving = false
        if let error { return fail(error) }
        piece.isEnd = true
        wake()
    }

    private func parse(_ context: ChannelHandlerContext) {
        do throws(WireError) {
            while let event = try wire.next() {
                switch event {
                case .interim(let head):
                    guard options.isEager else { continue }
                    pace.restart(at: .now())
                    piece.interims.append(head)
                case .head(let head, let length):
                    hasHead = true
                    pace.restart(at: .now())
                    piece.head = head
                    piece.length = length
                    if head.status == 101 {
                        isRaw = true
                        wire.beginRaw()
                    }
                case .body(let bytes):
                    piece.body.append(bytes)
                    pieceBytes += bytes.readableBytes
                case .end: return endResponse(context)
                }
            }
        } catch {
            return end(error)
        }
        if isWorthWaking(options.isEager ? 1 : pieceSize) { wake() }
    }

    private func endResponse(_ context: ChannelHandlerContext) {
        isReceiving = false
        piece.isEnd = true
        if wire.keepsConnection, !isClosed {
            isFreeWhenTaken = true
        } else if !Wire.isStream || !isSent {
            close(context)
        }
        wake()
    }

    private func close(_ context: ChannelHandlerContext) {
        isClosed = true
        context.close(promise: nil)
    }

    // MARK: Time

    /// One timer looks now and then, since setting one for each exchange costs as much as the exchange.
    private func schedule(_ delay: TimeAmount, _ context: ChannelHandlerContext) {
        guard !hasTimer, !isClosed else { return }
        hasTimer = true
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.check() }
    }

    private func check() {
        hasTimer = false
        guard let context, !isClosed else { return }
        let now = NIODeadline.now()
        guard number != nil else {
            let rest = options.idle - (now - idleSince)
            guard rest > .zero else { return close(context) }
            return schedule(rest, context)
        }
        guard !isRaw else { return }
        // A client that sends its body slowly keeps the origin waiting, not the other way round.
        if !isSent, bufferedBytes(context) == 0 { pace.restart(at: now) }
        // Whoever takes nothing isn't the origin's fault.
        let rest = waiter == nil ? options.patience : pace.rest(at: now)
        guard rest <= .zero else { return schedule(min(rest, options.idle), context) }
        fail(hasHead && pace.hasReceived ? ConnectionTrouble.slow : ConnectionTrouble.timeout)
        isReceiving = false
        close(context)
    }

    /// The bytes of the request that the origin doesn't take.
    private func bufferedBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
