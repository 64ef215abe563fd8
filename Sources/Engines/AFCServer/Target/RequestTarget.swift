internal import AFCURL

/// The meaning of a request's target: a resource, or one of the server's own pages.
enum RequestTarget: Equatable, Sendable {
    /// The first of these URLs that the cache has; links in the answer keep the form of the request.
    case resource(candidates: [WebURL], form: LinkForm)
    /// A page of the server.
    case page(OwnPage, LinkForm)
    /// `/docs.example`, which needs its slash for relative links to work.
    case redirect(String)

    /// A page of the server.
    enum OwnPage: Equatable, Sendable {
        /// The home page.
        case home
        /// An unknown page, such as an icon.
        case nothing
    }

    /// The reason to refuse a request before the cache is asked.
    enum Fault: Error, Equatable, Sendable {
        /// RFC 9112 §3.2: 400.
        case hostMissing
        /// RFC 9112 §3.2: 400.
        case severalHosts
        /// RFC 9112 §3.2: 400.
        case malformedHost
        /// RFC 9112 §3: 400.
        case malformedTarget
        /// Neither http nor https: 400.
        case unknownScheme
        /// RFC 9112 §3: 414.
        case targetTooLong
        /// Neither GET nor HEAD: 405.
        case methodNotAllowed
    }

    /// The scheme of packages that were made from a folder without a base URL.
    static let folderScheme = "afcpkg"

    /// The longest target that is accepted, in bytes: a URL's limit in a package, and room for the path form.
    static let lengthLimit = 8 * 1024 + 512

    /// Parses the target of a request.
    ///
    /// - Parameter request: The request.
    /// - Throws: ``Fault`` if the target names nothing that is served.
    init(_ request: ServerRequest) throws(Fault) {
        if let refusal = request.host.refusal(needsHost: request.needsHost) { throw refusal }
        let (target, server) = (request.target, request.server)
        guard request.method == "GET" || request.isHead else { throw .methodNotAllowed }
        guard target.utf8.count <= Self.lengthLimit else { throw .targetTooLong }
        guard !target.utf8.contains(UInt8(ascii: "#")) else { throw .malformedTarget }
        guard target.hasPrefix("/") else {
            self = try Self.absoluteForm(target, server: server)
            return
        }
        guard let host = request.host.authority else {
            // An HTTP/1.0 client may omit the host, so its request is for this server.
            guard request.host == .missing else { throw .malformedHost }
            self = try Self.pathForm(target, form: LinkForm(.path, port: server.port))
            return
        }
        self = try Self.originForm(target, host: host, server: server)
    }

    /// Parses the absolute form, which takes precedence over the Host field (RFC 9112 §3.2.2).
    private static func absoluteForm(_ target: String, server: ServerIdentity) throws(Fault) -> RequestTarget {
        guard let colon = target.firstIndex(of: ":"), target[colon...].hasPrefix("://") else { throw .malformedTarget }
        guard ["http", "https"].contains(target[..<colon].lowercased()) else { throw .unknownScheme }
        guard let parsed = try? WebURL(target), let host = parsed.host else { throw .malformedTarget }
        let url = parsed.removingCredentials
        let isOwnHost = server.owns(host) || server.nameBelowLocalhost(host) != nil
        // A client that sends everything through this proxy also requests the proxy's own pages this way.
        guard url.scheme == "http", url.effectivePort == server.port, isOwnHost else {
            let undotted = host.hasSuffix(".") ? try? WebURL(url.text(at: HostNames.withoutDot(host))) : nil
            return .resource(
                candidates: [url] + [undotted].compactMap(\.self),
                form: LinkForm(.proxy, port: server.port)
            )
        }
        let rest = url.requestTarget
        return try originForm(rest, host: Authority(host: host, port: url.port), server: server)
    }

    private static func originForm(
        _ target: String,
        host: Authority,
        server: ServerIdentity
    ) throws(Fault) -> RequestTarget {
        if server.owns(host.host) {
            let isLoopback = ["localhost", "localhost.", "127.0.0.1", "[::1]"].contains(host.host)
            return try pathForm(target, form: LinkForm(isLoopback ? .path : .pathElsewhere, port: host.port))
        }
        if let name = server.nameBelowLocalhost(host.host) {
            guard let authority = Authority(name), authority.port == nil else { throw .malformedHost }
            let form = LinkForm(.localhostName, port: host.port)
            return .resource(candidates: try candidates([authority], target, withFolders: true), form: form)
        }
        let form = LinkForm(.hostField, port: server.port)
        // A client sends the port that it connected to, which is this server's rather than the origin's.
        guard host.port == server.port else { return .resource(candidates: try candidates([host], target), form: form) }
        let bare = Authority(host: host.host, port: nil)
        return .resource(candidates: try candidates([bare, host], target), form: form)
    }

    /// Parses `/docs.example/a/b` and `/docs.example:8080/a/b`.
    private static func pathForm(_ target: String, form: LinkForm) throws(Fault) -> RequestTarget {
        let end = target.firstIndex(of: "?") ?? target.endIndex
        let path = target[..<end]
        switch path {
        case "/": return .page(.home, form)
        case "/favicon.ico", "/robots.txt": return .page(.nothing, form)
        default: break
        }
        let segment = path.dropFirst().prefix { $0 != "/" }
        guard !segment.hasPrefix("."), let authority = Authority(segment) else { return .page(.nothing, form) }
        let rest = target[segment.endIndex...]
        guard rest.hasPrefix("/") else { return .redirect("/\(authority)/\(rest)") }
        return .resource(candidates: try candidates([authority], String(rest), withFolders: true), form: form)
    }

    /// Returns the URLs of a target at each authority, http before https; those without the dot at a host's end come
    /// last.
    private static func candidates(
        _ authorities: [Authority],
        _ target: String,
        withFolders: Bool = false
    ) throws(Fault) -> [WebURL] {
        var urls: [WebURL] = []
        let undotted = authorities.filter { $0.host.hasSuffix(".") && $0.host.utf8.count > 1 }.map {
            Authority(host: HostNames.withoutDot($0.host), port: $0.port)
        }
        for authority in authorities + undotted {
            for scheme in withFolders ? ["http", "https", folderScheme] : ["http", "https"] {
                if let url = try? WebURL("\(scheme)://\(authority)\(target)") {
                    urls.append(url)
                } else if scheme != folderScheme {
                    throw .malformedTarget
                }
            }
        }
        return urls
    }
}

extension WebURL {
    /// Returns the text of the URL with another host.
    fileprivate func text(at host: String) -> String {
        "\(scheme)://\(Authority(host: host, port: port))\(requestTarget)"
    }
}
