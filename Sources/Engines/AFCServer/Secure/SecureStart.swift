internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// The start of TLS as a server on a channel, and of the protocol that both sides negotiate (RFC 7301).
enum SecureStart {
    /// Adds TLS to the end of a channel's pipeline, or HTTP/1.1 if the client begins without TLS, as browsers do for
    /// WebSockets whose URL begins with `ws:`.
    ///
    /// - Parameters: As for ``begin(on:certificates:service:state:connection:)``.
    /// - Throws: An error if the channel is already closed.
    static func beginTunnel(
        on channel: any Channel,
        certificates: any CertificateProviding,
        service: Serving,
        state: LoopState,
        connection: ConnectionContext
    ) throws {
        let watch = HandshakeWatch(state: state)
        let first = FirstByte { isTLS in
            if isTLS {
                try begin(
                    on: channel,
                    certificates: certificates,
                    service: service,
                    state: state,
                    connection: connection
                )
            } else {
                var connection = connection
                connection.isSecure = false
                try HTTP1Connection.add(to: channel, service: service, state: state, connection: connection)
            }
            watch.end()
        }
        try channel.pipeline.syncOperations.addHandlers([first, watch])
    }

    /// Adds TLS to the end of a channel's pipeline.
    ///
    /// The client's hello is read first, since the name in it selects the certificate.
    ///
    /// - Parameters:
    ///   - channel: The channel, from its own loop.
    ///   - certificates: The provider of the certificate.
    ///   - service: The state that all connections share.
    ///   - state: The state that this loop's connections share.
    ///   - connection: The connection's context.
    /// - Throws: An error if the channel is already closed.
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
            // Otherwise the handler that reads the hello would wait forever.
            ready.whenFailure { error in
                service.logger.debug("cannot start TLS", metadata: ["name": "\(name ?? "")", "error": "\(error)"])
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

/// The handler that waits for the first byte of a tunnel, which tells whether the client begins with TLS.
private final class FirstByte: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The type of a TLS record with a handshake message (RFC 8446 §5.1).
    private static let handshake: UInt8 = 22

    private let start: (Bool) throws -> Void
    private var isStarted = false

    init(start: @escaping (Bool) throws -> Void) { self.start = start }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if !isStarted, let first = bytes.readableBytesView.first {
            isStarted = true
            do {
                try start(first == Self.handshake)
            } catch {
                return context.close(promise: nil)
            }
            context.fireChannelRead(wrapInboundOut(bytes))
            _ = context.pipeline.syncOperations.removeHandler(self)
            return
        }
        context.fireChannelRead(wrapInboundOut(bytes))
    }
}

@available(*, unavailable)
extension FirstByte: Sendable {}

/// The watcher that ends connections whose handshake is too slow or fails.
final class HandshakeWatch: ChannelInboundHandler, Watched {
    typealias InboundIn = NIOAny

    private let state: LoopState
    private var context: ChannelHandlerContext?
    private var isOver = false

    init(state: LoopState) { self.state = state }

    /// Ends the watch after the handshake; the next handler watches from then on.
    func end() {
        isOver = true
        state.remove(self)
    }

    /// Closes the connection: there is no certificate for the name, or the client broke off.
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

    /// The connection's activity, which is constant, so that traffic during the handshake doesn't extend its time.
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
