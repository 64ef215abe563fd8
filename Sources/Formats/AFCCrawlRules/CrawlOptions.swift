public import AFCHTTP
public import AFCURL

/// What a crawl does, and what it may take.
public struct CrawlOptions: Sendable {
    /// Where it begins.
    public var seeds: [WebURL]
    /// Which URLs it asks for.
    public var scope = CrawlScope.Options()
    /// How much it may take.
    public var limits = CrawlLimits()
    /// How much of an origin's attention it may take.
    public var politeness = Politeness()
    /// When URLs count as an endless loop of the site's.
    public var traps = TrapOptions()
    /// What becomes of queries before URLs are compared.
    public var queryRules = QueryRules()
    /// Whether links that say so, and those of pages that say so, are not followed.
    public var obeysNofollow = false
    /// Whether pages that say so are left out of the package; their links are followed.
    public var obeysNoindex = false
    /// Whether robots.txt is neither fetched nor obeyed.
    public var ignoresRobots = false
    /// What the crawler calls itself; the product before the slash is its name in robots.txt.
    public var userAgent = CrawlOptions.defaultUserAgent
    /// How it proves who asks.
    public var access = AccessOptions()
    /// When what failed is asked for again.
    public var retries = RetryPolicy()
    /// How long each resource is fresh after its Date, in seconds, or nil: as its origin says.
    public var maxAge: Int64?
    /// The time that stands in the place of the clock, from SOURCE_DATE_EPOCH.
    public var pinnedTime: Timestamp?
    /// The clock.
    public var now: @Sendable () -> Timestamp
    /// Whether what the sitemaps list that robots.txt names is asked for, too.
    public var usesSitemaps = false
    /// Whether `/favicon.ico` is asked for where a page names no icon, as browsers do.
    public var asksForIcons = false
    /// The package that is updated: what its origins say is as it was isn't fetched again.
    public var updates: String?
    /// Whether the package that is updated is written anew also where nothing in it has changed.
    public var rewrites = false
    /// Whether the report tells of each URL where it was found and how deep, also of an update that finds nothing changed.
    ///
    /// Then the pages of the older package are read for it. Else an update that finds everything as it was reports counts only.
    public var tellsPlaces = true
    /// Whether only what must be read to know what follows is fetched, and nothing is written.
    public var isDryRun = false
    /// Whether an interrupted crawl is forgotten, instead of going on.
    public var restarts = false
    /// How long what was found out may be in memory only.
    package var stateInterval: Duration = .seconds(2)

    /// Creates options with the defaults.
    public init(seeds: [WebURL], now: @escaping @Sendable () -> Timestamp) {
        self.seeds = seeds
        self.now = now
    }

    /// What the crawler calls itself where the user doesn't say otherwise.
    public static let defaultUserAgent = "afcache/0.1.0 (+offline packages)"

    /// The crawler's name in robots.txt.
    package var productToken: String {
        String(userAgent.prefix { $0 != "/" && $0 != " " })
    }
}

/// How much a crawl may take before it ends.
public struct CrawlLimits: Sendable, Equatable {
    /// How many bytes all bodies may have, or nil for no limit.
    public var bytes: Int64?
    /// How many bytes one body may have.
    public var bodyBytes: Int64 = 16 << 30
    /// How long requests are started, over all runs of a crawl together, or nil for no limit.
    public var time: Duration?
    /// How many redirects in a row are followed.
    public var redirects = 10
    /// How many requisites may require one another in a row: a page its frame, that its style, that another.
    public var requisiteChain = 100
    /// How many URLs may be known, asked for or left out: twice what a package holds.
    public var urls = 4_000_000
    private var counts: [Kind: Int] = [:]

    /// Creates the defaults.
    public init() {}

    /// How many URLs of a kind are taken, or nil for no limit.
    public subscript(kind: Kind) -> Int? {
        get { counts[kind] }
        set { counts[kind] = newValue }
    }

    /// Each limit that decides which URLs are asked for, by name: all but ``time``.
    ///
    /// A kind that isn't limited is left out, so that a new kind changes no crawl that doesn't limit it; but every crawl tells
    /// of its pages.
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
