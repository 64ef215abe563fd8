internal import Logging
internal import NIOCore

/// Accepts no more connections than may be open at a time; more wait in the system's queue.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private let logger: Logger
    private var lastComplaint: NIODeadline?
    private var open = 0
    private var isHeld = false

    init(limit: Int, logger: Logger) {
        self.limit = limit
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = context.loopBound
        let loop = context.eventLoop
        unwrapInboundIn(data).closeFuture.whenComplete { _ in
            loop.execute { handler.value.closed(bound.value) }
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard open < limit else {
            isHeld = true
            return
        }
        context.read()
    }

    /// A single connection that can't be accepted, for want of descriptors for example, is no reason to stop.
    ///
    /// The log tells of it once in ten seconds, since the next attempt may fail at once.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let now = NIODeadline.now()
        if let lastComplaint, lastComplaint + .seconds(10) > now { return }
        lastComplaint = now
        logger.error("cannot accept a connection", metadata: ["error": "\(error)"])
    }

    private func closed(_ context: ChannelHandlerContext) {
        open -= 1
        guard isHeld, open < limit else { return }
        isHeld = false
        context.read()
    }
}

@available(*, unavailable)
extension AcceptGate: Sendable {}
