public import URLStandard

/// What became of a crawl.
public struct CrawlReport: Sendable, Equatable {
    /// A URL that was asked for in vain.
    public struct Failure: Sendable, Equatable {
        /// The URL.
        public var url: WebURL
        /// Why.
        public var reason: FetchFailure
        /// Where the URL was found, or nil for a seed.
        public var referrer: WebURL?
    }

    /// The URLs that one rule kept from being asked for.
    public struct Skip: Sendable, Equatable {
        /// The rule.
        public var rule: SkipRule
        /// How many.
        public var count: Int
        /// The first of them, sorted.
        public var examples: [WebURL]
    }

    /// How many resources with a body were fetched.
    public var fetched = 0
    /// How many redirects were recorded.
    public var redirects = 0
    /// The bytes of all bodies.
    public var bytes: Int64 = 0
    /// How many requests were sent, robots.txt and further attempts included.
    public var requests = 0
    /// What failed, sorted by URL.
    public var failures: [Failure] = []
    /// What was skipped, sorted by rule.
    public var skipped: [Skip] = []

    /// Creates an empty report.
    public init() {}
}

/// What happens during a crawl, for those who watch.
public enum CrawlEvent: Sendable, Equatable {
    /// A round begins: so many URLs of this depth.
    case round(depth: Int, count: Int)
    /// A resource is there.
    case fetched(WebURL, bytes: Int64)
    /// A redirect is there.
    case redirected(WebURL, status: Int)
    /// A URL is asked for again after a wait.
    case retrying(WebURL, FetchFailure, wait: Duration)
    /// A URL was asked for in vain.
    case failed(CrawlReport.Failure)
    /// The rules of an origin say how long to wait between two requests.
    case crawlDelay(origin: String, Duration)
}
