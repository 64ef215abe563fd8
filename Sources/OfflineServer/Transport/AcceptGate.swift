internal import NIOCore

/// Accepts no more connections than may be open at a time; more wait in the system's queue.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private var open = 0
    private var isHeld = false

    init(limit: Int) { self.limit = limit }

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
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    private func closed(_ context: ChannelHandlerContext) {
        open -= 1
        guard isHeld, open < limit else { return }
        isHeld = false
        context.read()
    }
}

@available(*, unavailable)
extension AcceptGate: Sendable {}
