public import AFCCredentials

/// The way to origins: the servers and addresses that are accepted, and the proxies.
public struct OriginAccess: Sendable {
    /// A PEM file of CA certificates to trust in addition to the system's, or nil for none.
    public var trustRoots: String?
    /// False to accept any certificate of https servers; anyone on the network path can then alter responses.
    public var verifiesCertificates = true
    /// Decides which servers are accepted of those whose certificates are trusted; nil for all.
    ///
    /// No request is sent to others.
    package var accepts: (@Sendable (PeerCertificate) -> Bool)?
    /// False to refuse addresses of this machine and of private networks.
    ///
    /// Whoever chooses the origins, such as a site that is crawled or a proxy's client, could otherwise reach private
    /// servers.
    public var allowsPrivate: Bool
    /// The proxies that forward requests; they resolve host names, so the addresses of what they forward to aren't
    /// checked.
    public var proxies = ProxyRules()

    /// Creates the access with the system's certificates.
    public init(allowsPrivate: Bool = true) { self.allowsPrivate = allowsPrivate }
}

/// An HTTP proxy: http requests are forwarded by it, and https goes through a tunnel (RFC 9110 §9.3.6).
public struct OriginProxy: Sendable, Equatable {
    /// The proxy's host as a URL serializes it.
    public var host: String
    /// The proxy's port.
    public var port: UInt16
    /// The value of Proxy-Authorization, or nil for none.
    public var authorization: Secret?

    /// Host and port, as in a URL.
    package var address: String { "\(host):\(port)" }

    /// Creates a proxy.
    public init(host: String, port: UInt16, authorization: Secret? = nil) {
        self.host = host
        self.port = port
        self.authorization = authorization
    }
}
