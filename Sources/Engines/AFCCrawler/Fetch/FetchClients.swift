internal import AFCCrawlRules
internal import AFCOrigin
internal import AFCText
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTPCompression
internal import NIOSSL

/// The clients of one fetcher, by where their connections may lead.
struct FetchClients: Sendable {
    /// Connects to whatever a host's name leads to.
    let open: HTTPClient
    /// Connects only to the public network.
    let guarded: HTTPClient
    /// Connects over TCP, without a proxy.
    let plain: ExchangePool
    /// Connects to a proxy, for http.
    let forwarding: HTTPClient

    /// Makes the clients; none connects before its first request.
    ///
    /// - Throws: ``PackagingError`` where the trust roots can't be read.
    init(_ options: HTTPFetcher.Options) throws(PackagingError) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if !options.verifiesCertificates { tls.certificateVerification = .none }
        if let file = options.trustRoots {
            do {
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
            } catch {
                let message = "the file can't be read as certificates in PEM (\(error))"
                throw PackagingError(.inputOutput, subject: file, message: message)
            }
        }
        func client(admits: (@Sendable (SocketAddress) -> Bool)? = nil, isForwarding: Bool = false) -> HTTPClient {
            let usesHTTP2 = options.usesHTTP2 && !isForwarding
            var configuration = HTTPClient.Configuration.oneExchange(usesHTTP2: usesHTTP2, admits: admits)
            configuration.tlsConfiguration = tls
            configuration.decompression = .enabled(limit: .ratio(options.maxExpansion))
            configuration.timeout.connect = TimeAmount(options.connectTimeout)
            configuration.timeout.read = TimeAmount(options.readTimeout)
            configuration.connectionPool.idleTimeout = TimeAmount(options.idleTimeout)
            // To a proxy go the requests for all hosts.
            let limit = isForwarding ? 1024 : options.connectionsPerHost
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limit
            // Browsers lead these names to the own machine; not every system's resolver does (RFC 6761 §6.3).
            for name in options.localNames { configuration.dnsOverride[name] = "127.0.0.1" }
            if !isForwarding { configuration.proxy = options.proxy?.tunnel }
            return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }
        plain = ExchangePool(
            ExchangePool.Options(
                connectTimeout: TimeAmount(options.connectTimeout),
                readTimeout: TimeAmount(options.readTimeout),
                idleTimeout: TimeAmount(options.idleTimeout),
                connectionsPerHost: options.connectionsPerHost
            )
        )
        open = client()
        guarded = client(admits: { AddressRules.isPublic($0) })
        forwarding = client(isForwarding: true)
    }

    /// Closes all connections.
    func shutDown() async throws {
        try await plain.shutDown()
        for client in [open, guarded, forwarding] { try await client.shutdown() }
    }
}
