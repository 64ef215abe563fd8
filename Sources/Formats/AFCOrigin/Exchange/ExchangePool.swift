package import NIOCore
internal import NIOPosix
internal import Synchronization

/// A connection to an origin, as it looks from tasks.
package struct ExchangeConnection: Sendable {
    let channel: any Channel
    private let handler: NIOLoopBound<ExchangeHandler>

    init(channel: any Channel, handler: ExchangeHandler) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Sends a request and waits for the beginning of its response, or for all of one that is small.
    ///
    /// - Parameter request: The head of a request without a body, asking with GET.
    /// - Returns: What came.
    /// - Throws: ``WireError``, ``ExchangeFailure``, or what the network says.
    func begin(_ request: ByteBuffer) async throws -> ResponsePiece {
        try await waiting { $0.begin(request, $1) }
    }

    /// Waits for what comes next of the response.
    ///
    /// - Returns: What came.
    /// - Throws: ``WireError``, ``ExchangeFailure``, or what the network says.
    package func more() async throws -> ResponsePiece { try await waiting { $0.more($1) } }

    /// Ends the connection, and with it what is under way.
    package func close() { channel.close(promise: nil) }

    private func waiting(
        _ start: @escaping @Sendable (ExchangeHandler, ExchangeHandler.Waiter) -> Void
    ) async throws -> ResponsePiece {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let handler = handler
                if channel.eventLoop.inEventLoop { return start(handler.value, continuation) }
                channel.eventLoop.execute { start(handler.value, continuation) }
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Connections to origins over TCP, for requests that want nothing of a client but one response: no proxy, no TLS.
///
/// Of each host so many connections are in use at once as its user says; who asks for more waits until one is free. All are on
/// one thread, and there requests begin, however busy the other threads are: no connection idles while a request waits.
package final class ExchangePool: Sendable {
    /// How connections come about, and how long they stay.
    package struct Options: Sendable {
        /// How long a connection may take to come about.
        package var connectTimeout: TimeAmount
        /// In what time a head must come, and at least a KiB of a body.
        package var readTimeout: TimeAmount
        /// How long a connection is kept without a request.
        package var idleTimeout: TimeAmount
        /// How many connections to one host are in use at once.
        package var connectionsPerHost: Int

        /// Creates options.
        package init(
            connectTimeout: TimeAmount,
            readTimeout: TimeAmount,
            idleTimeout: TimeAmount,
            connectionsPerHost: Int
        ) {
            self.connectTimeout = connectTimeout
            self.readTimeout = readTimeout
            self.idleTimeout = idleTimeout
            self.connectionsPerHost = connectionsPerHost
        }
    }

    private struct Origin: Hashable {
        var host: String
        var port: UInt16
        var isGuarded: Bool
    }

    private struct State {
        var free: [Origin: [ExchangeConnection]] = [:]
        var open: [ObjectIdentifier: ExchangeConnection] = [:]
        /// The connections that somebody has.
        var busy: Set<ObjectIdentifier> = []
        var isClosed = false
    }

    /// The thread of the connections, where an answer wakes its task without another thread.
    package let executor: any TaskExecutor

    private let loop: any EventLoop
    private let options: Options
    private let slots: ConnectionSlots
    private let state = Mutex(State())

    /// Creates a pool without connections.
    package init(_ options: Options) {
        self.options = options
        loop = MultiThreadedEventLoopGroup.singleton.next()
        executor = LoopExecutor(loop)
        slots = ConnectionSlots(limit: options.connectionsPerHost)
    }

    /// Sends a request over a connection that is free, or over a new one, once there may be one more.
    ///
    /// - Parameters:
    ///   - request: The head of a request without a body, asking with GET.
    ///   - host: A name, or an address without brackets.
    ///   - port: The port.
    ///   - admits: Whether a connection to an address is used, or nil for all.
    /// - Returns: The connection, which after a whole response is free again by itself; and the beginning of the response, or
    ///   all of one that is small.
    /// - Throws: ``UnadmittedPeer``, ``WireError``, ``ExchangeFailure``, or what the network says.
    package func begin(
        _ request: ByteBuffer,
        to host: String,
        port: UInt16,
        admits: (@Sendable (SocketAddress) -> Bool)? = nil
    ) async throws -> (ExchangeConnection, ResponsePiece) {
        guard loop.inEventLoop else {
            return try await withTaskExecutorPreference(executor) {
                try await beginHere(request, to: host, port: port, admits: admits)
            }
        }
        return try await beginHere(request, to: host, port: port, admits: admits)
    }

    private func beginHere(
        _ request: ByteBuffer,
        to host: String,
        port: UInt16,
        admits: (@Sendable (SocketAddress) -> Bool)?
    ) async throws -> (ExchangeConnection, ResponsePiece) {
        let connection = try await connection(to: host, port: port, admits: admits)
        do {
            return (connection, try await connection.begin(request))
        } catch {
            connection.close()
            throw error
        }
    }

    /// Gives a connection that is free, or makes one.
    private func connection(
        to host: String,
        port: UInt16,
        admits: (@Sendable (SocketAddress) -> Bool)?
    ) async throws -> ExchangeConnection {
        try await slots.take(host)
        do {
            let connection = try await freeConnection(Origin(host: host, port: port, isGuarded: admits != nil), admits)
            // From here on its slot is given back with it, unless it has ended meanwhile.
            let isOpen = state.withLock { $0.open[connection.id] != nil && $0.busy.insert(connection.id).inserted }
            guard isOpen else { throw ExchangeFailure.closed }
            return connection
        } catch {
            slots.give(host)
            throw error
        }
    }

    private func freeConnection(
        _ origin: Origin,
        _ admits: (@Sendable (SocketAddress) -> Bool)?
    ) async throws -> ExchangeConnection {
        while let free = state.withLock({ $0.free[origin]?.popLast() }) {
            if free.channel.isActive { return free }
        }
        let connection = try await connect(origin)
        if let admits, !(connection.channel.remoteAddress.map(admits) ?? false) {
            connection.close()
            throw UnadmittedPeer()
        }
        return connection
    }

    private func connect(_ origin: Origin) async throws -> ExchangeConnection {
        let options = options
        return try await ClientBootstrap(group: loop)
            .connectTimeout(options.connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: origin.host, port: Int(origin.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = ExchangeHandler(patience: options.readTimeout, idle: options.idleTimeout)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    let connection = ExchangeConnection(channel: channel, handler: handler)
                    handler.onChange = { isFree in
                        if isFree { self.free(connection, origin) } else { self.forget(connection, origin) }
                    }
                    self.remember(connection)
                    return connection
                }
            }
    }

    private func remember(_ connection: ExchangeConnection) {
        let isClosed = state.withLock { state in
            state.open[connection.id] = connection
            return state.isClosed
        }
        if isClosed { connection.close() }
    }

    private func free(_ connection: ExchangeConnection, _ origin: Origin) {
        let wasBusy = state.withLock { state in
            state.free[origin, default: []].append(connection)
            return state.busy.remove(connection.id) != nil
        }
        if wasBusy { slots.give(origin.host) }
    }

    private func forget(_ connection: ExchangeConnection, _ origin: Origin) {
        let wasBusy = state.withLock { state in
            state.open[connection.id] = nil
            state.free[origin]?.removeAll { $0.id == connection.id }
            if state.free[origin]?.isEmpty ?? false { state.free[origin] = nil }
            return state.busy.remove(connection.id) != nil
        }
        if wasBusy { slots.give(origin.host) }
    }

    /// Closes all connections, and what is under way with them.
    ///
    /// - Throws: What closing says.
    package func shutDown() async throws {
        let connections = state.withLock { state in
            state.isClosed = true
            state.free = [:]
            return Array(state.open.values)
        }
        for connection in connections {
            connection.close()
            try await connection.channel.closeFuture.get()
        }
    }
}
