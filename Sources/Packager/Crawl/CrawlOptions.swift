public import HTTPCaching
public import HTTPTypes
public import URLStandard

/// What a crawl does, and what it may take.
public struct CrawlOptions: Sendable {
    /// Where it begins.
    public var seeds: [WebURL]
    /// Which URLs it asks for.
    public var scope = CrawlScope.Options()
    /// How many seeds and links it asks for, or nil for no limit; requisites don't count.
    public var maxPages: Int?
    /// How many bytes all bodies may have, or nil for no limit.
    public var maxBytes: Int64?
    /// How many bytes one body may have.
    public var maxBodyBytes: Int64 = 16 << 30
    /// How many redirects in a row are followed.
    public var maxRedirects = 10
    /// How many requests to one host are under way at once.
    public var connectionsPerHost = 8
    /// How many requests are under way at once.
    public var connections = 32
    /// Whether robots.txt is neither fetched nor obeyed.
    public var ignoresRobots = false
    /// What the crawler calls itself; the product before the slash is its name in robots.txt.
    public var userAgent = CrawlOptions.defaultUserAgent
    /// Further fields, sent to the origins of the seeds only and never recorded.
    public var requestFields = HTTPFields()
    /// When what failed is asked for again.
    public var retries = RetryPolicy()
    /// How long each resource is fresh after its Date, in seconds, or nil: as its origin says.
    public var maxAge: Int64?
    /// The time that stands in the place of the clock, from SOURCE_DATE_EPOCH.
    public var pinnedTime: Timestamp?
    /// The clock.
    public var now: @Sendable () -> Timestamp
    /// The folder for the scratch file, which holds all bodies compressed, or nil for the package's own folder.
    public var scratchFolder: String?

    /// Creates options with the defaults.
    public init(seeds: [WebURL], now: @escaping @Sendable () -> Timestamp) {
        self.seeds = seeds
        self.now = now
    }

    /// What the crawler calls itself where the user doesn't say otherwise.
    public static let defaultUserAgent = "afcache/0.1.0 (+offline packages)"

    /// The crawler's name in robots.txt.
    var productToken: String {
        String(userAgent.prefix { $0 != "/" && $0 != " " })
    }
}
