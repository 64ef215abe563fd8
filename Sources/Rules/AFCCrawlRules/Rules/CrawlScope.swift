public import AFCURL

/// The scope of a crawl: a pure decision from a URL, the way it was found, and its depth.
public struct CrawlScope {
    /// The extent to which links are followed.
    public enum Extent: String, Sendable, CaseIterable {
        /// No links: only the seeds and their requisites, wherever they are.
        case page
        /// Links below the folder of a seed.
        case prefix
        /// Links to the host and port of a seed; http and https are the same if both use their default port.
        case host
        /// Links to the registrable domain of a seed and all hosts below it.
        ///
        /// For `docs.example`, these include `www.docs.example` and `cdn.docs.example`.
        ///
        /// A seed whose host has no registrable domain (an address, a single label, a public suffix) allows that host
        /// with any port.
        case domain
        /// All links.
        case any
    }

    /// The way a URL was found.
    public enum Role: Int, Sendable, Comparable {
        /// The user named the URL.
        case seed
        /// A page needs the URL to be displayed correctly.
        case requisite
        /// A reader may follow the URL.
        case link
        /// A script may load the URL, which may not exist.
        case guess

        /// True if a page may need the URL, as opposed to a page of its own.
        package var isRequisite: Bool { self == .requisite || self == .guess }

        /// Orders roles by how strongly they favor fetching.
        public static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
    }

    /// The user's settings.
    public struct Options: Sendable, Equatable {
        /// The extent to which links are followed.
        public var extent: Extent = .host
        /// True to take a page's requisites from outside the extent, with their own requisites.
        ///
        /// The value nil means true for ``Extent/page``, and false otherwise.
        public var takesForeignRequisites: Bool?
        /// The largest number of links between a seed and a page, or nil for no limit; 0 allows only the seeds.
        public var depth: Int?
        /// Include patterns: if there are any, a link must match one; seeds and requisites needn't.
        public var include: [URLPattern] = []
        /// Patterns of links and requisites to exclude.
        public var exclude: [URLPattern] = []
        /// True to follow links to private addresses that no seed names.
        public var allowsPrivate = false

        /// Creates the defaults: the seeds' hosts, any depth.
        public init() {}
    }

    /// A host and port, where default ports are equal.
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

    /// Creates a scope that can check many URLs quickly.
    public init(seeds: [WebURL], options: Options) {
        self.options = options
        seedHosts = Set(seeds.compactMap(\.host))
        takesForeignRequisites = options.takesForeignRequisites ?? (options.extent == .page)
        include = URLPatternSet(options.include)
        exclude = URLPatternSet(options.exclude)
        for seed in seeds { widen(to: seed) }
    }

    /// Extends the scope to the target of a seed's redirect, as if the user had named it.
    ///
    /// Forbidden URLs remain forbidden: a seed that redirects to a private address doesn't allow it.
    public mutating func extend(to url: WebURL) {
        guard obstacle(to: url, as: .seed, depth: 0) == nil else { return }
        widen(to: url)
    }

    /// Returns the rule by which the target of a seed's redirect is skipped, or nil if it is in scope.
    ///
    /// - Parameters:
    ///   - url: The target.
    ///   - seed: The URL that redirects.
    /// - Returns: The rule, or nil.
    public func obstacle(toTarget url: WebURL, of seed: WebURL) -> SkipRule? {
        if let rule = obstacle(to: url, as: .seed, depth: 0) { return rule }
        if url.isNearby(seed) { return nil }
        guard let site = Site(url) else { return .scope }
        return sites.contains(site) || isInside(url, site, as: .link) ? nil : .scope
    }

    /// Returns the rule by which the URL is skipped, or nil if it is in scope.
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
        // Without the option, nothing is guessed about other hosts, also if requisites are taken from everywhere.
        if role == .guess, options.takesForeignRequisites == true { return true }
        if role == .guess { return sites.contains(site) || options.extent == .domain && isInDomain(url) }
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

    /// Returns true if a folder of the path is a seed's; fast even with many seeds.
    private func isInFolder(_ url: WebURL, of site: Site) -> Bool {
        guard let folders = folders[site] else { return false }
        let path = url.path
        let slashes = path.utf8.prefix(longestFolder).indices.lazy.filter { path.utf8[$0] == UInt8(ascii: "/") }
        return slashes.contains { folders.contains(path[...$0]) }
    }

    /// Returns true if a URL is on a seed's host or below its registrable domain, whatever the extent.
    func isOwn(_ url: WebURL) -> Bool { Site(url).map(sites.contains) ?? false || isInDomain(url) }

    private func isInDomain(_ url: WebURL) -> Bool { Self.domain(url).map(domains.contains) ?? false }

    /// Returns the URL's registrable domain, or its host if there is none.
    private static func domain(_ url: WebURL) -> String? { url.registrableDomain ?? url.host }
}
