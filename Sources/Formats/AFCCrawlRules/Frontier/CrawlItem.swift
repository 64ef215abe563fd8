internal import AFCDiscovery
internal import AFCURL

/// A URL in the queue of a crawl.
struct CrawlItem: Sendable {
    /// Its number, in the order in which URLs were found.
    var id: Int64
    /// The URL.
    var url: WebURL
    /// The URL in the set of known ones.
    var key: URLKey
    /// How many redirects led to it.
    var redirects: Int
    /// How many requisites in a row led to it, itself among them.
    var chain: Int
    /// The lane in which it waits: 0 where it was found as a requisite first, else 1.
    var lane: Int
    /// What it was asked for as, which decides how it is read.
    var destination: Destination
    /// Where it was found, or nil for a seed.
    var referrer: CrawlReferrer?
    /// Whether pages are the same without it for most readers: icons, fonts, hints at what may be needed.
    var isOptional = false
}

/// Where a URL was found.
struct CrawlReferrer: Sendable {
    /// The number of the page.
    var id: Int64
    /// The page.
    var url: WebURL
}

/// A URL that an answer refers to.
struct FoundURL: Sendable {
    var url: WebURL
    var key: URLKey
    var role: CrawlScope.Role
    var destination: Destination
    /// Whether the page asks for this link not to be followed.
    var isNofollow: Bool
    /// Whether pages are the same without it for most readers.
    var isOptional: Bool

    init(
        _ url: WebURL,
        role: CrawlScope.Role,
        destination: Destination = .other,
        isNofollow: Bool = false,
        isOptional: Bool = false
    ) {
        self.url = url.asBrowsersAsk
        key = URLKey(self.url)
        self.role = role
        self.destination = destination
        self.isNofollow = isNofollow
        self.isOptional = isOptional
    }
}
