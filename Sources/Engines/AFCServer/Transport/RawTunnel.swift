internal import AFCResolver
internal import Logging
internal import NIOCore

/// Runs what a connection was given away to.
enum RawTunnel {
    /// Starts it in a task of its own; the channel closes when it has ended and all that it sent has left.
    ///
    /// Where it fails, the channel is reset: the peer must not take what it has for all there is.
    static func start(
        on channel: any Channel,
        watch: TunnelWatch,
        logger: Logger,
        _ run: @escaping @Sendable (RawConnection) async throws -> Void
    ) throws {
        let wrapped = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
        let loop = channel.eventLoop
        let watch = NIOLoopBound(watch, eventLoop: loop)
        let task = Task {
            do {
                try await wrapped.executeThenClose { inbound, outbound in
                    let connection = RawConnection(
                        inbound: inbound,
                        send: { try await outbound.write($0) },
                        finish: { outbound.finish() }
                    )
                    do {
                        try await run(connection)
                    } catch {
                        ConnectionReset.reset(channel)
                        throw error
                    }
                    outbound.finish()
                    loop.execute { watch.value.linger() }
                    try await channel.closeFuture.get()
                }
            } catch {
                logger.debug("tunnel ended", metadata: ["error": "\(error)"])
            }
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }
}
