public import AFCDiscovery
public import AFCHTTP
public import AFCURL

/// The settings of a crawl.
public struct CrawlOptions: Sendable {
    /// The start URLs.
    public var seeds: [WebURL]
    /// The URLs that the crawl may request.
    public var scope = CrawlScope.Options()
    /// The limits of the crawl.
    public var limits = CrawlLimits()
    /// The load that the crawl may put on an origin.
    public var politeness = Politeness()
    /// The signs of a crawler trap, such as an endless loop of pages.
    public var traps = TrapOptions()
    /// True if the user chose the limit for similar URLs, so that reaching it leaves nothing out unexpectedly.
    public var choosesTrapLimit = false
    /// The changes to the queries of links.
    public var queryRules = QueryRules()
    /// True to ignore links that are marked nofollow, and all links of pages that are.
    public var obeysNofollow = false
    /// True to leave pages that are marked noindex out of the package; their links are followed.
    public var obeysNoindex = false
    /// True to neither fetch nor obey robots.txt.
    public var ignoresRobots = false
    /// The value of User-Agent; the product name before the slash is the crawler's name in robots.txt.
    public var userAgent = CrawlOptions.defaultUserAgent
    /// The header fields, credentials and cookies to send.
    public var access = AccessOptions()
    /// The rules for retrying failed requests.
    public var retries = RetryPolicy()
    /// The freshness lifetime of each resource after its Date, in seconds, or nil for the origin's.
    public var maxAge: Int64?
    /// The time to use in place of the clock, from SOURCE_DATE_EPOCH.
    public var pinnedTime: Timestamp?
    /// The clock.
    public var now: @Sendable () -> Timestamp
    /// True to also request the URLs in the sitemaps that robots.txt names.
    public var usesSitemaps = false
    /// True to request `/favicon.ico` for pages that name no icon, as browsers do.
    public var asksForIcons = false
    /// True to request two invented URLs, to find the page that the site sends for URLs that it doesn't have.
    public var asksForMissingPage = false
    /// The URLs to request after all others, if they are in scope and the crawl doesn't have them; that one fails is no
    /// failure of the crawl.
    public var added: [AddedURL] = []
    /// True to read the tables by which bundlers and generators load resources; see `Recipe`.
    public var usesRecipes = true
    /// The table of recipes, if they are used.
    public var recipes = RecipeTable.builtIn
    /// True to also request the images that pages name for previews of them: Open Graph, Twitter's cards, JSON-LD.
    public var takesPreviews = false
    /// The streams of videos and sounds to take, of those that their playlists offer.
    public var media = MediaSelection.all
    /// The settings for opening pages in a browser, nil to read pages only.
    public var rendering: RenderingOptions?
    /// The path of the package to update; resources that their origins report as unchanged are not downloaded again.
    public var updates: String?
    /// The number of the older package's resources that an update may remove; nil for any.
    public var removalLimit: RemovalLimit?
    /// True to rewrite the package even if an update finds nothing changed.
    public var rewrites = false
    /// True to report where and at what depth each URL was found, even if an update finds nothing changed.
    ///
    /// The crawl then reads the pages of the older package. Otherwise, an update that finds nothing changed reports
    /// only counts.
    public var tellsPlaces = true
    /// True to fetch only what is needed to find further URLs, and to write nothing.
    public var isDryRun = false
    /// True to discard an interrupted crawl instead of resuming it.
    public var restarts = false
    /// The part of a crawl in shards that this one is, or nil for a whole crawl.
    package var shard: CrawlShard?
    /// The round of a crawl in shards, from 1.
    package var round = 1
    /// The URLs that other shards found in earlier rounds, in the order in which they are added.
    package var handed: [HandedURL] = []
    /// The longest time that results may be in memory only.
    package var stateInterval: Duration = .seconds(2)

    /// A URL that is requested although nothing may refer to it, such as one that a server of the package didn't have.
    public struct AddedURL: Sendable, Equatable {
        /// The URL.
        public var url: WebURL
        /// True if it counts as a link to a page, false if it counts as what a page needs.
        public var isPage: Bool

        /// Creates the description of a URL.
        public init(_ url: WebURL, isPage: Bool) { (self.url, self.isPage) = (url, isPage) }
    }

    /// Creates options with the defaults.
    public init(seeds: [WebURL], now: @escaping @Sendable () -> Timestamp) {
        self.seeds = seeds
        self.now = now
    }

    /// The default value of User-Agent.
    public static let defaultUserAgent = "afcache/0.2.0 (+offline packages)"

    /// The crawler's name in robots.txt.
    package var productToken: String { Self.productToken(of: userAgent) }

    /// The crawler's name in robots.txt if nothing else is given.
    package static var defaultProductToken: String { productToken(of: defaultUserAgent) }

    private static func productToken(of userAgent: String) -> String {
        String(userAgent.prefix { $0 != "/" && $0 != " " })
    }
}

/// The number of an older package's resources that an update may remove.
///
/// A site under maintenance may answer everything with one page, which would replace the package of the site.
public enum RemovalLimit: Sendable, Equatable {
    /// A number of resources.
    case count(Int)
    /// A percentage of the resources.
    case percent(Int)

    /// Parses a limit such as `100` or `20%`; nil if it isn't one.
    public init?(_ text: String) {
        let isShare = text.hasSuffix("%")
        let digits = isShare ? text.dropLast() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits),
            !isShare || value <= 100
        else { return nil }
        self = isShare ? .percent(value) : .count(value)
    }

    /// Returns true if an update may remove so many resources of a package.
    public func allows(_ removed: Int, of total: Int) -> Bool {
        switch self {
        case .count(let limit): removed <= limit
        case .percent(let limit): removed * 100 <= limit * total
        }
    }
}

/// The limits at which a crawl ends.
public struct CrawlLimits: Sendable, Equatable {
    /// The total size of all bodies, in bytes, or nil for no limit.
    public var bytes: Int64?
    /// The largest size of one body, in bytes.
    public var bodyBytes: Int64 = 16 << 30
    /// The time in which requests may start, over all runs of a crawl together, or nil for no limit.
    public var time: Duration?
    /// The number of redirects to follow in a row.
    public var redirects = 10
    /// The number of requisites in a row that may require one another, such as a frame, its style sheet and an import.
    public var requisiteChain = 100
    /// The number of known URLs, requested or skipped: twice what a package holds.
    public var urls = 4_000_000
    private var counts: [Kind: Int] = [:]

    /// Creates the defaults.
    public init() {}

    /// The number of URLs of a kind to request, or nil for no limit.
    public subscript(kind: Kind) -> Int? {
        get { counts[kind] }
        set { counts[kind] = newValue }
    }

    /// The limits that decide which URLs are requested, by name: all but ``time``.
    ///
    /// A kind without a limit is left out, except for pages, so that adding a kind doesn't affect crawls that don't
    /// limit it.
    package var decisions: [(String, String)] {
        let first = [
            ("pages", self[.pages].map { String($0) } ?? "any"),
            ("bytes", bytes.map { String($0) } ?? "any"),
            ("body bytes", "\(bodyBytes)"),
            ("redirects", "\(redirects)"),
            ("requisite chain", "\(requisiteChain)"),
            ("URLs", "\(urls)"),
        ]
        let others = Kind.allCases.filter { $0 != .pages }
        return first + others.compactMap { kind in self[kind].map { (kind.rawValue, "\($0)") } }
    }
}
