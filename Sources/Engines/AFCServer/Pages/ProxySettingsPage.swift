/// The settings with which browsers send requests for packaged sites through this server (a PAC file).
///
/// Browsers run it as JavaScript, with no access to anything. Its format was Netscape's; see
/// https://developer.mozilla.org/docs/Web/HTTP/Guides/Proxy_servers_and_tunneling/Proxy_Auto-Configuration_PAC_file.
struct ProxySettingsPage {
    /// The path of the page.
    static let path = "/proxy.pac"
    /// The most hosts that are named, so that browsers accept the file.
    private static let hostLimit = 20_000

    /// The packaged origins.
    var origins: Set<PackagedOrigin>
    /// The server's host and port, as the client names them.
    var address: String
    /// Whether https requests (CONNECT) are answered, too.
    var includesSecure: Bool

    /// The script.
    var text: String {
        let served = origins.filter { $0.scheme == .http || $0.scheme == .https && includesSecure }
        // A host's letters need no escapes in a string, as a URL serializes them.
        let hosts = Set(served.map { $0.authority.host.filter { $0 != "[" && $0 != "]" } })
            .filter { !$0.contains("\"") && !$0.contains("\\") }.sorted().prefix(Self.hostLimit)
        let condition = includesSecure ? "" : #" && url.substring(0, 5) == "http:""#
        return """
            var hosts = {\(hosts.map { "\"\($0)\": true" }.joined(separator: ", "))};
            function FindProxyForURL(url, host) {
              return hosts.hasOwnProperty(host)\(condition) ? "PROXY \(address)" : "DIRECT";
            }

            """
    }
}
