/// By what hosts and port the server itself is meant.
public struct ServerIdentity: Hashable, Sendable {
    /// The port it listens on.
    public var port: UInt16
    /// Its hosts, as a URL serialises them.
    public var hosts: Set<String>

    /// Creates an identity: the loopback names, and what else the server is bound to.
    ///
    /// - Parameters:
    ///   - port: The port it listens on.
    ///   - bound: Hosts and addresses that it is bound to; what is no host is left out.
    public init(port: UInt16, bound: [String] = []) {
        self.port = port
        hosts = ["localhost", "localhost.", "127.0.0.1", "[::1]"]
        for text in bound {
            let isIPv6 = text.contains(":") && !text.hasPrefix("[")
            if let authority = Authority(isIPv6 ? "[\(text)]" : text) { hosts.insert(authority.host) }
        }
    }

    /// Whether the host means the server.
    public func owns(_ host: String) -> Bool { hosts.contains(host) }

    /// What stands before `.localhost`, or nil where the host has no such end.
    func nameBelowLocalhost(_ host: String) -> String? {
        for suffix in [".localhost", ".localhost."] where host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count
        {
            return String(host.dropLast(suffix.utf8.count))
        }
        return nil
    }
}
