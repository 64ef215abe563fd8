internal import Logging
internal import NIOCore

/// Runs what a connection was given away to.
enum RawTunnel {
    /// Starts it in a task of its own; the channel closes when it ends.
    static func start(
        on channel: any Channel,
        logger: Logger,
        _ run: @escaping @Sendable (RawConnection) async throws -> Void
    ) throws {
        let wrapped = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
        let task = Task {
            do {
                try await wrapped.executeThenClose { inbound, outbound in
                    let connection = RawConnection(
                        inbound: inbound,
                        send: { try await outbound.write($0) },
                        finish: { outbound.finish() }
                    )
                    try await run(connection)
                }
            } catch {
                logger.debug("tunnel ended", metadata: ["error": "\(error)"])
            }
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }
}

/// Closes a tunnel through which nothing moves.
final class TunnelWatch: ChannelDuplexHandler, Watched {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: LoopState
    private let limits: OfflineServer.Configuration.Limits
    private var context: ChannelHandlerContext?
    private var moved = 0
    private var last = -1
    private var since = NIODeadline.now()

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
        moved &+= 1
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        moved &+= 1
        context.write(data, promise: promise)
    }

    func check(_ now: NIODeadline) {
        if moved != last {
            last = moved
            since = now
        } else if since + limits.tunnelTimeout <= now {
            cut()
        }
    }

    /// A tunnel has no end of its own that could be waited for.
    func quiesce() { cut() }

    func cut() { context?.close(promise: nil) }
}

@available(*, unavailable)
extension TunnelWatch: Sendable {}
