package import AFCDiscovery
package import AFCURL

/// A URL in the queue of a crawl.
package struct CrawlItem: Sendable {
    /// The URL's number, in the order in which URLs were found.
    package var id: Int64
    /// The URL.
    package var url: WebURL
    /// The URL's key in the set of known URLs.
    package var key: URLKey
    /// The number of redirects in a row that led to it.
    package var redirects: Int
    /// The number of requisites in a row that led to it, including itself.
    package var chain: Int
    /// The lane in which it waits: 0 if it was first found as a requisite, 2 as a guess, else 1.
    package var lane: Int
    /// The destination of the request, which determines how the body is read.
    package var destination: Destination
    /// The page with the reference, or nil for a seed.
    package var referrer: CrawlReferrer?
    /// True if most readers don't miss it: icons, fonts, preload hints, modules that may never be imported.
    package var isOptional = false
    /// True for a script or style sheet that may never be loaded, such as a module in `import()`.
    ///
    /// No other script or style sheet is optional.
    package var isConditional: Bool { isOptional && [.module, .script, .style].contains(destination) }

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

    /// True if a user named it besides the seeds; only a guess of a page has a referrer.
    var isAdded: Bool { lane == Frontier.guesses && referrer == nil }

    /// Creates the queue's item for a URL that was found.
    init(_ found: FoundURL, id: Int64, redirects: Int, chain: Int, referrer: CrawlReferrer?) {
        self.init(
            id: id,
            url: found.url,
            key: found.key,
            redirects: redirects,
            chain: chain,
            lane: found.lane,
            destination: found.destination,
            referrer: referrer,
            isOptional: found.isOptional
        )
    }
}

/// The page on which a URL was found.
package struct CrawlReferrer: Sendable {
    /// The page's number.
    package var id: Int64
    /// The page's URL.
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
    /// True if the page marks this link as nofollow.
    package var isNofollow: Bool
    /// True if most readers don't miss it.
    package var isOptional: Bool
    /// True if a sitemap lists it, so that it is no trap.
    package var isListed: Bool
    /// True if one of the mentions, at least, displays a page that answers.
    package var isPage: Bool
    /// True if a user named it besides the seeds, so that it may not exist.
    package var isAdded = false

    package init(
        _ url: WebURL,
        role: CrawlScope.Role,
        destination: Destination = .other,
        isNofollow: Bool = false,
        isOptional: Bool = false,
        isListed: Bool = false
    ) {
        self.url = url.asBrowsersAsk
        key = URLKey(self.url)
        self.role = role
        self.destination = destination
        self.isNofollow = isNofollow
        self.isOptional = isOptional
        self.isListed = isListed
        isPage = destination.showsPages || role == .seed
    }

    /// Creates the reference that another shard found.
    init(_ handed: HandedURL) {
        self.init(
            handed.url,
            role: handed.role,
            destination: handed.destination,
            isOptional: handed.isOptional,
            isListed: handed.isListed
        )
        isPage = handed.isPage
    }

    /// True for a script or style sheet that may never be loaded.
    var isConditional: Bool { isOptional && [.module, .script, .style].contains(destination) }

    /// True for a script or style sheet that a page or script needs in any case.
    var isCertain: Bool { role == .requisite && !isOptional && [.module, .script, .style].contains(destination) }

    /// True for a link, and for a guess of a page, which is followed by the rules for links.
    var isFollowed: Bool { role == .link || role == .guess && destination.showsPages }

    /// The number of requisites in a row that lead to it from an item; sitemaps that name sitemaps count, too.
    func chain(after item: CrawlItem) -> Int {
        role.isRequisite || destination == .sitemap && item.destination == .sitemap ? item.chain + 1 : 0
    }

    /// The lane in which the URL will wait.
    fileprivate var lane: Int {
        switch role {
        case _ where isAdded: Frontier.guesses
        case .requisite: 0
        case .seed, .link: 1
        case .guess: Frontier.guesses
        }
    }
}

extension WebURL {
    /// The URL as browsers request it.
    ///
    /// Chromium writes `
    ///
    /// ` in a path as `%7C`, but the URL Standard leaves it unchanged, so Chromium would never find a resource stored
    /// under the unchanged form. Queries are the same in both.
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
