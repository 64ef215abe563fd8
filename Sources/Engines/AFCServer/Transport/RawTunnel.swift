internal import AFCResolver
internal import Logging
internal import NIOCore

/// The new use of a connection that was handed over, run in a task.
enum RawTunnel {
    /// Starts the task; the channel closes when the task has ended and all its bytes are sent.
    ///
    /// If the task fails, the channel is reset, so that the peer doesn't take what it received for complete.
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
