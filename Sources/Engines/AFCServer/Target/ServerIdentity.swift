internal import AFCURL

/// The hosts and the port that mean the server itself.
public struct ServerIdentity: Hashable, Sendable {
    /// The port that the server listens on.
    public var port: UInt16
    /// The server's hosts, as a URL serializes them.
    public var hosts: Set<String>
    /// The names below which each origin has a name of its own.
    var names = ["localhost"]
    /// The host of the server's home page in links for clients that named another host.
    var home = "localhost"
    /// The site that every other host stands for; nil if hosts stand for themselves.
    var site: WebURL?
    /// The ports of origins; nil if they have none.
    var sitePorts: SitePorts?

    /// Creates an identity from the loopback names and the addresses that the server is bound to.
    ///
    /// - Parameters:
    ///   - port: The port that the server listens on.
    ///   - bound: Hosts and addresses that the server is bound to; invalid hosts are skipped.
    public init(port: UInt16, bound: [String] = []) {
        self.port = port
        hosts = ["localhost", "localhost.", "127.0.0.1", "[::1]"]
        for text in bound {
            let isIPv6 = text.contains(":") && !text.hasPrefix("[")
            if let authority = Authority(isIPv6 ? "[\(text)]" : text) { hosts.insert(authority.host) }
        }
    }

    /// Creates the identity of a server on a connection.
    ///
    /// - Parameters:
    ///   - port: The port that the client connected to.
    ///   - address: The address that it connected to, if it has one.
    ///   - configuration: The server's settings.
    init(port: UInt16, address: String?, _ configuration: Server.Configuration) {
        let own = configuration.names.compactMap { Authority($0.hasPrefix("*.") ? $0.dropFirst(2) : $0[...])?.host }
        self.init(port: port, bound: [configuration.bareHost] + (address.map { [$0] } ?? []) + own)
        names += configuration.names.filter { $0.hasPrefix("*.") }.compactMap { Authority($0.dropFirst(2))?.host }
        site = configuration.site
        sitePorts = configuration.sitePorts
        if let own = own.first {
            home = own
        } else if let address, let own = Authority(address.contains(":") ? "[\(address)]" : address) {
            home = HostNames.isLoopback(own.host) ? "localhost" : own.host
        }
        // A page of the site could read the server's own pages if they had its host.
        if site != nil { hosts = Set(configuration.ownPagesHost.flatMap { Authority($0) }.map { [$0.host] } ?? []) }
    }

    /// True if the port of the connection is for one origin, and not for the server's own pages.
    var isSitePort: Bool { sitePorts?.contains(port) ?? false }

    /// Returns true if the host means the server.
    public func owns(_ host: String) -> Bool { hosts.contains(host) }

    /// Returns true if a client whose request has a host may have reached the server by it: an address.
    ///
    /// Behind a container's or router's address translation, the server's own address is another one. No website can
    /// make its own name an address (DNS rebinding).
    func isReached(by host: String) -> Bool { site == nil && HostNames.isAddress(host) }

    /// The name below which origins have names for clients elsewhere; nil if there is none.
    var nameElsewhere: String? { names.count > 1 ? names[1] : nil }

    /// Returns the part of a host before one of the server's names, and that name; nil if there is none.
    func nameBelow(_ host: String) -> (name: String, base: String)? {
        let host = HostNames.withoutDot(host)
        for base in names where host.hasSuffix("." + base) && host.utf8.count > base.utf8.count + 1 {
            return (String(host.dropLast(base.utf8.count + 1)), base)
        }
        return nil
    }
}
