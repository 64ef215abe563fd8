internal import AFCOrigin
internal import AFCText
internal import AFCURL
public import HTTPTypes
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// HTTP/1.1 to origins with everything that a proxy needs to see: interim responses, and field values byte for byte.
public final class DirectTransport: OriginTransport {
    /// What bounds it.
    public struct Limits: Sendable {
        /// The most connections to one origin; more requests wait.
        public var connectionsPerOrigin = 256
        /// The seconds in which a connection must be there.
        public var connectSeconds: Int64 = 10
        /// The seconds that an origin may send nothing.
        public var silentSeconds: Int64 = 60
        /// The seconds that a connection is kept without a request.
        public var idleSeconds: Int64 = 30

        /// Creates limits with the defaults.
        public init() {}
    }

    private let limits: Limits
    private let group: any EventLoopGroup
    let pool: ConnectionPool
    private let tls: NIOSSLContext?
    private let tlsFailure: String?

    /// Whether addresses of this machine and of private networks are asked.
    private let allowsPrivateAddresses: Bool

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - limits: What bounds it.
    ///   - allowsPrivateAddresses: Whether addresses of this machine and of private networks are asked; a proxy that others
    ///     choose the origins of should say no.
    ///   - certificates: A PEM file with authorities to trust besides the system's, or nil.
    ///   - verifiesCertificates: Whether https origins must prove who they are.
    public init(
        limits: Limits = Limits(),
        allowsPrivateAddresses: Bool = true,
        certificates: String? = nil,
        verifiesCertificates: Bool = true
    ) {
        self.limits = limits
        self.allowsPrivateAddresses = allowsPrivateAddresses
        group = MultiThreadedEventLoopGroup.singleton
        pool = ConnectionPool(limit: limits.connectionsPerOrigin)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        if !verifiesCertificates { configuration.certificateVerification = .none }
        if let certificates { configuration.additionalTrustRoots = [.file(certificates)] }
        do {
            tls = try NIOSSLContext(configuration: configuration)
            tlsFailure = nil
        } catch {
            tls = nil
            tlsFailure = "cannot use TLS: \(error)"
        }
    }

    /// Sends a request and waits for the head of the final response.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - interim: Called with each response before the final one (RFC 9110 §15.2), in their order.
    /// - Returns: The response, its body still on the way.
    /// - Throws: ``TransportFailure`` where no response came.
    public func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        guard let host = request.url.host, let port = request.url.effectivePort, request.url.isHTTP else {
            throw TransportFailure(.unreachable, "'\(request.url)' is no http or https URL")
        }
        let key = OriginKey(isSecure: request.url.scheme == "https", host: host, port: port)
        let connection: OriginConnection
        let isReused: Bool
        do {
            if let free = try await pool.acquire(key, isFresh: false) {
                (connection, isReused) = (free, true)
            } else {
                (connection, isReused) = (try await connect(key), false)
            }
        } catch let failure as TransportFailure {
            throw failure
        } catch {
            throw .cancelled
        }
        do {
            return try await exchange(request, on: connection, interim: interim)
        } catch {
            // RFC 9110 §9.2.2: the origin may have closed a kept connection just before the request came.
            guard isReused, error.code == .disconnected, request.body == nil, request.method.isIdempotent else {
                throw error
            }
            do {
                let known = try await pool.acquire(key, isFresh: true)
                let connection = if let known { known } else { try await connect(key) }
                return try await exchange(request, on: connection, interim: interim)
            } catch let failure as TransportFailure {
                throw failure
            } catch {
                throw .cancelled
            }
        }
    }

    func exchange(
        _ request: TransportRequest,
        on connection: OriginConnection,
        mayUpgrade: Bool = false,
        interim: @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        let (head, isChunked) = head(of: request)
        let exchange = connection.begin(request.method, head, hasBody: request.body != nil, mayUpgrade: mayUpgrade)
        let sending = request.body.map { body in
            // The response may come before the request's end, so the two can't wait for each other.
            Task { try await connection.send(body, of: exchange, isChunked: isChunked) }
        }
        do {
            return try await withTaskCancellationHandler {
                for try await head in exchange.heads {
                    switch head {
                    case .interim(let head): await interim(head.status, head.fields)
                    case .final(let head, let length):
                        var known: Int64?
                        if case .bytes(let count) = length { known = count }
                        var fields = head.fields
                        fields[.transferEncoding] = nil
                        return TransportResponse(
                            status: head.status,
                            fields: fields,
                            bodyLength: known,
                            body: exchange.body
                        )
                    }
                }
                throw WireError.closed
            } onCancel: {
                sending?.cancel()
                connection.close()
            }
        } catch {
            sending?.cancel()
            throw Task.isCancelled ? .cancelled : TransportFailure(error)
        }
    }

    private func head(of request: TransportRequest) -> (ByteBuffer, isChunked: Bool) {
        var fields = request.fields
        var isChunked = false
        fields[.contentLength] = nil
        fields[.transferEncoding] = nil
        if request.body != nil {
            if let length = request.bodyLength {
                fields[.contentLength] = String(length)
            } else {
                fields[.transferEncoding] = "chunked"
                isChunked = true
            }
        } else if [.post, .put, .patch].contains(request.method) {
            fields[.contentLength] = "0"
        }
        var all = HTTPFields()
        if let name = HTTPField.Name("Host"), fields[name] == nil {
            all[name] = request.url.authority
        }
        all.append(contentsOf: fields)
        let head = RequestWriter.head(
            method: request.method.rawValue,
            target: request.url.requestTarget,
            fields: all
        )
        return (head, isChunked)
    }

    // MARK: Connections

    private func connect(_ key: OriginKey) async throws(TransportFailure) -> OriginConnection {
        do {
            return try await open(key, isPooled: true)
        } catch let failure as TransportFailure {
            pool.closed(key)
            throw failure
        } catch {
            pool.closed(key)
            throw TransportFailure(error)
        }
    }

    /// Opens a connection.
    ///
    /// One that is pooled goes back to the pool by itself.
    func open(_ key: OriginKey, isPooled: Bool) async throws -> OriginConnection {
        if key.isSecure, let tlsFailure { throw TransportFailure(.insecure, tlsFailure) }
        let (limits, pool, tls) = (limits, pool, tls)
        let name = key.host.hasPrefix("[") ? String(key.host.dropFirst().dropLast()) : key.host
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(.seconds(limits.connectSeconds))
            .channelOption(.autoRead, value: false)
            // So that the origin's end of sending can be told from a connection that fails.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        let initializer = { @Sendable (channel: any Channel) -> EventLoopFuture<OriginConnection> in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if key.isSecure, let tls {
                    let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
                    try pipeline.addHandler(
                        NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : name)
                    )
                }
                let handler = OriginConnectionHandler(
                    limits: WireLimits(),
                    timeout: .seconds(limits.silentSeconds),
                    idle: .seconds(limits.idleSeconds)
                )
                try pipeline.addHandler(handler)
                return OriginConnection(channel: channel, handler: handler)
            }
        }
        let connection: OriginConnection
        if allowsPrivateAddresses {
            connection = try await bootstrap.connect(
                host: name,
                port: Int(key.port),
                channelInitializer: initializer
            )
        } else {
            connection = try await Self.connect(
                bootstrap,
                to: AddressRules.publicAddresses(name, port: key.port),
                initializer
            )
        }
        guard isPooled else { return connection }
        connection.whenFree { pool.free(connection, key) }
        connection.channel.closeFuture.whenComplete { _ in pool.closed(key) }
        return connection
    }

    private static func connect(
        _ bootstrap: ClientBootstrap,
        to addresses: [SocketAddress],
        _ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<OriginConnection>
    ) async throws -> OriginConnection {
        var failure: any Error = TransportFailure(.unreachable, "the origin can't be reached")
        for address in addresses {
            do {
                return try await bootstrap.connect(to: address, channelInitializer: initializer)
            } catch {
                failure = TransportFailure(.unreachable, "the origin can't be reached: \(error)")
            }
        }
        throw failure
    }
}
