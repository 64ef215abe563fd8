internal import AFCURL

/// The form in which a client names resources on this server, which links in answers must keep.
package struct LinkForm: Equatable, Sendable {
    /// The forms described in docs/serve.md.
    package enum Kind: Equatable, Sendable {
        /// `GET http://docs.example/`: the client knows the real URL.
        case proxy
        /// `Host: docs.example`: the client believes that it is connected to the origin.
        case hostField
        /// `http://docs.example.localhost:8080/`.
        case localhostName
        /// `http://localhost:8080/docs.example/`.
        case path
        /// `http://192.0.2.1:8080/docs.example/`: the path form, from a machine where localhost means another machine.
        case pathElsewhere

        /// True if the page belongs to a host of this server for a browser, not to the resource's own host.
        var isOfServer: Bool {
            switch self {
            case .proxy, .hostField: false
            case .localhostName, .path, .pathElsewhere: true
            }
        }

        /// True if pages of all hosts share one origin, which a later server at the same port would share, too.
        var isShared: Bool {
            switch self {
            case .proxy, .hostField, .localhostName: false
            case .path, .pathElsewhere: true
            }
        }
    }

    /// The kind.
    var kind: Kind
    /// The port that the client connects to; nil for the default port.
    var port: UInt16?

    init(_ kind: Kind, port: UInt16?) {
        self.kind = kind
        self.port = port == 80 ? nil : port
    }

    /// True if the client sees URLs other than the resources' own, so that redirects must be rewritten.
    var rewritesRedirects: Bool { kind.isOfServer }

    /// The URL of the server's home page.
    var home: String { kind == .pathElsewhere ? "/" : "http://localhost\(portText)/" }

    /// Returns the host and port by which the client reached the server.
    ///
    /// - Parameters:
    ///   - host: The host that the request names.
    ///   - server: The server's identity.
    /// - Returns: The authority of a URL.
    func address(host: NamedHost, server: ServerIdentity) -> String {
        if let host = host.authority, server.owns(host.host) { return host.description }
        return Authority(host: "localhost", port: port).description
    }

    /// Rewrites a Location for this form; nil to leave it unchanged.
    ///
    /// - Parameters:
    ///   - location: The field's value.
    ///   - base: The resource that redirects.
    /// - Returns: The new value, or nil.
    func rewritten(location: String, base: WebURL) -> String? {
        guard rewritesRedirects, let (url, fragment) = try? WebURL.parseWithFragment(location, base: base),
            url.isHTTP || url.scheme == RequestTarget.folderScheme
        else { return nil }
        return link(to: url) + (fragment.map { "#" + $0 } ?? "")
    }

    /// Returns the URL at which a client in this form, or a page of the server, finds a resource.
    func link(to url: WebURL) -> String {
        let rest = url.requestTarget
        let host = url.host ?? ""
        switch kind {
        case .proxy, .hostField: return url.description
        case .localhostName:
            // Not "/rest": a path that begins with two slashes would name a host.
            if let name = Self.localhostName(of: url) { return "http://\(name)\(portText)\(rest)" }
            return "http://localhost\(portText)/\(Authority(host: host, port: url.port))\(rest)"
        case .path, .pathElsewhere: return "/\(Authority(host: host, port: url.port))\(rest)"
        }
    }

    /// Returns the URL of a resource for a page of the server: below localhost if possible, else by path.
    func pageLink(to url: WebURL) -> String {
        switch kind {
        case .pathElsewhere: link(to: url)
        case .proxy, .hostField, .localhostName, .path: LinkForm(.localhostName, port: port).link(to: url)
        }
    }

    /// Returns the name below localhost for a URL's host; addresses, and URLs with ports, have none.
    private static func localhostName(of url: WebURL) -> String? {
        guard let host = url.host, url.port == nil, !host.hasPrefix("["), !host.hasSuffix(".") else { return nil }
        guard host != "localhost", !host.hasSuffix(".localhost"), host.utf8.count <= 240 else { return nil }
        guard let name = Authority(host + ".localhost"), name.host == host + ".localhost" else { return nil }
        return name.host
    }

    private var portText: String { port.map { ":\($0)" } ?? "" }
}
