package import AFCDiscovery
package import AFCURL

/// A URL in the queue of a crawl.
package struct CrawlItem: Sendable {
    /// Its number, in the order in which URLs were found.
    package var id: Int64
    /// The URL.
    package var url: WebURL
    /// The URL in the set of known ones.
    package var key: URLKey
    /// How many redirects led to it.
    package var redirects: Int
    /// How many requisites in a row led to it, itself among them.
    package var chain: Int
    /// The lane in which it waits: 0 where it was found as a requisite first, else 1.
    package var lane: Int
    /// What it was asked for as, which decides how it is read.
    package var destination: Destination
    /// Where it was found, or nil for a seed.
    package var referrer: CrawlReferrer?
    /// Whether pages are the same without it for most readers: icons, fonts, hints at what may be needed.
    package var isOptional = false

    package init(
        id: Int64,
        url: WebURL,
        key: URLKey,
        redirects: Int,
        chain: Int,
        lane: Int,
        destination: Destination,
        referrer: CrawlReferrer?,
        isOptional: Bool = false
    ) {
        self.id = id
        self.url = url
        self.key = key
        self.redirects = redirects
        self.chain = chain
        self.lane = lane
        self.destination = destination
        self.referrer = referrer
        self.isOptional = isOptional
    }

    /// A URL that was found, as it goes into the queue.
    init(_ found: FoundURL, id: Int64, redirects: Int, chain: Int, referrer: CrawlReferrer?) {
        self.init(
            id: id,
            url: found.url,
            key: found.key,
            redirects: redirects,
            chain: chain,
            lane: found.role == .requisite ? 0 : 1,
            destination: found.destination,
            referrer: referrer,
            isOptional: found.isOptional
        )
    }
}

/// Where a URL was found.
package struct CrawlReferrer: Sendable {
    /// The number of the page.
    package var id: Int64
    /// The page.
    package var url: WebURL

    package init(id: Int64, url: WebURL) {
        self.id = id
        self.url = url
    }
}

/// A URL that an answer refers to.
package struct FoundURL: Sendable {
    package var url: WebURL
    package var key: URLKey
    package var role: CrawlScope.Role
    package var destination: Destination
    /// Whether the page asks for this link not to be followed.
    package var isNofollow: Bool
    /// Whether pages are the same without it for most readers.
    package var isOptional: Bool

    package init(
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

extension WebURL {
    /// The URL as browsers ask for it.
    ///
    /// Chromium writes `|` in a path as `%7C`, where the URL Standard leaves it as it stands, so a resource under the latter
    /// would never be found by it. Queries are the same in both.
    package var asBrowsersAsk: WebURL {
        let path = path
        guard path.utf8.contains(UInt8(ascii: "|")) else { return self }
        let written = path.replacing("|", with: "%7C") + (query.map { "?" + $0 } ?? "")
        do throws(ParseError) {
            return try WebURL(written, base: self)
        } catch {
            return self
        }
    }
}
