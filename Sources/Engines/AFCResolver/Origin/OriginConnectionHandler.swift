internal import AFCOrigin
internal import HTTPTypes
internal import NIOCore

/// A response's head on its way, or one before it.
enum OriginHead: Sendable {
    case interim(ResponseHead)
    case final(ResponseHead, ResponseParser.BodyLength)
}

/// The body of a response, taken as slowly as its reader likes.
typealias OriginBody = NIOThrowingAsyncSequenceProducer<
    ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, OriginDemand
>

/// Tells a connection that more is wanted, or nothing any more.
struct OriginDemand: NIOAsyncSequenceProducerDelegate {
    let onMore: @Sendable () -> Void
    let onEnd: @Sendable () -> Void

    func produceMore() { onMore() }
    func didTerminate() { onEnd() }
}

/// One connection to an origin: one exchange at a time; lives on its event loop.
final class OriginConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// An exchange that is going on.
    private struct Exchange {
        var number: Int
        var parser: ResponseParser
        var heads: AsyncThrowingStream<OriginHead, any Error>.Continuation
        var body: OriginBody.Source
        var wantsMore = true
        /// Whether the bytes are no longer HTTP.
        var isRaw = false

        func finish(_ error: (any Error)?) {
            heads.finish(throwing: error)
            if let error { body.finish(error) } else { body.finish() }
        }
        var isSent = false
        var hasHead = false
    }

    /// The way in which a connection ended.
    private enum Ending {
        /// The origin closed its side, after all that it sent.
        case closed
        /// The connection failed, or was closed here.
        case failed(any Error)
    }

    private let limits: WireLimits
    private let timeout: TimeAmount
    private let idle: TimeAmount
    /// Called when the connection is free for another exchange.
    var onFree: (() -> Void)?
    private var buffer = ByteBuffer()
    private var exchange: Exchange?
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var lastRead = NIODeadline.now()
    /// Set once nothing more can arrive; `buffer` may still hold bytes that the reader hasn't taken.
    private var ending: Ending?
    private var isClosed = false
    private var isOutputClosed = false
    private var isReading = false

    init(limits: WireLimits, timeout: TimeAmount, idle: TimeAmount) {
        self.limits = limits
        self.timeout = timeout
        self.idle = idle
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        onFree = nil
        timer?.cancel()
        end(.failed(WireError.closed))
    }

    // MARK: The exchange

    /// Whether another exchange can begin.
    var isFree: Bool { exchange == nil && !isClosed && buffer.isEmpty }

    /// Begins an exchange; its request is written by the caller.
    ///
    /// Later calls of this exchange name its number, so that a late one doesn't mean the next exchange.
    func begin(
        _ number: Int,
        _ method: HTTPRequest.Method,
        mayUpgrade: Bool = false,
        heads: AsyncThrowingStream<OriginHead, any Error>.Continuation,
        body: OriginBody.Source
    ) {
        guard !isClosed, ending == nil else {
            heads.finish(throwing: WireError.closed)
            body.finish(WireError.closed)
            return
        }
        exchange = Exchange(
            number: number,
            parser: ResponseParser(method: method, limits: limits, mayUpgrade: mayUpgrade),
            heads: heads,
            body: body
        )
        lastRead = .now()
        startTimer()
        read()
    }

    /// Begins to carry bytes as they are.
    func beginRaw(
        _ number: Int,
        heads: AsyncThrowingStream<OriginHead, any Error>.Continuation,
        body: OriginBody.Source
    ) {
        begin(number, .get, heads: heads, body: body)
        exchange?.isRaw = true
    }

    /// All of the request has gone out.
    func requestSent(_ number: Int) {
        guard exchange?.number == number else { return }
        exchange?.isSent = true
        freeIfDone()
    }

    /// Some of the request's body has gone out.
    func requestMoved(_ number: Int) {
        if exchange?.number == number { lastRead = .now() }
    }

    func produceMore(_ number: Int) {
        guard exchange?.number == number else { return }
        exchange?.wantsMore = true
        lastRead = .now()
        parse()
        read()
    }

    /// Nobody takes the response any more.
    func abandon(_ number: Int) {
        guard let current = exchange, current.number == number, !current.parser.isDone else { return }
        exchange = nil
        current.finish(CancellationError())
        close()
    }

    private func read() {
        guard let context, !isReading, ending == nil, exchange?.wantsMore ?? true else { return }
        isReading = true
        context.read()
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = unwrapInboundIn(data)
        // A head must come whole in its time, or it could drip for days.
        if exchange?.hasHead ?? true { lastRead = .now() }
        if buffer.isEmpty { buffer = incoming } else { buffer.writeBuffer(&incoming) }
        guard exchange != nil else {
            // Nothing was asked, so this belongs to no answer: what follows couldn't be trusted.
            close()
            return
        }
        parse()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        read()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ChannelEvent {
        case .inputClosed:
            // On a connection that isn't HTTP this side may still send.
            let isRaw = exchange?.isRaw ?? false
            end(.closed)
            if !isRaw { close() }
        case .outputClosed: isOutputClosed = true
        case nil: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        // The end of the input has an event of its own, except where this side was closed first.
        end(isOutputClosed ? .closed : .failed(WireError.closed))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failed(error))
        close()
    }

    /// Notes that nothing more arrives; the reader still gets the bytes that did.
    private func end(_ ending: Ending) {
        if self.ending == nil { self.ending = ending }
        parse()
    }

    private func parse() {
        if exchange?.isRaw ?? false { parseRaw() } else { parseResponse() }
    }

    private func parseRaw() {
        if exchange?.wantsMore ?? false, !buffer.isEmpty {
            let bytes = buffer
            buffer = ByteBuffer()
            deliver(bytes)
        }
        guard let ending, buffer.isEmpty, let current = exchange else { return }
        exchange = nil
        switch ending {
        case .closed: current.finish(nil)
        case .failed(let error): current.finish(error)
        }
    }

    private func parseResponse() {
        while var current = exchange, current.wantsMore, !current.parser.isDone {
            do throws(WireError) {
                guard let event = try current.parser.next(&buffer) else {
                    exchange?.parser = current.parser
                    try endResponse(current)
                    break
                }
                exchange?.parser = current.parser
                switch event {
                case .interim(let head):
                    lastRead = .now()
                    current.heads.yield(.interim(head))
                case .head(let head, let length):
                    lastRead = .now()
                    exchange?.hasHead = true
                    current.heads.yield(.final(head, length))
                    if head.status == 101 {
                        exchange?.isRaw = true
                        return parseRaw()
                    }
                case .body(let bytes): deliver(bytes)
                case .end:
                    // Before the reader knows, so that its next request finds the connection free.
                    freeIfDone()
                    current.finish(nil)
                }
            } catch {
                fail(error)
                close()
                return
            }
        }
        freeIfDone()
    }

    /// Ends a response whose parser needs more bytes, where none arrive any more.
    private func endResponse(_ current: Exchange) throws(WireError) {
        switch ending {
        case nil: return
        case .failed where !current.hasHead && !buffer.isEmpty:
            throw WireError.cut("the connection broke off within the response's head")
        case .failed(let error): fail(error)
        case .closed:
            var parser = current.parser
            _ = try parser.close(buffer)
            exchange = nil
            current.finish(nil)
        }
    }

    private func deliver(_ bytes: ByteBuffer) {
        guard let source = exchange?.body else { return }
        switch source.yield(bytes) {
        case .produceMore: break
        case .stopProducing: exchange?.wantsMore = false
        case .dropped: abandon(exchange?.number ?? 0)
        }
    }

    private func freeIfDone() {
        guard let current = exchange, current.parser.isDone, !current.isRaw else { return }
        // A response before the end of the request: the rest of the request has nowhere to go.
        guard current.isSent, current.parser.keepsConnection, !isClosed, buffer.isEmpty else {
            if current.isSent || isClosed || !current.parser.keepsConnection {
                exchange = nil
                close()
            }
            return
        }
        exchange = nil
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(in: idle) { self.closeIfIdle() }
        onFree?()
        read()
    }

    private func fail(_ error: any Error) {
        guard let current = exchange else { return }
        exchange = nil
        current.finish(error)
    }

    private func close() {
        isClosed = true
        timer?.cancel()
        timer = nil
        context?.close(promise: nil)
    }

    // MARK: Time

    private func closeIfIdle() { if exchange == nil { close() } }

    /// The bytes of the request that the origin doesn't take.
    private var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    private func startTimer() {
        timer?.cancel()
        guard let context else { return }
        let left = lastRead + timeout - .now()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: max(left, .milliseconds(1))) { self.check() }
    }

    private func check() {
        guard let current = exchange else { return }
        // The origin isn't to blame if the reader doesn't take the bytes that arrived.
        let waitsForClient = !current.wantsMore || !current.isSent && bufferedBytes == 0
        if waitsForClient || current.isRaw || ending != nil { lastRead = .now() }
        guard NIODeadline.now() - lastRead >= timeout else { return startTimer() }
        fail(
            TransportFailure(.timedOut, "the origin sent too little for \(timeout.nanoseconds / 1_000_000_000) seconds")
        )
        close()
    }
}
