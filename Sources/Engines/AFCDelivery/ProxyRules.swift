internal import AFCCredentials
internal import AFCOrigin
public import AFCText
internal import AFCURL

/// The proxies that a user's environment names, by the variables that curl, wget and others read.
///
/// Pure.
public struct ProxyRules: Sendable, Equatable {
    private var http: OriginProxy?
    private var https: OriginProxy?
    /// The hosts that are asked without a proxy, in lower case; `*` stands for all.
    private var direct: [String] = []

    /// Asks all servers directly.
    public init() {}

    /// Reads the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower or upper case.
    ///
    /// `HTTP_PROXY` isn't read: in a CGI program, a client's field Proxy would set it.
    ///
    /// - Parameter value: Returns the value of a variable.
    /// - Throws: ``DeliveryError`` with the code `badURL` if a proxy isn't of the form `http://host:port`.
    public init(_ value: (String) -> String?) throws(DeliveryError) {
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

    private static func proxy(_ variable: (name: String, value: String)?) throws(DeliveryError) -> OriginProxy? {
        guard let variable else { return nil }
        let text = variable.value.contains("://") ? variable.value : "http://" + variable.value
        guard let url = try? WebURL(text), url.scheme == "http", let host = url.host, let port = url.effectivePort,
            url.requestTarget == "/"
        else {
            // The value may contain a password, so the error doesn't show it.
            throw DeliveryError(
                .badURL,
                subject: variable.name,
                message: "the variable must be of the form http://host:port"
            )
        }
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

    /// Returns the proxy for a server; nil to ask it directly, as this machine always is.
    func proxy(for url: WebURL) -> OriginProxy? {
        let host = (url.host ?? "").lowercased()
        guard host != "localhost", host != "[::1]", !host.hasPrefix("127.") else { return nil }
        let isDirect = direct.contains { entry in
            guard entry != "*" else { return true }
            var name = entry[...]
            // A port at the end, but not the last part of an IPv6 address.
            if let colon = name.lastIndex(of: ":"), name.hasSuffix("]") == false,
                name.hasPrefix("[") || name.firstIndex(of: ":") == colon
            {
                guard name[name.index(after: colon)...] == String(url.effectivePort ?? 0) else { return false }
                name = name[..<colon]
            }
            if name.hasPrefix("*.") { name = name.dropFirst() }
            if name.hasPrefix(".") { name = name.dropFirst() }
            guard !name.isEmpty else { return false }
            return host == name || host == "[\(name)]" || host.hasSuffix("." + name)
        }
        return isDirect ? nil : url.scheme == "https" ? https : http
    }
}
