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
        /// The settings for browsers that use this server as a proxy.
        case proxySettings
        /// The script of pages; ``PageScript``.
        case script
        /// What a page's script asks when a reader follows a link; the query is the URL.
        case leaving(String)
        /// The place of a URL whose origin is no neighbor of the one site.
        case outside(WebURL)
        /// Versions of a resource.
        case past(PastTarget)
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
    static let folderScheme = PackagedOrigin.Scheme.folder.rawValue

    /// The longest target that is accepted, in bytes: a URL's limit in a package, and room for the path form.
    static let lengthLimit = 8 * 1024 + 512

    /// Parses the target of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origins: Returns the packaged origins; called only if the request's meaning depends on them.
    ///   - neighbors: Returns the origins that have something in one package with a site; called only for a request
    ///     that names one.
    /// - Throws: ``Fault`` if the target names nothing that is served.
    init(
        _ request: ServerRequest,
        origins: () -> Set<PackagedOrigin> = { [] },
        neighbors: (WebURL) -> Set<PackagedOrigin> = { _ in [] }
    ) throws(Fault) {
        if let refusal = request.host.refusal(needsHost: request.needsHost) { throw refusal }
        let (target, server) = (request.target, request.server)
        guard request.method == "GET" || request.isHead else { throw .methodNotAllowed }
        guard target.utf8.count <= Self.lengthLimit else { throw .targetTooLong }
        guard !target.utf8.contains(UInt8(ascii: "#")) else { throw .malformedTarget }
        guard target.hasPrefix("/") else {
            self = try Self.absoluteForm(target, server: server, origins: origins)
            return
        }
        if let site = server.site, request.tunnelled == nil,
            !(request.host.authority.map { server.owns($0.host) } ?? false)
        {
            self = try Self.siteForm(target, site: site, request, neighbors)
            return
        }
        if server.isSitePort, request.tunnelled == nil,
            let host = request.host.authority, server.owns(host.host) || server.isReached(by: host.host)
        {
            self = try Self.portForm(target, host: host.host, request)
            return
        }
        guard let host = request.host.authority else {
            // An HTTP/1.0 client may omit the host, so its request is for this server.
            guard request.host == .missing else { throw .malformedHost }
            self = try Self.pathForm(target, form: LinkForm(.path, port: server.port, isSecure: request.isSecure))
            return
        }
        let isSecure = request.isSecure && request.tunnelled == nil
        if request.tunnelled == nil, !server.owns(host.host), server.isReached(by: host.host),
            !origins().contains(where: { $0.authority.host == host.host })
        {
            // The address belongs to this server, before a translation of addresses.
            var form = LinkForm(.pathElsewhere, port: host.port, isSecure: isSecure)
            (form.reached, form.sitePorts) = (host.host, server.sitePorts)
            self = try Self.pathForm(target, form: form)
            return
        }
        self = try Self.originForm(target, host: host, server: server, isSecure: isSecure, origins: origins)
    }

    /// Parses the absolute form, which takes precedence over the Host field (RFC 9112 §3.2.2).
    private static func absoluteForm(
        _ target: String,
        server: ServerIdentity,
        origins: () -> Set<PackagedOrigin>
    ) throws(Fault) -> RequestTarget {
        guard let colon = target.firstIndex(of: ":"), target[colon...].hasPrefix("://") else { throw .malformedTarget }
        guard ["http", "https"].contains(target[..<colon].lowercased()) else { throw .unknownScheme }
        guard let parsed = try? WebURL(target), let host = parsed.host else { throw .malformedTarget }
        let url = parsed.removingCredentials
        let isOwnHost = server.owns(host) || server.nameBelow(host) != nil
        // A client that sends everything through this proxy also requests the proxy's own pages this way.
        guard url.scheme == "http", url.effectivePort == server.port, isOwnHost else {
            let undotted = host.hasSuffix(".") ? try? WebURL(url.text(at: HostNames.withoutDot(host))) : nil
            var form = LinkForm(.proxy, port: server.port)
            form.base = server.home
            return .resource(candidates: [url] + [undotted].compactMap(\.self), form: form)
        }
        let rest = url.requestTarget
        let authority = Authority(host: host, port: url.port)
        return try originForm(rest, host: authority, server: server, isSecure: false, origins: origins)
    }

    private static func originForm(
        _ target: String,
        host: Authority,
        server: ServerIdentity,
        isSecure: Bool,
        origins: () -> Set<PackagedOrigin>
    ) throws(Fault) -> RequestTarget {
        if server.owns(host.host) {
            let isLoopback = ["localhost", "localhost.", "127.0.0.1", "[::1]"].contains(host.host)
            let kind: LinkForm.Kind = isLoopback ? .path : .pathElsewhere
            var form = LinkForm(kind, port: host.port, isSecure: isSecure)
            if !isLoopback, let name = server.nameElsewhere { form.base = name }
            (form.reached, form.sitePorts) = (host.host, server.sitePorts)
            return try pathForm(target, form: form)
        }
        if let (name, base) = server.nameBelow(host.host) {
            var form = LinkForm(.originName, port: host.port, isSecure: isSecure)
            form.base = base
            form.name = name
            if let page = pageOfScript(target) { return .page(page, form) }
            return .resource(candidates: try candidates(named: name, target, origins), form: form)
        }
        var form = LinkForm(.hostField, port: server.port, isSecure: isSecure)
        form.base = server.home
        // A client sends the port that it connected to, which is this server's rather than the origin's.
        guard host.port == server.port else { return .resource(candidates: try candidates([host], target), form: form) }
        let bare = Authority(host: host.host, port: nil)
        return .resource(candidates: try candidates([bare, host], target), form: form)
    }

    /// Returns the page of the server that a page's script needs, below the page's own host.
    private static func pageOfScript(_ target: String) -> OwnPage? {
        guard target.hasPrefix(PageScript.folder) else { return nil }
        if target == PageScript.path { return .script }
        let leaving = PageScript.leavingPath + "?"
        return target.hasPrefix(leaving) ? .leaving(String(target.dropFirst(leaving.count))) : nil
    }

    /// Parses the target of a request that means one site, whatever its host.
    private static func siteForm(
        _ target: String,
        site: WebURL,
        _ request: ServerRequest,
        _ neighbors: (WebURL) -> Set<PackagedOrigin>
    ) throws(Fault) -> RequestTarget {
        var form = LinkForm(.site, port: request.server.port, isSecure: request.isSecure)
        form.site = site
        guard target.hasPrefix(LinkForm.neighborFolder) else { return try Self.target(target, of: site, form) }
        form.kind = .besideSite
        let rest = target.dropFirst(LinkForm.neighborFolder.count)
        return try neighborForm(rest, form) { neighbors(site) }
    }

    /// Parses `cdn-example/x`, what follows the folder of the one site's neighbors.
    private static func neighborForm(
        _ target: Substring,
        _ form: LinkForm,
        _ neighbors: () -> Set<PackagedOrigin>
    ) throws(Fault) -> RequestTarget {
        let segment = target.prefix { $0 != "/" && $0 != "?" }
        let (label, rest) = (String(segment), target[segment.endIndex...])
        guard let name = OriginName(label: label) else { return .page(.nothing, form) }
        guard rest.hasPrefix("/") else { return .redirect("\(LinkForm.neighborFolder)\(label)/\(rest)") }
        let known = neighbors()
        let meant = originsMeant(by: name) { known }
        let urls = meant.compactMap { try? WebURL($0.text + rest) }
        guard urls.count == meant.count else { throw .malformedTarget }
        var form = form
        form.name = label
        let candidates = urls.filter { url in PackagedOrigin(url).map(known.contains) ?? false }
        guard candidates.isEmpty else { return .resource(candidates: candidates, form: form) }
        return .page(urls.first { $0.isHTTP }.map { .outside($0) } ?? .nothing, form)
    }

    /// Returns the origins that a name may mean: its own, and the other scheme of the same host, as in all forms that
    /// don't tell the scheme.
    private static func originsMeant(by name: OriginName, _ packaged: () -> Set<PackagedOrigin>) -> [PackagedOrigin] {
        switch name {
        case .digest: return packaged().filter(name.means).prefix(1).map(\.self)
        case .origin(let own):
            guard own.authority.port == nil, own.scheme != .folder else { return [own] }
            return [own, PackagedOrigin(own.scheme == .http ? .https : .http, own.authority)]
        }
    }

    /// Parses the target of a request at a port that stands for one origin.
    private static func portForm(
        _ target: String,
        host: String,
        _ request: ServerRequest
    ) throws(Fault) -> RequestTarget {
        var form = LinkForm(.port, port: request.server.port, isSecure: request.isSecure)
        (form.reached, form.sitePorts) = (host, request.server.sitePorts)
        guard let origin = form.sitePorts?.origin(at: request.server.port) else { return .page(.nothing, form) }
        guard let site = try? WebURL(origin.text + "/") else { throw .malformedTarget }
        form.site = site
        return try Self.target(target, of: site, form)
    }

    private static func target(_ target: String, of site: WebURL, _ form: LinkForm) throws(Fault) -> RequestTarget {
        if let page = pageOfScript(target) { return .page(page, form) }
        guard let url = try? WebURL(site.origin + target), url.origin == site.origin else { throw .malformedTarget }
        return .resource(candidates: [url], form: form)
    }

    /// Parses `/docs.example/a/b` and `/docs.example:8080/a/b`.
    private static func pathForm(_ target: String, form: LinkForm) throws(Fault) -> RequestTarget {
        let end = target.firstIndex(of: "?") ?? target.endIndex
        let path = target[..<end]
        switch path {
        case "/": return .page(.home, form)
        case ProxySettingsPage.path: return .page(.proxySettings, form)
        case "/favicon.ico", "/robots.txt": return .page(.nothing, form)
        default: break
        }
        if let past = try PastTarget(target) { return .page(.past(past), form) }
        let segment = path.dropFirst().prefix { $0 != "/" }
        guard !segment.hasPrefix("."), let authority = Authority(segment) else { return .page(.nothing, form) }
        let rest = target[segment.endIndex...]
        guard rest.hasPrefix("/") else { return .redirect("/\(authority)/\(rest)") }
        return .resource(candidates: try candidates([authority], String(rest), withFolders: true), form: form)
    }

    /// Returns the URLs of a target at the origin that a name means, and then at hosts that it may mean.
    ///
    /// Earlier releases had names with the host's own dots, and that is what people type.
    private static func candidates(
        named name: String,
        _ target: String,
        _ packaged: () -> Set<PackagedOrigin>
    ) throws(Fault) -> [WebURL] {
        guard let authority = Authority(name), authority.port == nil else { throw .malformedHost }
        let origins = OriginName(label: name).map { originsMeant(by: $0, packaged) } ?? []
        var urls = origins.compactMap { try? WebURL($0.text + target) }
        for url in try candidates([authority], target, withFolders: true) where !urls.contains(url) { urls.append(url) }
        return urls
    }

    /// Returns the URLs of a target at each authority, http before https; those without the dot at a host's end come
    /// last.
    static func candidates(
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
