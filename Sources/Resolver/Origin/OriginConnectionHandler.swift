internal import HTTPTypes
internal import NIOCore
internal import OriginClient

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
    private var isClosed = false
    private var isReading = false

    init(limits: WireLimits, timeout: TimeAmount, idle: TimeAmount) {
        self.limits = limits
        self.timeout = timeout
        self.idle = idle
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(WireError.closed)
        self.context = nil
        onFree = nil
        timer?.cancel()
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
        heads: AsyncThrowingStream<OriginHead, any Error>.Continuation,
        body: OriginBody.Source
    ) {
        guard !isClosed else {
            heads.finish(throwing: WireError.closed)
            body.finish()
            return
        }
        exchange = Exchange(
            number: number,
            parser: ResponseParser(method: method, limits: limits),
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
        guard let context, !isReading, exchange?.wantsMore ?? true else { return }
        isReading = true
        context.read()
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = unwrapInboundIn(data)
        lastRead = .now()
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
        // The origin has closed its side of a connection that isn't HTTP: this side may go on.
        if case ChannelEvent.inputClosed = event {
            if let current = exchange, current.isRaw {
                current.finish(nil)
            } else {
                close()
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        parse()
        if let current = exchange, current.isRaw {
            exchange = nil
            current.finish(nil)
        }
        if var current = exchange {
            do throws(WireError) {
                _ = try current.parser.close()
                exchange = nil
                current.finish(nil)
            } catch {
                fail(error)
            }
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    private func parse() {
        if let current = exchange, current.isRaw {
            guard current.wantsMore, !buffer.isEmpty else { return }
            let bytes = buffer
            buffer = ByteBuffer()
            return deliver(bytes)
        }
        while var current = exchange, current.wantsMore, !current.parser.isDone {
            do throws(WireError) {
                guard let event = try current.parser.next(&buffer) else {
                    exchange?.parser = current.parser
                    break
                }
                exchange?.parser = current.parser
                switch event {
                case .interim(let head): current.heads.yield(.interim(head))
                case .head(let head, let length):
                    current.heads.yield(.final(head, length))
                    if head.status == 101 {
                        exchange?.isRaw = true
                        return parse()
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
            if current.isSent || !current.parser.keepsConnection {
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

    private func startTimer() {
        timer?.cancel()
        guard let context else { return }
        let left = lastRead + timeout - .now()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: max(left, .milliseconds(1))) { self.check() }
    }

    private func check() {
        guard let current = exchange else { return }
        // Whoever doesn't take what is there isn't the origin's fault.
        if !current.wantsMore || current.isRaw { lastRead = .now() }
        guard NIODeadline.now() - lastRead >= timeout else { return startTimer() }
        fail(TransportFailure(.timedOut, "the origin sent nothing for \(timeout.nanoseconds / 1_000_000_000) seconds"))
        close()
    }
}
