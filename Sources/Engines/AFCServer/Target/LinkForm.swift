internal import AFCHTTP
internal import AFCURL

/// The form in which a client names resources on this server, which links in answers must keep.
package struct LinkForm: Hashable, Sendable {
    /// The forms described in docs/reference/serve.md.
    package enum Kind: Hashable, Sendable {
        /// `GET http://docs.example/`: the client knows the real URL.
        case proxy
        /// `Host: docs.example`: the client believes that it is connected to the origin.
        case hostField
        /// `http://docs-example.localhost:8080/`.
        case originName
        /// Any host, which stands for one site.
        case site
        /// `/.afcache/at/cdn-example/` at any host: a neighbor of the one site.
        case besideSite
        /// `http://192.0.2.1:8100/`: a port that stands for one site.
        case port
        /// `http://localhost:8080/docs.example/`.
        case path
        /// `http://192.0.2.1:8080/docs.example/`: the path form, from a machine where localhost means another machine.
        case pathElsewhere

        /// True if the page belongs to a host of this server for a browser, not to the resource's own host.
        var isOfServer: Bool {
            switch self {
            case .proxy, .hostField: false
            case .originName, .site, .besideSite, .port, .path, .pathElsewhere: true
            }
        }

        /// True if the page's host is that of other origins, too, so that the page needs an origin of its own.
        var isShared: Bool {
            switch self {
            case .proxy, .hostField, .originName, .site, .port: false
            case .besideSite, .path, .pathElsewhere: true
            }
        }

        /// True if all that a page refers to is at its own host, whatever that is, so that paths say where.
        var hasOneHost: Bool { self == .site || isShared }
    }

    /// The path below which each neighbor of the one site has a folder of its name.
    static let neighborFolder = PageScript.folder + "at/"

    /// The kind.
    var kind: Kind
    /// The port that the client connects to; nil for the default port.
    var port: UInt16?
    /// True if the client uses TLS.
    var isSecure: Bool
    /// The server's name below which origins have names.
    var base = "localhost"
    /// What the client wrote before that name, or as the name of a neighbor, if it did.
    var name: String?
    /// The site that the host or the port stands for, if it does; for a neighbor, the site beside it.
    var site: WebURL?
    /// The host by which the client reached the server, if it wrote one of the server's own.
    var reached = "localhost"
    /// The ports of origins; nil if they have none.
    var sitePorts: SitePorts?
    /// The moment of the versions to which links in the path forms lead; nil for the current ones.
    var moment: Moment?

    init(_ kind: Kind, port: UInt16?, isSecure: Bool = false) {
        self.kind = kind
        self.port = port == (isSecure ? 443 : 80) ? nil : port
        self.isSecure = isSecure
    }

    /// True if the client sees URLs other than the resources' own, so that redirects must be rewritten.
    var rewritesRedirects: Bool { kind.isOfServer }

    /// The one site, next to which only its neighbors have an address; nil in other forms.
    var oneSite: WebURL? { kind == .site || kind == .besideSite ? site : nil }

    /// The URL of the server's home page; nil if the client has no way to it.
    var home: String? {
        switch kind {
        case .site, .besideSite: nil
        case .path, .pathElsewhere: "/"
        case .port: mainAddress + "/"
        case .proxy, .hostField, .originName: "\(scheme)://\(base)\(portText)/"
        }
    }

    /// Returns true if the client named a resource's origin by another name than its own, such as one with dots.
    func isOtherName(of url: WebURL) -> Bool {
        guard let name, let origin = PackagedOrigin(url) else { return false }
        return OriginName.label(of: origin) != name || kind == .besideSite && url.origin == site?.origin
    }

    /// Returns the host and port by which the client reached the server.
    ///
    /// - Parameters:
    ///   - host: The host that the request names.
    ///   - server: The server's identity.
    /// - Returns: The authority of a URL.
    func address(host: NamedHost, server: ServerIdentity) -> String {
        if let host = host.authority, server.owns(host.host) || server.isReached(by: host.host) {
            return host.description
        }
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
        case .originName:
            guard let origin = PackagedOrigin(url) else { return url.description }
            // Not "/rest": a path that begins with two slashes would name a host.
            return "\(scheme)://\(OriginName.label(of: origin)).\(base)\(portText)\(rest)"
        case .site, .besideSite:
            // A path that begins with two slashes would name a host.
            if url.origin == site?.origin { return rest.hasPrefix("//") ? "/." + rest : rest }
            guard let origin = PackagedOrigin(url) else { return url.description }
            return Self.neighborFolder + OriginName.label(of: origin) + rest
        case .port:
            let byPath = "\(mainAddress)/\(Authority(host: host, port: url.port))\(rest)"
            guard let origin = PackagedOrigin(url), let port = sitePorts?.port(of: origin) else { return byPath }
            return "\(scheme)://\(reached):\(port)\(rest)"
        case .path, .pathElsewhere:
            if let moment { return PastTarget.link(to: url, at: moment) }
            return "/\(Authority(host: host, port: url.port))\(rest)"
        }
    }

    /// The policy that keeps a page from requesting anything of another server; nil if the client knows the real URLs.
    ///
    /// What a script composes can't be replaced, and would lead to the live site.
    var fence: String? {
        guard kind.isOfServer else { return nil }
        let names =
            switch kind {
            case .originName: " \(scheme)://*.\(base)\(portText)"
            // A policy can't name an address of IPv6 (Content Security Policy Level 3, §2.3.1).
            case .port: reached.hasPrefix("[") ? " \(scheme):" : " \(scheme)://\(reached):*"
            case .proxy, .hostField, .site, .besideSite, .path, .pathElsewhere: ""
            }
        let report = "report-uri \(PageScript.reportPath)"
        return "default-src 'self'\(names) data: blob: 'unsafe-inline' 'unsafe-eval'; \(report)"
    }

    /// Returns the URL of a resource for a page of the server: by its origin's name or port if possible, else by path.
    func pageLink(to url: WebURL) -> String {
        guard kind != .site, kind != .besideSite else { return link(to: url) }
        var form = self
        if kind != .pathElsewhere || base != "localhost" {
            form.kind = .originName
        } else if let origin = PackagedOrigin(url), sitePorts?.port(of: origin) != nil {
            form.kind = .port
        }
        return form.link(to: url)
    }

    /// The address of the server's own pages, without a path.
    private var mainAddress: String {
        let main = sitePorts?.mainPort ?? port
        let isDefault = main == (isSecure ? 443 : 80)
        return "\(scheme)://\(reached)" + (isDefault ? "" : main.map { ":\($0)" } ?? "")
    }

    /// Returns the URL of the page's script at a host and port of this server.
    func scriptSource(at authority: Authority) -> String { "\(scheme)://\(authority)\(PageScript.path)" }

    private var scheme: String { isSecure ? "https" : "http" }

    private var portText: String { port.map { ":\($0)" } ?? "" }
}
