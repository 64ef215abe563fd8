internal import AFCCoding
public import AFCCrawlRules
public import AFCHTTP
public import AFCOrigin
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import NIOCore
internal import Synchronization

/// Fetches over HTTP/2 and HTTP/1.1 with persistent connections, and decodes content codings.
public struct HTTPFetcher: Fetcher {
    /// Limits of a fetch, and settings of its connections.
    public struct Options: Sendable {
        /// The time to wait for a connection.
        public var connectTimeout: Duration = .seconds(15)
        /// The longest silence of an origin, and the time in which it must send at least a KiB.
        public var readTimeout: Duration = .seconds(60)
        /// The largest permitted ratio of a body's decoded to its coded size.
        public var maxExpansion: Int = 250
        /// The number of concurrent requests to one host; with HTTP/2, of streams.
        public var connectionsPerHost: Int = 8
        /// The number of body bytes to receive per second, from all hosts together, or nil for no limit.
        public var bytesPerSecond: Int64?
        /// True to use HTTP/2 if a server offers it over TLS.
        public var usesHTTP2 = true
        /// The way to origins; hosts with private addresses are allowed only if the user named them.
        public var access = OriginAccess(allowsPrivate: false)
        /// The time at which certificates are judged when a failure is explained, or nil to leave out the explanation.
        public var now: Timestamp?
        /// Hosts, as written in URLs, that may have any address because the user named them.
        public var namedHosts: Set<String> = []
        /// Names that mean this machine, besides those below `localhost`.
        public var localNames: [String] = []

        /// The time to keep an idle connection.
        ///
        /// Servers close idle connections after 5 s (Apache, Node) or later, and a request sent at that moment would
        /// fail.
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

    /// Passes a fetcher to the closure, and closes its connections when the closure ends.
    ///
    /// - Parameters:
    ///   - options: The limits of a fetch and the settings of its connections.
    ///   - body: Uses the fetcher.
    /// - Returns: The closure's result.
    /// - Throws: `PackagingError` if the options can't be used, or the closure's error.
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

    /// The executor of the connections.
    public var executor: (any TaskExecutor)? { pool.executor }

    /// Fetches a resource; see `Fetcher`.
    public func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws {
        var hasBegun = false
        do {
            try await receive(request, into: &receiver, &hasBegun)
        } catch {
            try Task.checkCancellation()
            throw FetchFailure(cause: error, hasBegun: hasBegun, proxy: proxy(for: request)?.address)
        }
    }

    private func receive<Receiver: ResponseReceiver>(
        _ request: FetchRequest,
        into receiver: inout Receiver,
        _ hasBegun: inout Bool
    ) async throws {
        var admits: (@Sendable (SocketAddress) -> Bool)?
        let access = options.access
        if !access.allowsPrivate, proxy(for: request) == nil, !options.namedHosts.contains(request.url.host ?? "") {
            try await addresses.requirePublic(request.url)
            admits = { AddressRules.isPublic($0) }
        }
        var (exchange, piece) = try await pool.begin(OriginRequest(request.url, fields: request.fields), admits: admits)
        var isWhole = false
        defer { if !isWhole { exchange.close() } }
        func leave() async throws {
            isWhole = await discard(exchange, piece)
            try Task.checkCancellation()
        }
        var decoder: ContentDecoder?
        while true {
            if let head = piece.head {
                hasBegun = true
                let codings = try ContentCoding.named(by: head.fields)
                var received = FetchHead(status: head.status, reason: head.reason, fields: head.fields)
                received.coding = ContentCoding.words(codings)
                received.escapeLocation()
                if let proxy = proxy(for: request) {
                    // Only a proxy answers so (RFC 9110 §15.5.8).
                    if head.status == 407 { throw ConnectionTrouble.proxyCredentials }
                    if [502, 503, 504].contains(head.status) {
                        received.reason = "\(head.reason) through the proxy \(proxy.address)"
                    }
                }
                guard try receiver.begin(received) else { return try await leave() }
                if !codings.isEmpty { decoder = try ContentDecoder(codings, maxExpansion: options.maxExpansion) }
            }
            for buffer in piece.body {
                guard try receiver.receive(buffer.readableBytes) else { return try await leave() }
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

    private func proxy(for request: FetchRequest) -> OriginProxy? { options.access.proxies.proxy(for: request.url) }

    /// Reads an unwanted body to its end if it is short and arrives soon, so that its connection serves another request.
    ///
    /// - Returns: True if the end has arrived.
    private func discard(_ exchange: OriginExchange, _ first: ResponsePiece) async -> Bool {
        var (piece, left) = (first, Self.discardLimit)
        guard !piece.isEnd else { return true }
        let timer = exchange.channel.eventLoop.scheduleTask(in: Self.discardTime) { exchange.close() }
        defer { timer.cancel() }
        do {
            while !piece.isEnd {
                left -= piece.body.reduce(0) { $0 + $1.readableBytes }
                guard left > 0 else { return false }
                piece = try await exchange.more()
            }
            return true
        } catch {
            // The head is all that was wanted.
            return false
        }
    }

    /// The bytes of an unwanted body that cost less than a new connection.
    private static let discardLimit = 64 << 10
    private static let discardTime = TimeAmount.seconds(1)
}

extension HTTPFetcher.Options {
    /// Returns a connection pool with these options; it connects at the first request.
    fileprivate func pool() throws(PackagingError) -> OriginPool {
        let trust: OriginTrust
        do throws(OriginTrust.Unreadable) {
            trust = try OriginTrust(access)
        } catch {
            let message = "the file contains no valid certificates in PEM format (\(error.cause))"
            throw PackagingError(.inputOutput, subject: access.trustRoots ?? "", message: message)
        }
        var options = OriginPool.Options(
            connectTimeout: TimeAmount(connectTimeout),
            readTimeout: TimeAmount(readTimeout),
            idleTimeout: TimeAmount(idleTimeout),
            connectionsPerOrigin: connectionsPerHost
        )
        options.usesHTTP2 = usesHTTP2
        options.isOnOneThread = true
        if let now { options.certificateClock = { now.secondsSinceEpoch } }
        options.localNames = Set(localNames)
        options.proxies = access.proxies
        return OriginPool(options, trust: trust)
    }
}

/// A limit on bytes per second that all fetches of a crawl share.
private final class SharedByteRate: Sendable {
    private let rate: Mutex<ByteRate>
    private let started = ContinuousClock.now

    init(bytesPerSecond: Int64) { rate = Mutex(ByteRate(bytesPerSecond: bytesPerSecond)) }

    /// Counts received bytes, and returns the time to wait before reading more.
    func wait(for bytes: Int) -> Duration {
        let now = started.duration(to: .now)
        return rate.withLock { $0.wait(for: bytes, at: now) }
    }
}

extension FetchHead {
    /// Percent-encodes the non-ASCII bytes of a Location that isn't UTF-8, as browsers do; their encoding is unknown.
    fileprivate mutating func escapeLocation() {
        guard let place = fields.firstIndex(where: { $0.name == .location }) else { return }
        let escaped = fields[place].withUnsafeBytesOfValue { bytes -> String? in
            guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
            return PercentEncodeSet.c0Control.encode(bytes)
        }
        if let escaped { fields[place].value = escaped }
    }
}
