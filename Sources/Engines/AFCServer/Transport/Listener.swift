internal import AFCText
internal import Logging
internal import NIOCore
internal import NIOPosix

/// The sockets that accept connections, and the event loops of those connections.
final class Listener: Sendable {
    private let channels: [any Channel]
    /// The number of sockets for the server's own pages; those of sites follow.
    private let ownCount: Int
    private let loops: [Loop]
    private let room: ConnectionRoom

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers requests.
    ///   - configuration: The addresses and the limits.
    ///   - logger: The logger for errors.
    /// - Throws: An error if the system refuses, ``ServerError`` if the process may open too few files.
    init(_ responder: any Responding, configuration: Server.Configuration, logger: Logger) async throws {
        let limit = try OpenFiles.connectionLimit(
            asked: configuration.connectionLimit,
            listening: configuration.sitePorts?.range.count ?? 0
        )
        let group = MultiThreadedEventLoopGroup.singleton
        let room = ConnectionRoom(limit: limit, logger: logger)
        var states: [ObjectIdentifier: NIOLoopBound<LoopState>] = [:]
        var loops: [Loop] = []
        for loop in group.makeIterator() {
            let state = try await loop.submit {
                let state = LoopState(
                    loop: loop,
                    limits: configuration.limits,
                    room: room
                )
                return NIOLoopBound(state, eventLoop: loop)
            }.get()
            states[ObjectIdentifier(loop)] = state
            loops.append(Loop(loop: loop, state: state))
        }
        let known = states
        let service = Serving(responder: responder, configuration: configuration, loops: loops, logger: logger)
        self.loops = loops
        self.room = room
        ownCount = max(1, configuration.sockets.count)
        room.begin(loops)
        let certificates = configuration.certificates
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // The gate is asked before each one.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptGate(room: room, logger: logger))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let state = known[ObjectIdentifier(channel.eventLoop)]?.value else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    try Self.start(channel, state, certificates: certificates, service: service)
                }
            }
        do {
            channels = try await Self.channels(bootstrap, configuration)
            configuration.sitePorts?.mainPort = channels.first?.localAddress?.port.flatMap { UInt16(exactly: $0) }
        } catch {
            // The room and the loops' states hold each other.
            room.begin([])
            throw error
        }
    }

    /// Opens the sockets that accept connections: those that are given, or else one at the configured address.
    private static func channels(
        _ bootstrap: ServerBootstrap,
        _ configuration: Server.Configuration
    ) async throws -> [any Channel] {
        var channels: [any Channel] = []
        func bind(_ port: UInt16, _ remedy: Remedy = .choosePort) async throws {
            do {
                let channel = try await bootstrap.bind(host: configuration.bareHost, port: Int(port)).get()
                channels.append(channel)
            } catch let error as IOError {
                throw ServerError(error, address: .init(host: configuration.bareHost, port: port), remedy: remedy)
            }
        }
        do {
            for socket in configuration.sockets { channels.append(try await bootstrap.withBoundSocket(socket).get()) }
            if channels.isEmpty { try await bind(configuration.port) }
            for port in configuration.sitePorts?.range ?? 0...0 where port > 0 {
                try await bind(port, .chooseSitePorts)
            }
        } catch {
            for channel in channels { channel.close(promise: nil) }
            throw error
        }
        return channels
    }

    /// Sets up an accepted socket as a connection; on failure, the log says why the client was turned away.
    private static func start(
        _ channel: any Channel,
        _ state: LoopState,
        certificates: (any CertificateProviding)?,
        service: Serving
    ) throws {
        do {
            try setOptions(of: channel, service: service)
            try addHandlers(to: channel, state, certificates: certificates, service: service)
        } catch ChannelError.ioOnClosedChannel {
            // The client has already disconnected.
            throw ChannelError.ioOnClosedChannel
        } catch {
            var metadata: Logger.Metadata = ["error": "\(error)"]
            if let client = channel.remoteAddress?.ipAddress { metadata["client"] = "\(client)" }
            service.logger.error("cannot set up a connection", metadata: metadata)
            throw error
        }
    }

    private static func setOptions(of channel: any Channel, service: Serving) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.allowRemoteHalfClosure, value: true)
        try options.setOption(.maxMessagesPerRead, value: 1)
        do {
            // Everything written is ready to be sent. Sockets other than TCP ignore this option.
            try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
        } catch let error as IOError {
            // Without the option answers are correct, but may be delayed.
            service.logger.debug("cannot set TCP_NODELAY", metadata: ["error": "\(error)"])
        }
    }

    private static func addHandlers(
        to channel: any Channel,
        _ state: LoopState,
        certificates: (any CertificateProviding)?,
        service: Serving
    ) throws {
        let connection = ConnectionContext()
        if let certificates {
            try SecureStart.begin(
                on: channel,
                certificates: AddressedCertificates(base: certificates, host: channel.localAddress?.ipAddress),
                service: service,
                state: state,
                connection: connection
            )
        } else if service.limits.assumesHTTP2 {
            try HTTP2Connection.add(to: channel, service: service, state: state, connection: connection)
        } else {
            try HTTP1Connection.add(to: channel, service: service, state: state, connection: connection)
        }
    }

    /// The addresses of the sockets for the server's own pages.
    var localAddresses: [SocketAddress?] { channels.prefix(ownCount).map(\.localAddress) }

    /// Waits until the sockets are closed and all connections have ended.
    func waitUntilEnded() async {
        // Only the close matters, not its result.
        for channel in channels { try? await channel.closeFuture.get() }
        for part in loops {
            try? await part.loop.flatSubmit { part.state.value.quiesce(atOnce: false) }.get()
        }
        room.begin([])
    }

    /// Stops listening.
    ///
    /// - Parameter atOnce: True to cut off answers in progress.
    func stop(atOnce: Bool) {
        for channel in channels { channel.close(promise: nil) }
        for part in loops {
            part.loop.execute { _ = part.state.value.quiesce(atOnce: atOnce) }
        }
    }
}
