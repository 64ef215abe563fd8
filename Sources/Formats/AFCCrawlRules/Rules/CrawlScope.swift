public import AFCURL

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
    private var sites: Set<Site> = []
    private var domains: Set<String> = []
    private var folders: [Site: Set<Substring>] = [:]
    private var longestFolder = 0
    private let seedHosts: Set<String>
    private let takesForeignRequisites: Bool
    private let include: URLPatternSet
    private let exclude: URLPatternSet

    /// Makes a scope ready for many URLs.
    public init(seeds: [WebURL], options: Options) {
        self.options = options
        seedHosts = Set(seeds.compactMap(\.host))
        takesForeignRequisites = options.takesForeignRequisites ?? (options.extent == .page)
        include = URLPatternSet(options.include)
        exclude = URLPatternSet(options.exclude)
        for seed in seeds { widen(to: seed) }
    }

    /// Widens the extent to where a seed turned out to lie, as if that had been named, too.
    ///
    /// What may never be asked for stays so: a seed that redirects into a private address doesn't open it.
    public mutating func extend(to url: WebURL) {
        guard obstacle(to: url, as: .seed, depth: 0) == nil else { return }
        widen(to: url)
    }

    /// Why the URL is not asked for, or nil: it is.
    public func obstacle(to url: WebURL, as role: Role, depth: Int) -> SkipRule? {
        guard url.isHTTP else { return .scheme }
        guard !url.hasCredentials else { return .credentials }
        guard url.description.utf8.count <= Self.urlByteLimit else { return .urlTooLong }
        if !options.allowsPrivate, url.hostIsLoopbackOrPrivate, !seedHosts.contains(url.host ?? "") {
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

    private mutating func widen(to seed: WebURL) {
        guard let site = Site(seed) else { return }
        sites.insert(site)
        if let domain = Self.domain(seed) { domains.insert(domain) }
        let path = seed.path
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        folders[site, default: []].insert(folder)
        longestFolder = max(longestFolder, folder.utf8.count)
    }

    private func isInside(_ url: WebURL, _ site: Site, as role: Role) -> Bool {
        if role == .requisite {
            if takesForeignRequisites || options.extent == .any || sites.contains(site) { return true }
            return options.extent == .domain && isInDomain(url)
        }
        switch options.extent {
        case .page: return false
        case .prefix: return isInFolder(url, of: site)
        case .host: return sites.contains(site)
        case .domain: return isInDomain(url)
        case .any: return true
        }
    }

    /// Whether one of the folders that the path goes through is a seed's; there may be very many seeds.
    private func isInFolder(_ url: WebURL, of site: Site) -> Bool {
        guard let folders = folders[site] else { return false }
        let path = url.path
        let slashes = path.utf8.prefix(longestFolder).indices.lazy.filter { path.utf8[$0] == UInt8(ascii: "/") }
        return slashes.contains { folders.contains(path[...$0]) }
    }

    /// Whether a URL lies on a seed's host, or below its registrable domain, whatever the extent.
    func isOwn(_ url: WebURL) -> Bool { Site(url).map(sites.contains) ?? false || isInDomain(url) }

    private func isInDomain(_ url: WebURL) -> Bool { Self.domain(url).map(domains.contains) ?? false }

    /// What stands for all hosts below the URL's registrable domain.
    private static func domain(_ url: WebURL) -> String? { url.registrableDomain ?? url.host }
}
