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
    /// How many URLs are let into the queue: so many fit into a package.
    public var urls = 2_000_000

    /// Creates the defaults.
    public init() {}

    /// What has been taken so far.
    public struct Taken: Sendable, Equatable {
        /// How many seeds and links.
        public var pages = 0
        /// How many bytes of bodies.
        public var bytes: Int64 = 0
        /// How much time.
        public var time: Duration = .zero
        /// How many URLs were let into the queue.
        public var urls = 0

        /// Creates what has been taken at the start: nothing.
        public init() {}
    }

    /// Why a URL isn't asked for any more after so much, or nil.
    ///
    /// - Parameters:
    ///   - role: How the URL was found; the number of pages doesn't count for requisites.
    ///   - chain: How many requisites in a row led to it, itself among them.
    ///   - taken: What has been taken so far.
    /// - Returns: The limit that was reached.
    public func obstacle(to role: CrawlScope.Role, chain: Int = 0, after taken: Taken) -> SkipRule? {
        if let time, taken.time >= time { return .maxTime }
        if let bytes, taken.bytes >= bytes { return .maxBytes }
        if taken.urls >= urls { return .maxURLs }
        if role == .requisite { return chain > requisiteChain ? .requisiteChain : nil }
        if let pages, taken.pages >= pages { return .maxPages }
        return nil
    }
}
