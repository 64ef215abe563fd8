internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Begins TLS as a server on a channel, and then the protocol that both sides speak (RFC 7301).
enum SecureStart {
    /// Puts TLS at the end of a channel's pipeline.
    ///
    /// The client's hello is read first, since its name decides on the certificate.
    ///
    /// - Parameters:
    ///   - channel: The channel, from its own loop.
    ///   - certificates: Chooses the certificate.
    ///   - service: What connections share.
    ///   - state: What those of this loop share.
    ///   - connection: What is known of the connection already.
    /// - Throws: Where the channel is closed already.
    static func begin(
        on channel: any Channel,
        certificates: any CertificateProviding,
        service: Serving,
        state: LoopState,
        connection: ConnectionContext
    ) throws {
        let watch = HandshakeWatch(state: state)
        let bound = NIOLoopBound((state, watch), eventLoop: channel.eventLoop)
        let hello = SNIHandler { result in
            let name: String? = if case .hostname(let name) = result { name } else { nil }
            let promise = channel.eventLoop.makePromise(of: NIOSSLContext.self)
            promise.completeWithTask {
                try service.secureContexts.context(for: try await certificates.certificate(for: name))
            }
            let ready = promise.futureResult.flatMapThrowing { context in
                let (state, watch) = bound.value
                var connection = connection
                connection.isSecure = true
                connection.serverName = name
                try channel.pipeline.syncOperations.addHandlers(
                    [
                        NIOSSLServerHandler(context: context),
                        negotiation(service: service, state: state, watch: watch, connection: connection),
                    ],
                    position: .before(watch)
                )
            }
            // The handler that reads the hello waits for ever otherwise.
            ready.whenFailure { error in
                service.logger.debug("no TLS", metadata: ["name": "\(name ?? "")", "error": "\(error)"])
                channel.close(promise: nil)
            }
            return ready
        }
        try channel.pipeline.syncOperations.addHandlers([ByteToMessageHandler(hello), watch])
    }

    private static func negotiation(
        service: Serving,
        state: LoopState,
        watch: HandshakeWatch,
        connection: ConnectionContext
    ) -> any ChannelHandler {
        let bound = NIOLoopBound((state, watch), eventLoop: state.loop)
        return NIOTypedApplicationProtocolNegotiationHandler<Void> { result, channel in
            channel.eventLoop.makeCompletedFuture {
                let (state, watch) = bound.value
                if case .negotiated("h2") = result {
                    try HTTP2Connection.add(to: channel, service: service, state: state, connection: connection)
                } else {
                    try HTTP1Connection.add(to: channel, service: service, state: state, connection: connection)
                }
                watch.end()
            }
        }
    }
}

/// Ends connections that don't finish their handshake in time, or break it.
final class HandshakeWatch: ChannelInboundHandler, Watched {
    typealias InboundIn = NIOAny

    private let state: LoopState
    private var context: ChannelHandlerContext?
    private var isOver = false

    init(state: LoopState) { self.state = state }

    /// The handshake is over; whoever comes next watches.
    func end() {
        isOver = true
        state.remove(self)
    }

    /// No certificate for the name, or a client that breaks off.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isOver { context.fireErrorCaught(error) } else { context.close(promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    /// Nothing that moves during the handshake gives it more time.
    var activity: ConnectionClock.View {
        ConnectionClock.View(
            answered: 0,
            sent: 0,
            received: 0,
            isSending: false,
            isReceiving: false,
            isAnswering: false,
            isLingering: false,
            use: .idle
        )
    }

    func quiesce() { cut() }

    func cut() { context?.close(promise: nil) }
}

@available(*, unavailable)
extension HandshakeWatch: Sendable {}
