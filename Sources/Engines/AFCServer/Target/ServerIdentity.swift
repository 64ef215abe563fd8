/// The hosts and the port that mean the server itself.
public struct ServerIdentity: Hashable, Sendable {
    /// The port that the server listens on.
    public var port: UInt16
    /// The server's hosts, as a URL serializes them.
    public var hosts: Set<String>

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

    /// Returns true if the host means the server.
    public func owns(_ host: String) -> Bool { hosts.contains(host) }

    /// Returns the part before `.localhost`, or nil if the host has no such ending.
    func nameBelowLocalhost(_ host: String) -> String? {
        for suffix in [".localhost", ".localhost."] where host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count
        {
            return String(host.dropLast(suffix.utf8.count))
        }
        return nil
    }
}
