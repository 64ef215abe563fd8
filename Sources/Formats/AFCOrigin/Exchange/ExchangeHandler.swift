internal import HTTPTypes
internal import NIOCore

/// One connection to an origin, on its event loop: one exchange at a time, its response handed over in few large pieces.
///
/// A small response wakes its reader once, when it is whole.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    typealias Waiter = CheckedContinuation<ResponsePiece, any Error>

    /// How many bytes of a body wait for their reader before it is woken.
    private static let pieceSize = 256 << 10
    /// How long a connection is kept without an exchange.
    private let idle: TimeAmount
    private let patience: TimeAmount
    /// Told that the connection is free for another exchange, or is no more.
    var onChange: ((_ isFree: Bool) -> Void)?

    private var parser: ResponseParser?
    private var input = ByteBuffer()
    private var piece = ResponsePiece()
    private var pieceBytes = 0
    private var waiter: Waiter?
    private var failure: (any Error)?
    private var context: ChannelHandlerContext?
    private var isClosed = false
    private var hasHeldRead = false
    private var hasHead = false
    /// Whether the connection is free once the last piece is taken.
    private var isFreeWhenTaken = false
    private var hasTimer = false
    /// Since when `received` is counted; of an idle connection, since when it idles.
    private var since = NIODeadline.now()
    private var received = 0

    init(patience: TimeAmount, idle: TimeAmount) {
        self.patience = patience
        self.idle = idle
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: The reader

    /// Sends a request and waits for the beginning of its response.
    func begin(_ request: ByteBuffer, _ waiter: Waiter) {
        guard !isClosed, parser == nil, let context else { return waiter.resume(throwing: ExchangeFailure.closed) }
        parser = ResponseParser(method: .get)
        hasHead = false
        piece = ResponsePiece()
        pieceBytes = 0
        self.waiter = waiter
        restartClock(context)
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    /// Waits for what comes next of the response.
    func more(_ waiter: Waiter) {
        self.waiter = waiter
        if let context { restartClock(context) }
        if piece.isEnd || pieceBytes > 0 { return wake() }
        if let failure { return fail(failure) }
        resumeReading()
    }

    private func wake() {
        guard let waiter else { return }
        self.waiter = nil
        let ready = piece
        piece = ResponsePiece()
        pieceBytes = 0
        // Before the reader knows, so that its next request finds it; not sooner, since what follows would be taken for it.
        if ready.isEnd, isFreeWhenTaken {
            isFreeWhenTaken = false
            onChange?(true)
        }
        waiter.resume(returning: ready)
        resumeReading()
    }

    private func fail(_ error: any Error) {
        failure = error
        guard let waiter else { return }
        self.waiter = nil
        waiter.resume(throwing: error)
    }

    // MARK: The connection

    func read(context: ChannelHandlerContext) {
        // What nobody takes stays with the origin.
        if pieceBytes >= Self.pieceSize { hasHeldRead = true } else { context.read() }
    }

    private func resumeReading() {
        guard hasHeldRead, pieceBytes < Self.pieceSize else { return }
        hasHeldRead = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received += bytes.readableBytes
        // Nothing was asked, so this belongs to no answer: what follows couldn't be trusted.
        guard parser != nil else { return close(context) }
        if input.isEmpty { input = bytes } else { input.writeBuffer(&bytes) }
        parse(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        if var current = parser {
            do throws(WireError) {
                if case .end = try current.close() { piece.isEnd = true }
                parser = nil
                if waiter != nil { wake() }
            } catch {
                fail(failure ?? (hasHead ? ExchangeFailure.truncated : ExchangeFailure.closed))
            }
        }
        onChange?(false)
        onChange = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil, parser != nil { fail(error) }
        // A response that ends with the connection doesn't end where that fails.
        parser = nil
        close(context)
    }

    private func parse(_ context: ChannelHandlerContext) {
        guard var current = parser else { return }
        do throws(WireError) {
            while let event = try current.next(&input) {
                switch event {
                case .interim: continue
                case .head(let head, _):
                    hasHead = true
                    piece.head = head
                case .body(let bytes):
                    piece.body.append(bytes)
                    pieceBytes += bytes.readableBytes
                case .end:
                    piece.isEnd = true
                    return end(current, context)
                }
            }
            parser = current
            if input.isEmpty { input = ByteBuffer() }
        } catch {
            fail(error)
            return close(context)
        }
        if pieceBytes >= Self.pieceSize { wake() }
    }

    private func end(_ parser: ResponseParser, _ context: ChannelHandlerContext) {
        self.parser = nil
        since = .now()
        if parser.keepsConnection, input.isEmpty, !isClosed {
            input = ByteBuffer()
            isFreeWhenTaken = true
        } else {
            close(context)
        }
        wake()
    }

    private func close(_ context: ChannelHandlerContext) {
        isClosed = true
        context.close(promise: nil)
    }

    // MARK: Time

    private func restartClock(_ context: ChannelHandlerContext) {
        since = .now()
        received = 0
        schedule(min(patience, idle), context)
    }

    /// One timer looks now and then, since setting one for each exchange costs as much as the exchange.
    private func schedule(_ delay: TimeAmount, _ context: ChannelHandlerContext) {
        guard !hasTimer, !isClosed else { return }
        hasTimer = true
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.check() }
    }

    private func check() {
        hasTimer = false
        guard let context, !isClosed else { return }
        let passed = NIODeadline.now() - since
        if parser == nil {
            guard passed < idle else { return close(context) }
            return schedule(idle - passed, context)
        }
        guard passed >= patience else { return schedule(min(patience - passed, idle), context) }
        // Whoever takes nothing isn't the origin's fault; a head must come whole, a body must come on.
        guard waiter == nil || hasHead && received >= Pace.least else {
            fail(ExchangeFailure.timeout)
            return close(context)
        }
        restartClock(context)
    }
}
