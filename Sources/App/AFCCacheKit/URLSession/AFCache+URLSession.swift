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
    /// sessions. What it stores isn't stored in the configuration's `urlCache` as well. See docs/app.md for what works
    /// differently on Linux.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; its cache policy, additional fields and cookies count.
    ///   - options: Options for each request of its sessions.
    public func configure(_ configuration: URLSessionConfiguration, options: LoadOptions = LoadOptions()) {
        let added = (configuration.httpAdditionalHeaders ?? [:]).reduce(into: [String: String]()) { fields, field in
            if let name = field.key as? String { fields[name] = "\(field.value)" }
        }
        let settings = SessionSettings(
            options: options,
            policy: configuration.requestCachePolicy,
            fields: added,
            cookies: configuration.httpCookieStorage,
            sendsCookies: configuration.httpShouldSetCookies
        )
        let others = (configuration.protocolClasses ?? []).filter { !($0 is CacheURLProtocol.Type) }
        configuration.protocolClasses = [ProtocolSlots.makeClass(for: self, settings)] + others
        configuration.urlCache = nil
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
