internal import AFCBlocking
internal import AFCCredentials
internal import AFCPlatform
internal import AFCURL
package import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The error for an established connection whose address this client doesn't admit.
package struct UnadmittedPeer: Error {
    /// Creates the error.
    package init() {}
}

/// The error for a host without an address that accepts connections.
package struct Unreachable: Error {
    /// The error of the last address.
    package let cause: any Error
}

/// A pool of connections to origins over TCP and TLS, for HTTP/1.1 and HTTP/2, through a proxy or directly.
///
/// The number of exchanges with one origin, and of all, at a time is limited; others wait until one is over. Redirects
/// aren't followed, and content codings are kept.
package final class OriginPool: Sendable {
    /// The limits and options of connections and exchanges.
    package struct Options: Sendable {
        /// The time in which a connection must be established.
        package var connectTimeout: TimeAmount
        /// The time for TLS, and for a proxy's answer to CONNECT; nil for the same as the connection.
        package var handshakeTimeout: TimeAmount?
        /// The time in which a head must arrive, and then, over and over, at least ``leastBytes`` of the body.
        package var readTimeout: TimeAmount
        /// The fewest bytes of a body that must arrive in that time.
        package var leastBytes = 1024
        /// The time for which a connection is kept without a request.
        package var idleTimeout: TimeAmount
        /// The most exchanges with one origin at a time.
        package var connectionsPerOrigin: Int
        /// The most exchanges at a time, and of connections that are kept for others; each needs a descriptor.
        package var connections = OriginPool.fittingConnections
        /// The longest wait for one of these, or nil for any.
        package var queueTimeout: TimeAmount?
        /// True to wake the reader for all bytes and interim responses, as forwarding needs it;
        /// otherwise it is woken for large pieces, and once for a small response.
        package var isEager = false
        /// True to use HTTP/2 if a server offers it over TLS (RFC 7301).
        package var usesHTTP2 = false
        /// The most servers of which the pool remembers that they speak HTTP/1.1 only.
        package var rememberedServers = 1024
        /// The proxies that forward requests.
        package var proxies = ProxyRules()
        /// Names that mean this machine, besides those below `localhost`, which browsers know but not every system's
        /// resolver (RFC 6761 §6.3).
        package var localNames: Set<String> = []
        /// A closure that returns the addresses to connect to for a host, or nil to use the system's resolver, as for
        /// proxies.
        package var addresses: (@Sendable (_ host: String, _ port: UInt16) async throws -> [SocketAddress])?
        /// The clock by which a certificate that isn't trusted is examined, in seconds since 1970, so that the failure
        /// names the reason; nil for a failure without a reason.
        package var certificateClock: (@Sendable () -> Int64)?
        /// True to keep all connections on one thread, on which requests then begin, however busy the other threads
        /// are, so that no connection is idle while a request waits.
        package var isOnOneThread = false

        /// Creates options.
        package init(
            connectTimeout: TimeAmount,
            readTimeout: TimeAmount,
            idleTimeout: TimeAmount,
            connectionsPerOrigin: Int
        ) {
            self.connectTimeout = connectTimeout
            self.readTimeout = readTimeout
            self.idleTimeout = idleTimeout
            self.connectionsPerOrigin = connectionsPerOrigin
        }
    }

    /// The peer of a connection.
    private struct Peer: Hashable {
        var host: String
        var port: UInt16
        var isSecure: Bool
        /// True if its address was checked.
        var isGuarded = false
        /// True if it is a proxy that forwards.
        var isProxy = false
    }

    /// The knowledge about a server that may speak HTTP/2.
    private enum Version {
        /// Unknown: a task is connecting to find out, and then fulfills the promise.
        case unknown(EventLoopPromise<Void>)
        case single
        case shared(SharedConnection)
    }

    private struct State {
        var free: [Peer: [OriginConnection]] = [:]
        var freeCount = 0
        var versions: [Peer: Version] = [:]
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The TLS contexts, by whether they check hosts.
        var tls: [Bool: NIOSSLContext] = [:]
        var isClosed = false

        mutating func takeFree(of peer: Peer) -> OriginConnection? {
            free[peer].flatMap { removeFree(of: peer, at: $0.count - 1) }
        }

        mutating func takeAnyFree() -> OriginConnection? { free.first.flatMap { removeFree(of: $0.key, at: 0) } }

        /// Removes a free connection; a list that becomes empty is removed, too.
        @discardableResult
        mutating func removeFree(of peer: Peer, at place: Int) -> OriginConnection? {
            let connection = free[peer]?.remove(at: place)
            freeCount -= 1
            if free[peer]?.isEmpty ?? false { free[peer] = nil }
            return connection
        }
    }

    /// The thread of the connections, on which a response wakes its task without switching threads; nil if there are
    /// several.
    package let executor: (any TaskExecutor)?

    private let group: any EventLoopGroup
    private let loop: (any EventLoop)?
    private let options: Options
    private let trust: OriginTrust
    private let slots: ConnectionSlots
    private let state = Mutex(State())
    private let tasks = OwnedTasks()
    private let exchanges = Atomic(0)

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - options: The options of connections.
    ///   - trust: The trusted authorities.
    package init(_ options: Options, trust: OriginTrust) {
        self.options = options
        self.trust = trust
        let all = MultiThreadedEventLoopGroup.singleton
        loop = options.isOnOneThread ? all.next() : nil
        group = loop ?? all
        executor = loop.map { LoopExecutor($0) }
        slots = ConnectionSlots(limit: options.connectionsPerOrigin, total: options.connections)
    }

    /// The number of connections for which the system has descriptors: a quarter, since files, other connections and
    /// look-ups of names need some, too.
    package static var fittingConnections: Int { max(8, OpenFileLimit.current / 4) }

    /// Returns the number of exchanges with a host that are in progress or starting.
    package func inUse(_ host: String) -> Int { slots.inUse(host) }

    /// The number of servers whose version of HTTP is known, or is being found out.
    var knownServers: Int { state.withLock { $0.versions.count } }

    // MARK: Exchanges

    /// Sends a request over a free connection or a new one, once the limit allows another exchange.
    ///
    /// A server may close a kept connection at any time, also just before a request comes (RFC 9112 §9.5). If it ends
    /// before any of the response has arrived, an idempotent request without a body is sent once more, over a new
    /// connection (RFC 9110 §9.2.2). Other requests have a new connection from the beginning, except over HTTP/2, whose
    /// servers say what they haven't processed.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - admits: A closure that returns true if an address may be connected to, or nil for all; a proxy's address
    ///     isn't checked.
    /// - Returns: The exchange, whose connection is free again after a complete response; and the start of the
    ///   response, or all of a small one.
    /// - Throws: ``UnadmittedPeer``, ``WireError``, ``ConnectionTrouble``, `CancellationError`, or an error of the
    ///   network; ``ConnectionTrouble/busy`` if the limit allowed none in time.
    package func begin(
        _ request: OriginRequest,
        admits: (@Sendable (SocketAddress) -> Bool)? = nil
    ) async throws -> (OriginExchange, ResponsePiece) {
        guard let executor, let loop, !loop.inEventLoop else { return try await beginHere(request, admits) }
        return try await withTaskExecutorPreference(executor) { try await beginHere(request, admits) }
    }

    private func beginHere(
        _ request: OriginRequest,
        _ admits: (@Sendable (SocketAddress) -> Bool)?
    ) async throws -> (OriginExchange, ResponsePiece) {
        var request = request
        let url = request.url
        var peer = Peer(host: url.host ?? "", port: url.effectivePort ?? 80, isSecure: url.scheme == "https")
        let origin = ConnectionSlots.Origin(host: peer.host, port: peer.port, isSecure: peer.isSecure)
        var admits = admits
        if let proxy = options.proxies.proxy(for: url) {
            admits = nil
            if !peer.isSecure {
                peer = Peer(host: proxy.host, port: proxy.port, isSecure: false, isProxy: true)
                request.isForwarded = true
                request.proxyAuthorization = proxy.authorization?.value
            }
        }
        peer.isGuarded = admits != nil
        var repeats = 0
        while true {
            let slot = try await slots.take(origin, within: options.queueTimeout, on: group.next())
            var reused: OriginConnection?
            do {
                let mayReuse = repeats == 0 && request.mayRepeat
                let (connection, isReused) = try await anyConnection(peer, mayReuse, admits)
                if isReused { reused = connection }
                let exchange = OriginExchange(connection, number: nextNumber)
                return (exchange, try await exchange.begin(request, slot, tasks))
            } catch is NotBegun {
                slot.give()
                guard reused != nil else { throw WireError.closed }
            } catch {
                slot.give()
                guard let reused, repeats < Self.repeatLimit, request.mayRepeat, !Task.isCancelled,
                    error as? WireError == .closed || error is IOError || error is ChannelError,
                    !isShared(reused, peer)
                else { throw error }
                repeats += 1
            }
        }
    }

    /// The most repetitions of a request whose connection ends; over HTTP/1.1 the first one has a connection of its own.
    private static let repeatLimit = 5

    /// Returns true if a connection is a stream of one that takes further streams, so that only this stream has failed.
    private func isShared(_ stream: OriginConnection, _ peer: Peer) -> Bool {
        guard let connection = stream.channel.parent else { return false }
        return state.withLock { state in
            guard case .shared(let known) = state.versions[peer] else { return false }
            return known.channel === connection
        }
    }

    private var nextNumber: Int { exchanges.add(1, ordering: .relaxed).newValue }

    /// Sends a request to switch to another protocol, over a connection of its own.
    ///
    /// - Parameter request: The request, without a body.
    /// - Returns: The exchange, which passes bytes through after 101, and the start of the response.
    /// - Throws: The errors of ``begin(_:admits:)``.
    package func upgrade(_ request: OriginRequest) async throws -> (OriginExchange, ResponsePiece) {
        var request = request
        request.mayUpgrade = true
        let url = request.url
        let peer = Peer(host: url.host ?? "", port: url.effectivePort ?? 80, isSecure: url.scheme == "https")
        let exchange = OriginExchange(try await ownConnection(peer), number: nextNumber)
        return (exchange, try await exchange.begin(request, nil, tasks))
    }

    /// Connects to a host, for bytes that are passed through unread.
    ///
    /// - Parameters:
    ///   - host: The host as a URL serializes it.
    ///   - port: The port.
    /// - Returns: The connection.
    /// - Throws: The errors of ``begin(_:admits:)``.
    package func tunnel(host: String, port: UInt16) async throws -> OriginExchange {
        let connection = try await ownConnection(Peer(host: host, port: port, isSecure: false))
        let exchange = OriginExchange(connection, number: nextNumber)
        exchange.beginRaw()
        return exchange
    }

    private func ownConnection(_ peer: Peer) async throws -> OriginConnection {
        guard case .single(let connection) = try await connect(peer, isOwn: true, nil) else { throw WireError.closed }
        return connection
    }

    // MARK: Connections

    private enum Step {
        case use(OriginConnection)
        case open(SharedConnection)
        case connect
        case wait(EventLoopFuture<Void>)
        case give
    }

    /// Returns a free connection, or a new one.
    private func anyConnection(
        _ peer: Peer,
        _ mayReuse: Bool,
        _ admits: (@Sendable (SocketAddress) -> Bool)?
    ) async throws -> (OriginConnection, isReused: Bool) {
        let mayShare = peer.isSecure && options.usesHTTP2
        while true {
            let (step, surplus) = self.step(peer, mayReuse, mayShare)
            surplus?.channel.close(promise: nil)
            switch step {
            case .give: throw CancellationError()
            case .use(let connection): return (connection, true)
            case .open(let shared):
                if let stream = try await shared.open() { return (stream, true) }
                forget(shared, peer)
            case .wait(let settled): try await settled.whileWanted()
            case .connect:
                do {
                    switch try await connect(peer, isOwn: false, admits) {
                    case .single(let connection):
                        if mayShare { settle(peer, .success(.single)) }
                        return (connection, false)
                    case .shared(let shared):
                        settle(peer, .success(.shared(shared)))
                        if let stream = try await shared.open() { return (stream, false) }
                        forget(shared, peer)
                        throw WireError.closed
                    }
                } catch {
                    if mayShare { settle(peer, .failure(error)) }
                    throw error
                }
            }
        }
    }

    /// Decides how to get a connection, and returns a free one to another peer that must make room.
    private func step(_ peer: Peer, _ mayReuse: Bool, _ mayShare: Bool) -> (Step, surplus: OriginConnection?) {
        let inUse = slots.inUse
        return state.withLock { state in
            guard !state.isClosed else { return (.give, nil) }
            if mayReuse, let free = state.takeFree(of: peer) { return (.use(free), nil) }
            if mayShare {
                switch state.versions[peer] {
                case .shared(let shared): return (.open(shared), nil)
                case .unknown(let promise): return (.wait(promise.futureResult), nil)
                case .single: break
                case nil: state.versions[peer] = .unknown(group.next().makePromise())
                }
            }
            // The new connection takes the place of a free one that may not be used.
            let replaced = state.takeFree(of: peer)
            return (.connect, replaced ?? (inUse + state.freeCount > options.connections ? state.takeAnyFree() : nil))
        }
    }

    /// Passes the version that a server speaks to all waiting tasks; a failure to connect fails them all, except the cancelled
    /// ones.
    private func settle(_ peer: Peer, _ result: Result<Version, any Error>) {
        let known = state.withLock { state in
            let known = state.versions[peer]
            switch (result, known) {
            case (.success(let version), _):
                // Servers that were forgotten are only asked again.
                if state.versions.count > options.rememberedServers {
                    state.versions = state.versions.filter { if case .single = $0.value { false } else { true } }
                }
                state.versions[peer] = version
            case (.failure, .unknown): state.versions[peer] = nil
            case (.failure, _): break
            }
            return known
        }
        guard case .unknown(let promise) = known else { return }
        if case .failure(let error) = result, !(error is CancellationError) {
            promise.fail(error)
        } else {
            promise.succeed()
        }
    }

    private func forget(_ shared: SharedConnection, _ peer: Peer) {
        state.withLock { state in
            guard case .shared(let known) = state.versions[peer], known.channel === shared.channel else { return }
            state.versions[peer] = nil
        }
    }

    private func free(_ connection: OriginConnection, _ peer: Peer) {
        state.withLock { state in
            state.free[peer, default: []].append(connection)
            state.freeCount += 1
        }
    }

    private func forget(_ connection: OriginConnection, _ peer: Peer) {
        state.withLock { state in
            guard let place = state.free[peer]?.firstIndex(where: { $0.id == connection.id }) else { return }
            state.removeFree(of: peer, at: place)
        }
    }

    // MARK: Connecting

    /// Opens a connection; unless it is for one exchange alone, it later returns to the pool by itself.
    private func connect(
        _ peer: Peer,
        isOwn: Bool,
        _ admits: (@Sendable (SocketAddress) -> Bool)?
    ) async throws -> ReadyConnection {
        let carrier =
            peer.isSecure ? options.proxies.proxy(host: peer.host, port: peer.port, isSecure: true) : nil
        // TLS would take a proxy's address for the peer's.
        let unchecked = carrier == nil || !trust.verifies ? nil : Self.address(peer.host).flatMap(AddressRules.bytes)
        let tls = peer.isSecure ? try await tlsContext(checksHosts: unchecked == nil) : nil
        // Several addresses may be tried at once; after a socket connects, its TLS handshake may still be in progress.
        let openings = Mutex<[ObjectIdentifier: EventLoopFuture<ReadyConnection>]>([:])
        let host = Self.unbracketed(carrier?.host ?? peer.host)
        let channel = try await socket(
            host,
            carrier?.port ?? peer.port,
            isProxy: carrier != nil || peer.isProxy
        ) { [self] channel in
            remember(channel)
            return channel.eventLoop.makeCompletedFuture {
                let opening: EventLoopFuture<ReadyConnection>
                if let tls {
                    opening = try secured(channel, peer, isOwn, tls, carrier, unchecked)
                } else {
                    let ready = ReadyConnection.single(try single(channel, isOwn ? nil : peer))
                    opening = channel.eventLoop.makeSucceededFuture(ready)
                }
                openings.withLock { $0[ObjectIdentifier(channel)] = opening }
            }
        }
        do {
            if let admits, !(channel.remoteAddress.map(admits) ?? false) { throw UnadmittedPeer() }
            guard let opening = openings.withLock({ $0[ObjectIdentifier(channel)] }) else { throw WireError.closed }
            return try await opening.whileWanted()
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// Connects to a host, and waits for a while if the process has no descriptor left, since that is no fault of the
    /// host.
    private func socket(
        _ host: String,
        _ port: UInt16,
        isProxy: Bool,
        _ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        var waits = 0
        while true {
            do {
                return try await openSocket(host, port, isProxy: isProxy, initializer)
            } catch {
                guard ConnectionTrouble(error) == .noDescriptor, waits < 100 else { throw error }
                waits += 1
                state.withLock { $0.takeAnyFree() }?.channel.close(promise: nil)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func openSocket(
        _ host: String,
        _ port: UInt16,
        isProxy: Bool,
        _ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(options.connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer(initializer)
        let drop = { @Sendable (channel: any Channel) in channel.close(promise: nil) }
        guard let addresses = options.addresses, !isProxy else {
            let isLocal = options.localNames.contains(host) || host == "localhost" || host.hasSuffix(".localhost")
            guard isLocal else {
                return try await bootstrap.connect(host: host, port: Int(port)).whileWanted(late: drop)
            }
            // Both loopback addresses, whatever the system's list of hosts knows (RFC 6761 §6.3): many servers
            // under development listen on one of them only.
            do {
                return try await bootstrap.connect(host: "127.0.0.1", port: Int(port)).whileWanted(late: drop)
            } catch let failure {
                try Task.checkCancellation()
                do {
                    return try await bootstrap.connect(host: "::1", port: Int(port)).whileWanted(late: drop)
                } catch {
                    // A machine may have no such address, so that only the first failure says something.
                    try Task.checkCancellation()
                    throw failure
                }
            }
        }
        var failure = Unreachable(cause: ConnectionTrouble.unknownHost)
        for address in try await addresses(host, port) {
            do {
                return try await bootstrap.connect(to: address).whileWanted(late: drop)
            } catch {
                try Task.checkCancellation()
                failure = Unreachable(cause: error)
            }
        }
        throw failure
    }

    private func secured(
        _ channel: any Channel,
        _ peer: Peer,
        _ isOwn: Bool,
        _ tls: NIOSSLContext,
        _ carrier: OriginProxy?,
        _ unchecked: [UInt8]?
    ) throws -> EventLoopFuture<ReadyConnection> {
        let name = Self.address(peer.host) == nil ? Self.unbracketed(peer.host) : nil
        let security = try NIOSSLClientHandler(context: tls, serverHostname: name)
        if carrier == nil { try channel.pipeline.syncOperations.addHandler(security) }
        let promise = channel.eventLoop.makePromise(of: ReadyConnection.self)
        let setup = ConnectionSetup(
            carrier.map { .init(authority: "\(peer.host):\(peer.port)", authorization: $0.authorization?.value) },
            security,
            verifies: trust.verifies,
            address: unchecked,
            isAccepted: trust.accepts.map { accepts in
                { PeerCertificate($0, host: peer.host, port: peer.port).map(accepts) ?? false }
            },
            timeout: options.handshakeTimeout ?? options.connectTimeout,
            clock: options.certificateClock,
            promise: promise
        ) { [self] channel, isHTTP2 in
            guard isHTTP2 else { return .single(try single(channel, isOwn ? nil : peer)) }
            return .shared(try SharedConnection(channel, waiting) { [self] in forget($0, peer) })
        }
        try channel.pipeline.syncOperations.addHandler(setup)
        return promise.futureResult
    }

    /// Adds one exchange at a time to a pipeline, on its loop; without a peer the connection doesn't return to the
    /// pool.
    private func single(_ channel: any Channel, _ peer: Peer?) throws -> OriginConnection {
        var waiting = waiting
        // A server that speaks first, as some do within tunnels, is not for a pool.
        waiting.holdsReads = peer == nil
        let handler = ExchangeHandler<HTTP1Wire>(waiting)
        try channel.pipeline.syncOperations.addHandler(handler)
        let connection = OriginConnection(channel: channel, driver: handler)
        if let peer {
            handler.onChange = { [self] isFree in if isFree { free(connection, peer) } else { forget(connection, peer) }
            }
        }
        return connection
    }

    private var waiting: ExchangeOptions {
        ExchangeOptions(
            patience: options.readTimeout,
            leastBytes: options.leastBytes,
            idle: options.idleTimeout,
            isEager: options.isEager
        )
    }

    /// Returns the TLS context, created when it is first needed, since reading the authorities takes a while.
    private func tlsContext(checksHosts: Bool) async throws -> NIOSSLContext {
        if let known = state.withLock({ $0.tls[checksHosts] }) { return known }
        let (trust, usesHTTP2) = (trust, options.usesHTTP2)
        let context = try await Blocking.run {
            try trust.context(usesHTTP2: usesHTTP2, checksHosts: checksHosts)
        }
        state.withLock { $0.tls[checksHosts] = context }
        return context
    }

    /// Returns the address that a host is, or nil for a name.
    private static func address(_ host: String) -> SocketAddress? {
        try? SocketAddress(ipAddress: unbracketed(host), port: 0)
    }

    private static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    // MARK: Shutdown

    private func remember(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let isClosed = state.withLock { state in
            state.channels[id] = channel
            return state.isClosed
        }
        channel.closeFuture.whenComplete { [self] _ in state.withLock { _ = $0.channels.removeValue(forKey: id) } }
        if isClosed { channel.close(promise: nil) }
    }

    /// Closes all connections, including those in use; no more are opened.
    package func shutDown() async {
        let channels = state.withLock { state in
            state.isClosed = true
            (state.free, state.freeCount) = ([:], 0)
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
        await tasks.end()
        // A failure while closing doesn't matter.
        for channel in channels { try? await channel.closeFuture.get() }
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Waits for the value until the task is cancelled; a later value is dropped.
    func whileWanted(late drop: @escaping @Sendable (Value) -> Void = { _ in }) async throws -> Value {
        let promise = eventLoop.makePromise(of: Value.self)
        whenComplete { result in
            promise.completeWith(result)
            guard case .success(let value) = result else { return }
            // It may still fail after the task has gone.
            promise.futureResult.whenFailure { _ in drop(value) }
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}

/// An executor that runs tasks on the thread of an event loop; their work there must be short, since connections wait
/// for it.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Runs a job on the loop.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
