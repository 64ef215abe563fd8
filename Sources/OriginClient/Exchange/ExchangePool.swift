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
    package func begin(_ request: ByteBuffer) async throws -> ResponsePiece {
        try await waiting { $0.begin(request, $1) }
    }

    /// Waits for what comes next of the response.
    ///
    /// - Returns: What came.
    /// - Throws: As ``begin(_:)``.
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
/// It bounds nothing: how many requests run at once is for its user to say. A task that runs on one of ``executors`` gets
/// connections of the same thread where it can, so that an answer wakes it without another thread.
package final class ExchangePool: Sendable {
    /// How connections come about, and how long they stay.
    package struct Options: Sendable {
        /// How long a connection may take to come about.
        package var connectTimeout: TimeAmount
        /// In what time a head must come, and at least a KiB of a body.
        package var readTimeout: TimeAmount
        /// How long a connection is kept without a request.
        package var idleTimeout: TimeAmount

        /// Creates options.
        package init(connectTimeout: TimeAmount, readTimeout: TimeAmount, idleTimeout: TimeAmount) {
            self.connectTimeout = connectTimeout
            self.readTimeout = readTimeout
            self.idleTimeout = idleTimeout
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
        var isClosed = false

        /// A free connection: of a loop, if there is one.
        mutating func take(_ origin: Origin, of loop: (any EventLoop)?) -> ExchangeConnection? {
            guard let loop, let near = free[origin]?.lastIndex(where: { $0.channel.eventLoop === loop }) else {
                return free[origin]?.popLast()
            }
            return free[origin]?.remove(at: near)
        }
    }

    /// The threads of the connections.
    package let executors = MultiThreadedEventLoopGroup.singleton.makeIterator().map { LoopExecutor($0) }

    private let options: Options
    private let state = Mutex(State())

    /// Creates a pool without connections.
    package init(_ options: Options) { self.options = options }

    /// Gives a connection that is free, or makes one.
    ///
    /// - Parameters:
    ///   - host: A name, or an address without brackets.
    ///   - port: The port.
    ///   - admits: Whether a connection to an address is used, or nil for all.
    /// - Returns: The connection; after a whole response it comes back by itself.
    /// - Throws: ``UnadmittedPeer``, or what the network says.
    package func connection(
        to host: String,
        port: UInt16,
        admits: (@Sendable (SocketAddress) -> Bool)? = nil
    ) async throws -> ExchangeConnection {
        let origin = Origin(host: host, port: port, isGuarded: admits != nil)
        let loop = MultiThreadedEventLoopGroup.currentEventLoop
        while let free = state.withLock({ $0.take(origin, of: loop) }) {
            guard free.channel.isActive else { continue }
            if loop.map({ free.channel.eventLoop === $0 }) ?? true { return free }
            // Each answer over it would have to change threads; one of this thread's takes its place.
            free.close()
            break
        }
        let connection = try await connect(origin, on: loop)
        if let admits, !(connection.channel.remoteAddress.map(admits) ?? false) {
            connection.close()
            throw UnadmittedPeer()
        }
        return connection
    }

    private func connect(_ origin: Origin, on loop: (any EventLoop)?) async throws -> ExchangeConnection {
        let options = options
        return try await ClientBootstrap(group: loop ?? MultiThreadedEventLoopGroup.singleton)
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
        state.withLock { $0.free[origin, default: []].append(connection) }
    }

    private func forget(_ connection: ExchangeConnection, _ origin: Origin) {
        state.withLock { state in
            state.open[connection.id] = nil
            state.free[origin]?.removeAll { $0.id == connection.id }
            if state.free[origin]?.isEmpty ?? false { state.free[origin] = nil }
        }
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
