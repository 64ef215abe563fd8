public import AFCCrawlRules
public import AFCHTTP
internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import NIOCore
internal import Synchronization

/// Fetches over HTTP/2 and HTTP/1.1 with kept connections; removes gzip and deflate from bodies.
public struct HTTPFetcher: Fetcher {
    /// What a fetch may take, and how connections come about.
    public struct Options: Sendable, Equatable {
        /// How long a connection may take to come about.
        public var connectTimeout: Duration = .seconds(15)
        /// How long the origin may send nothing, and in what time it must send at least a KiB.
        public var readTimeout: Duration = .seconds(60)
        /// How many times larger than its coded form a body may be.
        public var maxExpansion: Int = 250
        /// How many requests to one host are under way at once, over HTTP/2 as streams.
        public var connectionsPerHost: Int = 8
        /// How many bytes of bodies are received in a second, from all hosts together, or nil for no limit.
        public var bytesPerSecond: Int64?
        /// Whether HTTP/2 is used where a server offers it over TLS.
        public var usesHTTP2 = true
        /// What forwards all requests, or nil for none.
        public var proxy: ProxyServer?
        /// A file of certificates, in PEM, that are trusted beside the system's.
        public var trustRoots: String?
        /// The time by which certificates are judged in words, or nil where failures don't say why one isn't trusted.
        public var now: Timestamp?
        /// Whether https origins must prove who they are.
        public var verifiesCertificates = true

        /// Whether hosts that aren't named may lead into networks that aren't public.
        public var allowsPrivate = false
        /// Hosts, as URLs have them, that may be anywhere: the user named them.
        public var namedHosts: Set<String> = []
        /// Names below `localhost` that lead to this machine.
        public var localNames: [String] = []

        /// How long a connection is kept without a request: servers end what idles after 5 s (Apache, Node) or later, and a
        /// request that meets that end would fail.
        var idleTimeout: Duration = .seconds(4)

        /// Creates the defaults.
        public init() {}
    }

    private let options: Options
    private let pool: OriginPool
    private let addresses: HostAddresses
    private let rate: SharedByteRate?

    private init(_ options: Options, _ pool: OriginPool, _ addresses: HostAddresses) {
        self.options = options
        self.pool = pool
        self.addresses = addresses
        rate = options.bytesPerSecond.map { SharedByteRate(bytesPerSecond: $0) }
    }

    /// Gives a fetcher to the body, and closes its connections afterwards, however the body ends.
    ///
    /// - Parameters:
    ///   - options: What a fetch may take, and how connections come about.
    ///   - body: Uses the fetcher.
    /// - Returns: What the body returns.
    /// - Throws: ``PackagingError`` where the options can't be used, or what the body throws.
    public static func withFetcher<Result: Sendable>(
        options: Options = Options(),
        _ body: (HTTPFetcher) async throws -> Result
    ) async throws -> Result {
        try await withFetcher(options: options, names: .system, body)
    }

    static func withFetcher<Result: Sendable>(
        options: Options,
        names: NameLookup,
        _ body: (HTTPFetcher) async throws -> Result
    ) async throws -> Result {
        let pool = try options.pool()
        do {
            let result = try await body(HTTPFetcher(options, pool, HostAddresses(names: names)))
            await pool.shutDown()
            return result
        } catch {
            await pool.shutDown()
            throw error
        }
    }

    /// The thread of the connections.
    public var executor: (any TaskExecutor)? { pool.executor }

    /// Fetches; see ``Fetcher``.
    public func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws {
        var hasBegun = false
        do {
            try await receive(request, into: &receiver, &hasBegun)
        } catch {
            try Task.checkCancellation()
            throw await failure(error, request.url, hasBegun: hasBegun)
        }
    }

    private func receive<Receiver: ResponseReceiver>(
        _ request: FetchRequest,
        into receiver: inout Receiver,
        _ hasBegun: inout Bool
    ) async throws {
        var admits: (@Sendable (SocketAddress) -> Bool)?
        // A proxy looks names up itself.
        if options.proxy == nil, !options.allowsPrivate, !options.namedHosts.contains(request.url.host ?? "") {
            try await addresses.requirePublic(request.url)
            admits = { AddressRules.isPublic($0) }
        }
        var (exchange, piece) = try await pool.begin(OriginRequest(request.url, fields: request.fields), admits: admits)
        var isWhole = false
        defer { if !isWhole { exchange.close() } }
        var decoder: ContentDecoder?
        while true {
            if let head = piece.head {
                hasBegun = true
                let coding = try ContentCoding.named(by: head.fields)
                var received = FetchHead(status: head.status, reason: head.reason, fields: head.fields)
                received.coding = coding?.rawValue
                received.escapeLocation()
                guard try receiver.begin(received) else { return isWhole = piece.isEnd }
                if let coding { decoder = try ContentDecoder(coding, maxExpansion: options.maxExpansion) }
            }
            for buffer in piece.body {
                let wantsMore = try buffer.withUnsafeReadableBytes { bytes in
                    guard decoder != nil else { return try receiver.append(bytes) }
                    return try decoder?.decode(bytes) { try receiver.append($0) } ?? false
                }
                guard wantsMore else { return isWhole = piece.isEnd }
                if let wait = rate?.wait(for: buffer.readableBytes), wait > .zero { try await Task.sleep(for: wait) }
            }
            if piece.isEnd { break }
            piece = try await exchange.more()
        }
        isWhole = true
        try Task.checkCancellation()
        try decoder?.finish()
    }

    /// What became of a request, with the reason why a certificate isn't trusted.
    private func failure(_ cause: any Error, _ url: WebURL, hasBegun: Bool) async -> FetchFailure {
        let failure = FetchFailure(cause: cause, hasBegun: hasBegun, isProxied: options.proxy != nil)
        guard options.proxy == nil, let now = options.now, let host = url.host,
            ConnectionTrouble(cause) == .untrusted(nil)
        else { return failure }
        let isNamed = options.allowsPrivate || options.namedHosts.contains(host)
        let isLocal = options.localNames.contains(host)
        guard let address = await addresses.address(of: url, isLocal: isLocal, isPublic: !isNamed) else {
            return failure
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let reason = await CertificateProbe.distrust(
            of: name,
            at: address,
            now: now.secondsSinceEpoch,
            within: options.connectTimeout
        )
        return .tls(ConnectionTrouble.untrusted(reason).words)
    }
}

extension HTTPFetcher.Options {
    /// Connections as the options say; none is made before its first request.
    fileprivate func pool() throws(PackagingError) -> OriginPool {
        let trust: OriginTrust
        do throws(OriginTrust.Unreadable) {
            trust = try OriginTrust(file: trustRoots, verifies: verifiesCertificates)
        } catch {
            let message = "the file can't be read as PEM certificates (\(error.cause))"
            throw PackagingError(.inputOutput, subject: trustRoots ?? "", message: message)
        }
        var options = OriginPool.Options(
            connectTimeout: TimeAmount(connectTimeout),
            readTimeout: TimeAmount(readTimeout),
            idleTimeout: TimeAmount(idleTimeout),
            connectionsPerHost: connectionsPerHost
        )
        options.usesHTTP2 = usesHTTP2
        options.isOnOneThread = true
        options.localNames = Set(localNames)
        options.proxy = proxy.map {
            OriginPool.Proxy(host: $0.host, port: $0.port, authorization: $0.credentials?.fieldValue)
        }
        return OriginPool(options, trust: trust)
    }
}

/// A limit on bytes in a second that all fetches of a crawl keep together.
private final class SharedByteRate: Sendable {
    private let rate: Mutex<ByteRate>
    private let started = ContinuousClock.now

    init(bytesPerSecond: Int64) { rate = Mutex(ByteRate(bytesPerSecond: bytesPerSecond)) }

    /// Takes bytes that came, and says how long to wait before the next are read.
    func wait(for bytes: Int) -> Duration {
        let now = started.duration(to: .now)
        return rate.withLock { $0.wait(for: bytes, at: now) }
    }
}

extension FetchHead {
    /// Percent-encodes the bytes beyond ASCII of a Location that is no UTF-8, as browsers do; nothing else is known of them.
    fileprivate mutating func escapeLocation() {
        guard let place = fields.firstIndex(where: { $0.name == .location }) else { return }
        let escaped = fields[place].withUnsafeBytesOfValue { bytes -> String? in
            guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
            return PercentEncodeSet.c0Control.encode(bytes)
        }
        if let escaped { fields[place].value = escaped }
    }
}
