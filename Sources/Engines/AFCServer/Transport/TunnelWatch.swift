internal import AFCResolver
internal import NIOCore

/// The watcher that closes a tunnel when no bytes move through it.
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

    /// Ends this direction behind all its bytes.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        context.closeOutputAfterFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    /// Lets the remaining bytes be sent and the peer close its side, once both directions have ended.
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

    /// Cuts the tunnel, which has no end of its own to wait for.
    func quiesce() { cut() }

    /// Resets the channel: neither side has ended, so neither may appear to have ended.
    func cut() { if let context { ConnectionReset.reset(context.channel) } }
}

@available(*, unavailable)
extension TunnelWatch: Sendable {}
