internal import AFCCaching
public import AFCHTTP
public import AFCOrigin
internal import AFCText
internal import AFCURL
public import HTTPTypes
internal import NIOCore
internal import Synchronization

/// A transport over HTTP/1.1 that gives a proxy all it needs: interim responses, and field values byte for byte.
public final class DirectTransport: TunnelTransport {
    /// The limits of a transport.
    public struct Limits: Sendable {
        /// The most requests at a time; by default as many as need a quarter of the files that this process may open.
        ///
        /// Each needs a connection until its response is over, also an event stream that never ends.
        public var connections = OriginPool.fittingConnections
        /// The most requests to one origin at a time, or nil for three quarters of ``connections``.
        public var connectionsPerOrigin: Int?
        /// The seconds for which further requests wait; then they fail with `refused`.
        public var queueSeconds: Int64 = 10
        /// The seconds in which a connection must be established.
        public var connectSeconds: Int64 = 10
        /// The seconds for which an origin may send nothing.
        public var silentSeconds: Int64 = 60
        /// The seconds for which an unused connection is kept.
        public var idleSeconds: Int64 = 30

        /// Creates limits with the defaults.
        public init() {}
    }

    let pool: OriginPool
    private let limits: Limits
    /// The reason that TLS is unavailable, or nil if it is available.
    private let tlsFailure: String?

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - access: The way to origins.
    ///   - now: The clock by which a certificate that isn't trusted is examined, so that the failure names the reason;
    ///     nil for a failure without a reason.
    public convenience init(
        limits: Limits = Limits(),
        access: OriginAccess = OriginAccess(),
        now: (@Sendable () -> Timestamp)? = nil
    ) {
        self.init(limits, access, publicNames: access.allowsPrivate ? nil : NameLookup.system, now: now)
    }

    /// Creates a transport that contacts only public addresses if it is given a name look-up.
    init(
        _ limits: Limits,
        _ access: OriginAccess = OriginAccess(),
        publicNames: NameLookup?,
        now: (@Sendable () -> Timestamp)? = nil
    ) {
        self.limits = limits
        var options = OriginPool.Options(
            connectTimeout: .seconds(limits.connectSeconds),
            readTimeout: .seconds(limits.silentSeconds),
            idleTimeout: .seconds(limits.idleSeconds),
            // One origin doesn't keep all others from being asked.
            connectionsPerOrigin: limits.connectionsPerOrigin ?? limits.connections / 4 * 3
        )
        options.connections = limits.connections
        options.queueTimeout = .seconds(limits.queueSeconds)
        options.handshakeTimeout = .seconds(limits.silentSeconds)
        // An origin may legitimately send little for long, as event streams do.
        options.leastBytes = 1
        options.isEager = true
        if let now { options.certificateClock = { now().secondsSinceEpoch } }
        options.proxies = access.proxies
        if let publicNames {
            let limit = Duration.seconds(limits.connectSeconds)
            options.addresses = { try await publicNames.publicAddresses(of: $0, port: $1, within: limit) }
        }
        do throws(OriginTrust.Unreadable) {
            (pool, tlsFailure) = (OriginPool(options, trust: try OriginTrust(access)), nil)
        } catch {
            (pool, tlsFailure) = (OriginPool(options, trust: OriginTrust()), "cannot use TLS: \(error.cause)")
        }
    }

    /// Closes all connections, including those in use; later requests fail.
    public func shutDown() async { await pool.shutDown() }

    /// Sends a request and waits for the head of the final response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: A closure called with each interim response (RFC 9110 §15.2), in order.
    /// - Returns: The response, whose body is still arriving.
    /// - Throws: ``TransportFailure`` if there is no response.
    public func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        try await exchange(request, interim: interim) { [pool] in try await pool.begin($0) }.response
    }

    private func exchange(
        _ request: TransportRequest,
        interim: (Int, HTTPFields) async -> Void,
        _ begin: (OriginRequest) async throws -> (OriginExchange, ResponsePiece)
    ) async throws(TransportFailure) -> (response: TransportResponse, exchange: OriginExchange) {
        guard request.url.host != nil, request.url.isHTTP else {
            throw TransportFailure(.unreachable, "'\(request.url)' is not an http or https URL")
        }
        if request.url.scheme == "https", let tlsFailure { throw TransportFailure(.insecure, tlsFailure) }
        var outgoing = OriginRequest(request.url, method: request.method, fields: request.fields)
        outgoing.fields[.contentLength] = nil
        outgoing.fields[.transferEncoding] = nil
        (outgoing.body, outgoing.bodyLength) = (request.body, request.body == nil ? nil : request.bodyLength)
        outgoing.patience = request.silence.map { TimeAmount($0) }
        var limits = limits
        if let silence = request.silence { limits.silentSeconds = silence.components.seconds }
        do {
            var (exchange, piece) = try await begin(outgoing)
            while true {
                for head in piece.interims { await interim(head.status, head.fields) }
                if let head = piece.head {
                    return (response(head, piece, ResponseBody(exchange, piece, limits)), exchange)
                }
                piece = try await exchange.more()
            }
        } catch {
            throw Task.isCancelled ? .cancelled : TransportFailure(error, limits)
        }
    }

    private func response(_ head: ResponseHead, _ piece: ResponsePiece, _ body: ResponseBody) -> TransportResponse {
        var fields = head.fields
        fields[.transferEncoding] = nil
        var known: Int64?
        if case .bytes(let count) = piece.length { known = count }
        return TransportResponse(status: head.status, fields: fields, bodyLength: known, body: body)
    }

    // MARK: Tunnels and other protocols

    /// Connects to a host for CONNECT (RFC 9110 §9.3.6).
    public func tunnel(host: String, port: UInt16) async throws(TransportFailure) -> OriginTunnel {
        do {
            // TLS inside the tunnel is the client's own.
            let exchange = try await pool.tunnel(host: host, port: port)
            return OriginTunnel(exchange: exchange, inbound: ResponseBody(exchange, ResponsePiece(), limits))
        } catch {
            throw TransportFailure(error, limits)
        }
    }

    /// Sends a request to switch to another protocol.
    public func upgrade(_ request: TransportRequest) async throws(TransportFailure) -> UpgradeAnswer {
        var request = request
        request.body = nil
        request.fields[.connection] = "Upgrade"
        let (response, exchange) = try await exchange(request, interim: { _, _ in }) { [pool] in
            try await pool.upgrade($0)
        }
        guard response.status == 101 else { return .response(response) }
        // RFC 9110 §7.8: a server may switch only to a protocol that was offered.
        let asked = Self.protocols(request.fields)
        guard Self.protocols(response.fields).isSubset(of: asked) else {
            exchange.close()
            throw TransportFailure(.malformed, "the origin switched to a protocol that the client didn't offer")
        }
        return .switched(response.fields, OriginTunnel(exchange: exchange, inbound: response.body))
    }

    /// Returns the protocols of an Upgrade field, in lower case.
    private static func protocols(_ fields: HTTPFields) -> Set<String> {
        Set(
            fields[values: .upgrade].flatMap { $0.split(separator: ",") }
                .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        )
    }
}

/// The body of a response, received as slowly as its reader consumes it; it can be read once.
private final class ResponseBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let exchange: OriginExchange
    private let limits: DirectTransport.Limits
    private let first: Mutex<ResponsePiece>
    private let hasEnded: Atomic<Bool>

    init(_ exchange: OriginExchange, _ first: ResponsePiece, _ limits: DirectTransport.Limits) {
        self.exchange = exchange
        self.limits = limits
        self.first = Mutex(first)
        hasEnded = Atomic(first.isEnd)
    }

    /// Tells the connection that the reader is gone; it closes on its own thread.
    deinit { if !hasEnded.load(ordering: .relaxed) { exchange.close() } }

    func makeAsyncIterator() -> Iterator {
        let piece = first.withLock { first in
            defer { first.body = [] }
            return first
        }
        return Iterator(body: self, pieces: piece.body[...], isEnd: piece.isEnd)
    }

    private func more() async throws -> ResponsePiece {
        do {
            let piece = try await exchange.more()
            if piece.isEnd { hasEnded.store(true, ordering: .relaxed) }
            return piece
        } catch {
            throw Task.isCancelled ? TransportFailure.cancelled : TransportFailure(error, limits)
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: ResponseBody
        fileprivate var pieces: ArraySlice<ByteBuffer>
        fileprivate var isEnd: Bool

        mutating func next() async throws -> ByteBuffer? {
            while true {
                if let piece = pieces.popFirst() { return piece }
                guard !isEnd else { return nil }
                let more = try await body.more()
                (pieces, isEnd) = (more.body[...], more.isEnd)
            }
        }
    }
}

extension NameLookup {
    /// Returns the addresses of a host that may be contacted.
    ///
    /// Connections use these addresses, so the name can't resolve to another address after the check.
    ///
    /// - Throws: ``TransportFailure`` if there are none.
    fileprivate func publicAddresses(
        of host: String,
        port: UInt16,
        within limit: Duration
    ) async throws -> [SocketAddress] {
        // RFC 6761 §6.3: these names mean this machine, and are never looked up.
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard name != "localhost", !name.hasSuffix(".localhost") else { throw Self.privateHost(host) }
        let all: [SocketAddress]
        do {
            all = try await addresses(of: host, port: port, within: limit)
        } catch Failure.unanswered {
            throw TransportFailure(.timedOut, "the name server didn't respond in time", error: .dnsTimeout)
        } catch is Failure {
            throw TransportFailure(.unreachable, "the host '\(host)' does not exist", cause: .unknownHost)
        }
        let allowed = all.filter(AddressRules.isPublic)
        guard !allowed.isEmpty else { throw Self.privateHost(host) }
        return allowed
    }

    private static func privateHost(_ host: String) -> TransportFailure {
        TransportFailure(.forbidden, "'\(host)' is in a private network, which this proxy doesn't connect to")
    }
}
