public import URLStandard

/// Which URLs a crawl asks for: a pure decision from the URL, how it was found, and how deep.
public struct CrawlScope {
    /// How far links are followed.
    public enum Extent: String, Sendable, CaseIterable {
        /// Not at all: the seeds and what they require, wherever that lies.
        case page
        /// Below the folder of a seed.
        case prefix
        /// On the host and port of a seed; http and https are one where both use their usual port.
        case host
        /// On the registrable domain of a seed and all below it: `www.docs.example` and `cdn.docs.example` for `docs.example`.
        ///
        /// For a seed whose host has none (an address, a single label, a public suffix), on that host, whatever the port.
        case domain
        /// Everywhere.
        case any
    }

    /// How a URL was found.
    public enum Role: Int, Sendable, Comparable {
        /// Named by the user.
        case seed
        /// A page needs it to look as it should.
        case requisite
        /// A reader may go there.
        case link

        /// Orders by how much speaks for fetching it.
        public static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
    }

    /// What the user may set.
    public struct Options: Sendable, Equatable {
        /// How far links are followed.
        public var extent: Extent = .host
        /// Whether what a page requires is also taken from outside the extent, and what that requires in turn; nil: with
        /// ``Extent/page`` it is, else it isn't.
        public var takesForeignRequisites: Bool?
        /// How many links away from a seed a page may be, or nil for no limit; 0 is the seeds alone.
        public var depth: Int?
        /// Where there are any, a link must match one of them; seeds and requisites needn't.
        public var include: [URLPattern] = []
        /// Links and requisites that match one of them are left out.
        public var exclude: [URLPattern] = []
        /// Whether links lead into private addresses that no seed names.
        public var allowsPrivate = false

        /// Creates the defaults: the seeds' hosts, any depth.
        public init() {}
    }

    /// Host and port, the usual ports being one.
    private struct Site: Hashable {
        var host: String
        var port: UInt16?

        init?(_ url: WebURL) {
            guard let host = url.host else { return nil }
            self.host = host
            port = url.port
        }
    }

    private let options: Options
    private let sites: Set<Site>
    private let hosts: Set<String>
    private let domains: Set<String>
    private let takesForeignRequisites: Bool
    private let prefixes: [(site: Site, folder: String)]
    private let include: URLPatternSet
    private let exclude: URLPatternSet

    /// Makes a scope ready for many URLs.
    public init(seeds: [WebURL], options: Options) {
        self.options = options
        sites = Set(seeds.compactMap(Site.init))
        hosts = Set(seeds.compactMap(\.host))
        domains = options.extent == .domain ? Set(seeds.compactMap(Self.domain)) : []
        takesForeignRequisites = options.takesForeignRequisites ?? (options.extent == .page)
        prefixes = seeds.compactMap { seed in
            guard let site = Site(seed) else { return nil }
            let path = seed.path
            return (site, path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/")
        }
        include = URLPatternSet(options.include)
        exclude = URLPatternSet(options.exclude)
    }

    /// Why the URL is not asked for, or nil: it is.
    public func obstacle(to url: WebURL, as role: Role, depth: Int) -> SkipRule? {
        guard url.isHTTP else { return .scheme }
        guard !url.hasCredentials else { return .credentials }
        guard url.description.utf8.count <= Self.urlByteLimit else { return .urlTooLong }
        if !options.allowsPrivate, url.hostIsLoopbackOrPrivate, !hosts.contains(url.host ?? "") {
            return .privateAddress
        }
        guard role != .seed else { return nil }
        if let site = Site(url), !isInside(url, site, as: role) { return .scope }
        if exclude.matches(url) { return .excluded }
        guard role == .link else { return nil }
        if let limit = options.depth, depth > limit { return .depth }
        if !include.isEmpty, !include.matches(url) { return .notIncluded }
        return nil
    }

    private static let urlByteLimit = 8 << 10

    private func isInside(_ url: WebURL, _ site: Site, as role: Role) -> Bool {
        if role == .requisite {
            if takesForeignRequisites || options.extent == .any || sites.contains(site) { return true }
            return options.extent == .domain && isInDomain(url)
        }
        switch options.extent {
        case .page: return false
        case .prefix: return prefixes.contains { $0.site == site && url.path.hasPrefix($0.folder) }
        case .host: return sites.contains(site)
        case .domain: return isInDomain(url)
        case .any: return true
        }
    }

    private func isInDomain(_ url: WebURL) -> Bool { Self.domain(url).map(domains.contains) ?? false }

    /// What stands for all hosts below the URL's registrable domain.
    private static func domain(_ url: WebURL) -> String? { url.registrableDomain ?? url.host }
}
