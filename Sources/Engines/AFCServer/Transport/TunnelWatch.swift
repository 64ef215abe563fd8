internal import AFCResolver
internal import NIOCore

/// Closes a tunnel through which nothing moves.
final class TunnelWatch: ChannelDuplexHandler, Watched {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: LoopState
    private var context: ChannelHandlerContext?
    private var received = 0
    private var written = 0
    private var isLingering = false

    init(state: LoopState) { self.state = state }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLingering { return }
        received &+= unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written &+= unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    /// Nobody reads or writes any more: what was sent may still leave, and the peer close its side.
    func linger() {
        isLingering = true
        context?.read()
    }

    private var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    var activity: ConnectionClock.View {
        let buffered = bufferedBytes
        return ConnectionClock.View(
            answered: 0,
            sent: written &- buffered,
            received: received,
            isSending: buffered > 0,
            isReceiving: false,
            isAnswering: false,
            isLingering: isLingering,
            use: .tunnel
        )
    }

    func timeOut() { if isLingering, bufferedBytes == 0 { context?.close(promise: nil) } else { cut() } }

    /// A tunnel has no end of its own that could be waited for.
    func quiesce() { cut() }

    /// Neither side has ended, so none may look as if it had.
    func cut() { if let context { ConnectionReset.reset(context.channel) } }
}

@available(*, unavailable)
extension TunnelWatch: Sendable {}
