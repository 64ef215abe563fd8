#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension AFCache {
    /// Makes the sessions of a configuration answer http and https from this cache.
    ///
    /// Call it before the session is created, and once for each configuration. The cache must live as long as its
    /// sessions. What it stores isn't stored in the configuration's `urlCache` as well. See docs/reference/app.md for
    /// what works differently on Linux.
    ///
    /// - Warning: The cache sends the requests of these sessions over connections of its own, so the session's delegate
    ///   gets no authentication challenge. **Certificates that the delegate pins are no longer checked**, nor is
    ///   anything else that it decides about a server's trust, and client certificates aren't sent. Pin with
    ///   ``Configuration/acceptsServer``.
    ///
    /// A configuration with a proxy, with client certificates in its `urlCredentialStorage`, or with a minimum above TLS
    /// 1.2 isn't changed, since the cache can't keep these: its sessions load from the network as before, and
    /// ``Configuration/onTrouble`` says why.
    ///
    /// The responses of an ephemeral configuration, or of another one whose `urlCache` has no disk, are stored in memory
    /// only.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; its cache policy, additional fields, cookies and time limits count.
    ///   - options: Options for each request of its sessions.
    /// - Returns: False if the configuration wasn't changed.
    @discardableResult
    public func configure(_ configuration: URLSessionConfiguration, options: LoadOptions = LoadOptions()) -> Bool {
        let obstacles = configuration.obstacles
        guard obstacles.isEmpty else {
            self.configuration.onTrouble(
                "a URL session isn't answered by the cache, which can't keep \(obstacles.joined(separator: " and ")) of "
                    + "its configuration"
            )
            return false
        }
        let added = (configuration.httpAdditionalHeaders ?? [:]).reduce(into: [String: String]()) { fields, field in
            if let name = field.key as? String { fields[name] = "\(field.value)" }
        }
        var options = options
        // A cache without a disk, as in an ephemeral session, whose responses shall leave no traces.
        if let known = configuration.urlCache, known.diskCapacity == 0 {
            options.storagePolicy = (options.storagePolicy ?? .allowed).limited(to: .allowedInMemoryOnly)
        }
        let settings = SessionSettings(
            options: options,
            policy: configuration.requestCachePolicy,
            fields: added,
            cookies: configuration.httpCookieStorage,
            sendsCookies: configuration.httpShouldSetCookies,
            requestTimeout: configuration.timeoutIntervalForRequest,
            resourceTimeout: configuration.timeoutIntervalForResource
        )
        let others = (configuration.protocolClasses ?? []).filter { !($0 is CacheURLProtocol.Type) }
        configuration.protocolClasses = [ProtocolSlots.makeClass(for: self, settings)] + others
        configuration.urlCache = nil
        return true
    }

    /// Returns a configuration whose sessions are answered from this cache.
    ///
    /// - Parameter options: Options for each request of its sessions.
    /// - Returns: A default configuration.
    public func urlSessionConfiguration(options: LoadOptions = LoadOptions()) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configure(configuration, options: options)
        return configuration
    }

    /// Returns a request that no session answers from a cache, so that it reaches the network.
    ///
    /// - Parameter request: The request.
    /// - Returns: The same request with a mark.
    public static func bypassing(_ request: URLRequest) -> URLRequest {
        #if canImport(Darwin)
        guard let copy = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return request }
        URLProtocol.setProperty(true, forKey: CacheURLProtocol.bypass, in: copy)
        return copy as URLRequest
        #else
        // A property of a request gets lost there on its way to a session.
        var marked = request
        marked.mainDocumentURL = URL(string: CacheURLProtocol.bypass)
        return marked
        #endif
    }
}

extension URLSessionConfiguration {
    /// The settings that protect a session's connections and that the cache's own connections wouldn't have.
    fileprivate var obstacles: [String] {
        var found: [String] = []
        if let proxies = connectionProxyDictionary, !proxies.isEmpty { found.append("the proxies") }
        #if canImport(Darwin)
        // 0x0303 is TLS 1.2, the cache's own minimum.
        if tlsMinimumSupportedProtocolVersion.rawValue > 0x0303 { found.append("the minimum version of TLS") }
        let credentials = urlCredentialStorage?.allCredentials.values.flatMap(\.values) ?? []
        if credentials.contains(where: { $0.identity != nil }) { found.append("the client certificates") }
        #endif
        return found
    }
}
