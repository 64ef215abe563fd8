#if Hummingbird
internal import AFCCaching
internal import AFCHTTP
internal import AFCServer
public import AFCURL
internal import HTTPTypes

/// The URLs that the requests to a server mean.
public struct PackageSite: Sendable {
    enum Kind: Sendable {
        /// The path of the server, without a slash at its end, and the URL without one that it stands for.
        case path(String, WebURL, isTrusted: Bool)
        case host([String]?)
    }

    let kind: Kind

    /// Returns a site below a path of this server: with the path `/docs` and the origin `https://docs.example/`,
    /// `/docs/a?b` means `https://docs.example/a?b`.
    ///
    /// Redirects keep this form. Pages get an origin of their own (`Content-Security-Policy: sandbox`), since their
    /// scripts could act as the visitor on all of this server otherwise.
    ///
    /// - Parameters:
    ///   - path: The path on this server; `/` for all of it.
    ///   - origin: The URL that the path stands for; its path is put before the rest of each request's.
    ///   - isTrusted: True if the packages are your own: their pages are then part of this server's origin.
    /// - Returns: The site.
    public static func path(_ path: String, of origin: WebURL, isTrusted: Bool = false) -> PackageSite {
        var path = path[...]
        while path.hasSuffix("/") { path = path.dropLast() }
        return PackageSite(
            kind: .path(path.hasPrefix("/") || path.isEmpty ? String(path) : "/\(path)", origin, isTrusted: isTrusted)
        )
    }

    /// Returns a site below a path of this server, as ``path(_:of:isTrusted:)`` does.
    ///
    /// - Parameters:
    ///   - path: The path on this server; `/` for all of it.
    ///   - origin: The URL that the path stands for, as a text.
    ///   - isTrusted: True if the packages are your own.
    /// - Returns: The site.
    /// - Throws: An error that says why the text is no URL.
    public static func path(_ path: String, of origin: String, isTrusted: Bool = false) throws -> PackageSite {
        self.path(path, of: try WebURL(origin), isTrusted: isTrusted)
    }

    /// The site that the Host field names, as if this server were the origin: for a server behind a proxy, or names
    /// that lead to it.
    ///
    /// - Parameter names: The hosts that are served, as a URL serializes them; nil for all.
    /// - Returns: The site.
    public static func hosts(_ names: [String]? = nil) -> PackageSite { PackageSite(kind: .host(names)) }
}

/// The URLs that a request may mean, the first that is stored first.
struct PackageTarget: Sendable {
    var urls: [WebURL]
    let form: LinkForm.Kind
    /// The path with the slash that relative links need; nil if it is there.
    var missingSlash: String?
    private let site: PackageSite

    /// Creates a target; nil if the request is for something else.
    init?(_ head: HTTPRequest, on site: PackageSite) {
        guard let path = head.path, path.hasPrefix("/"), path.utf8.count <= Self.lengthLimit,
            !path.utf8.contains(UInt8(ascii: "#"))
        else { return nil }
        self.site = site
        switch site.kind {
        case .path(let prefix, let origin, let isTrusted):
            form = isTrusted ? .originName : .path
            guard path.hasPrefix(prefix) else { return nil }
            let rest = path.dropFirst(prefix.count)
            guard rest.hasPrefix("/") else {
                guard rest.isEmpty || rest.hasPrefix("?") else { return nil }
                (urls, missingSlash) = ([], "\(prefix)/\(rest)")
                return
            }
            // The URL that was parsed must be below the origin's path, which ".." could leave.
            guard let url = try? WebURL(origin.origin + Self.base(origin) + rest), url.origin == origin.origin,
                url.path.hasPrefix(Self.base(origin) + "/")
            else { return nil }
            urls = [url]
        case .host(let names):
            form = .hostField
            guard let authority = head.authority.flatMap({ Authority($0) }), names?.contains(authority.host) ?? true
            else { return nil }
            let hosts = authority.port == nil ? [authority.host] : [authority.host, authority.description]
            urls = hosts.flatMap { host in ["http", "https"].compactMap { try? WebURL("\($0)://\(host)\(path)") } }
            guard !urls.isEmpty else { return nil }
        }
    }

    /// Returns a Location as a client of this server needs it; nil to leave it unchanged.
    func rewritten(_ location: String, base url: WebURL) -> String? {
        guard case .path(let prefix, let origin, _) = site.kind,
            let (next, fragment) = try? WebURL.parseWithFragment(location, base: url), next.origin == origin.origin
        else { return nil }
        let (target, base) = (next.requestTarget, Self.base(origin))
        guard target.hasPrefix(base + "/") else { return nil }
        return prefix + target.dropFirst(base.count) + (fragment.map { "#" + $0 } ?? "")
    }

    /// The path of an origin's URL without a slash at its end.
    private static func base(_ origin: WebURL) -> String {
        var path = origin.path[...]
        while path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    /// The longest path that is looked up, in bytes.
    private static let lengthLimit = 8 * 1024 + 512
}
#endif
