internal import Logging
internal import NIOCore

/// A gate that accepts connections at a socket only while there is room; others wait in the system's queue.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let room: ConnectionRoom
    private let logger: Logger
    private var lastComplaint: NIODeadline?
    private var isHeld = false

    init(room: ConnectionRoom, logger: Logger) {
        self.room = room
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let room = room
        let isFull = room.enter()
        unwrapInboundIn(data).closeFuture.whenComplete { _ in room.leave() }
        context.fireChannelRead(data)
        if isFull { room.makeRoom() }
    }

    func read(context: ChannelHandlerContext) {
        guard !isHeld else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = context.loopBound
        let loop = context.eventLoop
        guard room.hasRoom(orLater: { loop.execute { handler.value.readOn(bound.value) } }) else {
            isHeld = true
            return
        }
        context.read()
    }

    /// Logs a connection that can't be accepted, for example for lack of descriptors, and keeps accepting.
    ///
    /// It logs at most once in ten seconds, since the next attempt may fail at once.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let now = NIODeadline.now()
        if let lastComplaint, lastComplaint + .seconds(10) > now { return }
        lastComplaint = now
        logger.error("cannot accept a connection", metadata: ["error": "\(error)"])
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard isHeld, context.channel.isActive else { return }
        isHeld = false
        read(context: context)
    }
}

@available(*, unavailable)
extension AcceptGate: Sendable {}
