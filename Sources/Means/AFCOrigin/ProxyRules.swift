internal import AFCCredentials
internal import AFCText
package import AFCURL

/// The proxies that forward requests: one for all, or those that a user's environment names, by the variables that
/// curl, wget and others read.
///
/// Pure.
public struct ProxyRules: Sendable, Equatable {
    /// The error for a variable whose value is not of the form `http://host:port`; the value may contain a password.
    public struct Malformation: Error, Equatable {
        /// The variable's name.
        public let variable: String
    }

    /// The proxy for all servers, also for this machine.
    private var all: OriginProxy?
    private var http: OriginProxy?
    private var https: OriginProxy?
    /// The hosts that are asked without a proxy, in lower case; `*` stands for all.
    private var direct: [String] = []

    /// Asks all servers directly.
    public init() {}

    /// Asks all servers through one proxy.
    public init(all proxy: OriginProxy) { all = proxy }

    /// Reads the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower or upper case.
    ///
    /// `HTTP_PROXY` isn't read: in a CGI program, a client's field Proxy would set it.
    ///
    /// - Parameter value: Returns the value of a variable.
    /// - Throws: ``Malformation`` if a proxy isn't of the form `http://host:port`.
    public init(_ value: (String) -> String?) throws(Malformation) {
        func variable(_ name: String) -> (name: String, value: String)? {
            for name in name == "http_proxy" ? [name] : [name, name.uppercased()] {
                if let text = value(name), !text.isEmpty { return (name, text) }
            }
            return nil
        }
        let all = variable("all_proxy")
        http = try Self.proxy(variable("http_proxy") ?? all)
        https = try Self.proxy(variable("https_proxy") ?? all)
        let text = variable("no_proxy")?.value ?? ""
        direct = text.lowercased().split { $0 == "," || $0 == " " }.map(String.init)
    }

    private static func proxy(_ variable: (name: String, value: String)?) throws(Malformation) -> OriginProxy? {
        guard let variable else { return nil }
        let text = variable.value.contains("://") ? variable.value : "http://" + variable.value
        guard let url = try? WebURL(text), url.scheme == "http", let host = url.host, let port = url.effectivePort,
            url.requestTarget == "/"
        else { throw Malformation(variable: variable.name) }
        var proxy = OriginProxy(host: host, port: port)
        // WebURL keeps user and password encoded.
        let authority = text.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") {
            let login = PercentDecoding.decode(authority[..<at].utf8)
            let pair = login.contains(UInt8(ascii: ":")) ? login : login + [UInt8(ascii: ":")]
            proxy.authorization = Secret("Basic " + Base64.encode(pair))
        }
        return proxy
    }

    /// Returns the proxy for a server; nil to ask it directly.
    package func proxy(for url: WebURL) -> OriginProxy? {
        proxy(host: url.host ?? "", port: url.effectivePort ?? 0, isSecure: url.scheme == "https")
    }

    /// Returns the proxy for a server; nil to ask it directly, as the environment's proxies leave this machine.
    ///
    /// - Parameters:
    ///   - host: The server's host as a URL serializes it.
    ///   - port: Its port.
    ///   - isSecure: True for https.
    /// - Returns: The proxy.
    package func proxy(host: String, port: UInt16, isSecure: Bool) -> OriginProxy? {
        if let all { return all }
        guard http != nil || https != nil else { return nil }
        let host = host.lowercased()
        guard host != "localhost", !host.hasSuffix(".localhost"), host != "[::1]", !host.hasPrefix("127.") else {
            return nil
        }
        let isDirect = direct.contains { entry in
            guard entry != "*" else { return true }
            var name = entry[...]
            // A port at the end, but not the last part of an IPv6 address.
            if let colon = name.lastIndex(of: ":"), name.hasSuffix("]") == false,
                name.hasPrefix("[") || name.firstIndex(of: ":") == colon
            {
                guard name[name.index(after: colon)...] == String(port) else { return false }
                name = name[..<colon]
            }
            if name.hasPrefix("*.") { name = name.dropFirst() }
            if name.hasPrefix(".") { name = name.dropFirst() }
            guard !name.isEmpty else { return false }
            return host == name || host == "[\(name)]" || host.hasSuffix("." + name)
        }
        return isDirect ? nil : isSecure ? https : http
    }
}
