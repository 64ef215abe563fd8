/// How much a crawl may take before it ends.
public struct CrawlLimits: Sendable, Equatable {
    /// How many seeds and links are asked for, or nil for no limit; requisites don't count.
    public var pages: Int?
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

    /// Creates the defaults.
    public init() {}
}
