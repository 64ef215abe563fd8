internal import AFCResolver
internal import NIOCore

/// Closes a tunnel through which nothing moves.
final class TunnelWatch: ChannelDuplexHandler, Watched {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: LoopState
    private let limits: OfflineServer.Configuration.Limits
    private var context: ChannelHandlerContext?
    private var received = 0
    private var written = 0
    private var last = -1
    private var since = NIODeadline.now()
    private var isLingering = false

    init(state: LoopState, limits: OfflineServer.Configuration.Limits) {
        self.state = state
        self.limits = limits
    }

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
        since = .now()
        context?.read()
    }

    func check(_ now: NIODeadline) {
        guard let context else { return }
        let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let moved = received &+ written &- buffered
        guard moved == last else {
            last = moved
            since = now
            return
        }
        guard isLingering, buffered == 0 else {
            if since + limits.tunnelTimeout <= now { cut() }
            return
        }
        if since + limits.lingerTimeout <= now { context.close(promise: nil) }
    }

    /// A quiet tunnel may be in use all the same, so it gives way later than other connections.
    func idleSince(_ now: NIODeadline) -> NIODeadline? {
        check(now)
        return since + limits.idleTimeout <= now ? since : nil
    }

    /// A tunnel has no end of its own that could be waited for.
    func quiesce() { cut() }

    /// Neither side has ended, so none may look as if it had.
    func cut() { if let context { ConnectionReset.reset(context.channel) } }
}

@available(*, unavailable)
extension TunnelWatch: Sendable {}
