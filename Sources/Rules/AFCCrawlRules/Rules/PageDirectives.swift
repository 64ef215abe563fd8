internal import AFCHTTP

/// A page's directives for crawlers, from `X-Robots-Tag` fields and `meta name=robots` elements.
///
/// Directives for all crawlers and for this one add up, so the stricter applies. No standard defines them; see
/// https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag.
public struct PageDirectives: Sendable, Equatable {
    /// True if the page's links must not be followed.
    public var isNofollow = false
    /// True if the page must not be stored.
    public var isNoindex = false

    /// Creates directives; by default they restrict nothing.
    public init(isNofollow: Bool = false, isNoindex: Bool = false) {
        self.isNofollow = isNofollow
        self.isNoindex = isNoindex
    }

    /// Reads the `X-Robots-Tag` fields of a response.
    ///
    /// - Parameters:
    ///   - values: The fields' values, in order.
    ///   - productToken: The crawler's name in robots.txt, compared without regard to case.
    public init(robotsTag values: [String], productToken: String) {
        for rule in RobotsTag.directives(values, for: productToken) { take(rule) }
    }

    /// Reads a `meta` element; it has no effect unless its name is `robots` or the crawler's.
    ///
    /// - Parameters:
    ///   - name: The element's name.
    ///   - content: The element's content.
    ///   - productToken: The crawler's name in robots.txt, compared without regard to case.
    public init(metaName name: String, content: String, productToken: String) {
        guard RobotsTag.isName(RobotsTag.trimmed(Substring(name.lowercased())), of: productToken) else { return }
        for rule in content.lowercased().split(whereSeparator: { $0 == "," || $0.isWhitespace }) { take(rule) }
    }

    /// Returns the union with the directives of another part of the page.
    public func union(_ other: PageDirectives) -> PageDirectives {
        PageDirectives(isNofollow: isNofollow || other.isNofollow, isNoindex: isNoindex || other.isNoindex)
    }

    private mutating func take(_ rule: Substring) {
        switch rule {
        case "nofollow": isNofollow = true
        case "noindex": isNoindex = true
        case "none": (isNofollow, isNoindex) = (true, true)
        default: return
        }
    }
}
