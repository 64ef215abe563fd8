internal import NIOCore
internal import NIOHTTP1

/// A part of a response whose body is bytes in memory.
typealias ResponsePart = HTTPPart<HTTPResponseHead, ByteBuffer>

/// Closes connections that do nothing, ask too slowly, take too slowly or don't go away.
///
/// The time for a request's head counts from the end of the answer before it, so that a byte now and then doesn't keep
/// a connection open.
///
/// The end of an answer is held back until all before it is sent: from the end on NIO's pipeline takes a connection for idle,
/// and closes it when the server shuts down, with what a slow client has not taken yet.
final class ConnectionTimeouts: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        /// No answer is due: idle, or a head is arriving.
        case waiting
        /// An answer is due or on its way.
        case answering
        /// This side is closed.
        case lingering
    }

    private let idle: TimeAmount
    private let stall: TimeAmount
    private let linger: TimeAmount
    private var phase = Phase.waiting
    private var since = NIODeadline.now()
    private var timer: Scheduled<Void>?
    /// Writes that have not left for the socket.
    private var unsent = 0
    private var heldEnd: (part: HTTPServerResponsePart, promise: EventLoopPromise<Void>?)?
    private var heldClose: EventLoopPromise<Void>?

    init(idle: TimeAmount, stall: TimeAmount, linger: TimeAmount) {
        self.idle = idle
        self.stall = stall
        self.linger = linger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { enter(.waiting, context: context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(.waiting, context: context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { enter(.answering, context: context) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): forward(.head(head), promise: promise, context: context)
        case .body(let bytes): forward(.body(.byteBuffer(bytes)), promise: promise, context: context)
        case .end(let trailers):
            if unsent == 0 {
                forward(.end(trailers), promise: promise, context: context)
            } else {
                heldEnd = (.end(trailers), promise)
            }
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            heldEnd?.promise?.fail(ChannelError.ioOnClosedChannel)
            heldEnd = nil
            heldClose?.fail(ChannelError.ioOnClosedChannel)
            heldClose = nil
            context.close(mode: mode, promise: promise)
            return
        }
        let promise = promise ?? context.eventLoop.makePromise()
        if heldEnd == nil { closeOutput(promise: promise, context: context) } else { heldClose = promise }
    }

    private func closeOutput(promise: EventLoopPromise<Void>, context: ChannelHandlerContext) {
        let bound = context.loopBound
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        // Fulfilled when everything before it is sent.
        promise.futureResult.whenSuccess { handler.value.enter(.lingering, context: bound.value) }
        context.close(mode: .output, promise: promise)
    }

    private func forward(
        _ part: HTTPServerResponsePart,
        promise: EventLoopPromise<Void>?,
        context: ChannelHandlerContext
    ) {
        let promise = promise ?? context.eventLoop.makePromise()
        let bound = context.loopBound
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let isEnd = if case .end = part { true } else { false }
        unsent += 1
        promise.futureResult.whenSuccess { handler.value.sent(isEnd: isEnd, context: bound.value) }
        context.write(wrapOutboundOut(part), promise: promise)
    }

    /// What was written has left for the socket: the client takes it.
    private func sent(isEnd: Bool, context: ChannelHandlerContext) {
        unsent -= 1
        if phase == .answering { enter(isEnd ? .waiting : .answering, context: context) }
        guard unsent == 0, let (end, promise) = heldEnd else { return }
        heldEnd = nil
        forward(end, promise: promise, context: context)
        context.flush()
        guard let close = heldClose else { return }
        heldClose = nil
        closeOutput(promise: close, context: context)
    }

    private func enter(_ phase: Phase, context: ChannelHandlerContext) {
        let changes = phase != self.phase
        self.phase = phase
        since = .now()
        guard changes || timer == nil else { return }
        timer?.cancel()
        schedule(context: context)
    }

    private var deadline: NIODeadline {
        switch phase {
        case .waiting: since + idle
        case .answering: since + stall
        case .lingering: since + linger
        }
    }

    private func schedule(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let bound = context.loopBound
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: deadline) { handler.value.fire(context: bound.value) }
    }

    private func fire(context: ChannelHandlerContext) {
        timer = nil
        if deadline <= .now() { context.close(promise: nil) } else { schedule(context: context) }
    }
}

@available(*, unavailable)
extension ConnectionTimeouts: Sendable {}
