internal import AFCDiscovery
package import AFCURL

/// The references that a browser found in a page.
package struct RenderedReferences: Sendable {
    /// The page.
    package var page: WebURL
    /// What the page requested and links to.
    package var found: [FoundURL]
    /// The reason that the browser didn't get to the page's end, or nil if it did.
    package var cut: CrawlReport.Cut.Limit?

    package init(page: WebURL, found: [FoundURL], cut: CrawlReport.Cut.Limit?) {
        self.page = page
        self.found = found
        self.cut = cut
    }
}

/// What a crawl knows about URLs at one moment.
package struct KnownAnswers: Sendable {
    /// What is known about a URL.
    package enum Answer: Equatable, Sendable {
        /// The URL is new.
        case unknown
        /// The URL isn't requested, or not yet.
        case none
        /// The URL's result has this number in the crawl's state.
        case result(Int64)
    }

    let known: KnownURLs

    /// Returns what is known about a URL.
    package func answer(_ key: URLKey) -> Answer {
        guard let entry = known[key] else { return .unknown }
        return entry.state.isTaken ? .result(entry.id) : .none
    }
}
