/// The reason for skipping a URL.
public enum SkipRule: String, Sendable, CaseIterable, Comparable {
    /// The scheme is neither http nor https.
    case scheme
    /// The URL contains a user name or password.
    case credentials
    /// The URL is too long for a package.
    case urlTooLong = "url-too-long"
    /// The host has a private address.
    case privateAddress = "private-address"
    /// The URL is outside the scope.
    case scope
    /// The URL matches an exclude pattern.
    case excluded
    /// The URL matches no include pattern.
    case notIncluded = "not-included"
    /// The URL is beyond the maximum depth.
    case depth
    /// The origin's robots.txt forbids the URL.
    case robots
    /// The origin's robots.txt is unavailable: the host is unreachable or has a server error (RFC 9309 §2.3.1.4).
    case robotsUnavailable = "robots-unavailable"
    /// The page or the link is marked nofollow.
    case nofollow
    /// The page is marked noindex.
    case noindex
    /// The path repeats itself.
    case repeatedPath = "repeated-path"
    /// The path has too many segments.
    case pathDepth = "path-depth"
    /// The query has too many parameters.
    case tooManyParameters = "too-many-parameters"
    /// The crawl has already requested too many URLs of this shape.
    case tooManyAlike = "too-many-alike"
    /// The crawl already has too many hosts, or too many of one domain.
    case tooManyHosts = "too-many-hosts"
    /// The host has already used too many values of the URL's session ID.
    case sessionIDs = "session-ids"
    /// Too many requisites in a row lead to the URL.
    case requisiteChain = "requisite-chain"
    /// A page answered a guess of a file that isn't one.
    case guessedPage = "guessed-page"
    /// The URL was guessed, and the site seems to have none of its kind.
    case unlikelyGuess = "unlikely-guess"
    /// The page limit was reached.
    case maxPages = "max-pages"
    /// The size limit was reached.
    case maxBytes = "max-bytes"
    /// The time limit was reached.
    case maxTime = "max-time"
    /// Too many redirects in a row lead to the URL.
    case maxRedirects = "max-redirects"
    /// The limit for known URLs was reached.
    case maxURLs = "max-urls"
    /// The URL's host belongs to another shard of the crawl, which gets the URL.
    case otherShard = "other-shard"

    /// Orders by name.
    public static func < (one: SkipRule, other: SkipRule) -> Bool { one.rawValue < other.rawValue }

    /// True if the rule applies when a URL is found, before the check for traps.
    ///
    /// The other rules apply later, or belong to that check.
    var isFound: Bool {
        switch self {
        case .scheme, .credentials, .urlTooLong, .privateAddress, .scope, .excluded, .notIncluded, .depth, .nofollow,
            .requisiteChain, .otherShard:
            true
        default: false
        }
    }

    /// The rule in words, to follow a number of URLs.
    public var description: String {
        switch self {
        case .scheme: "with a scheme other than http or https"
        case .credentials: "with credentials in the URL"
        case .urlTooLong: "longer than 8 KiB"
        case .privateAddress: "with a private address"
        case .scope: "outside the scope"
        case .excluded: "excluded by pattern"
        case .notIncluded: "that match no include pattern"
        case .depth: "beyond the maximum depth"
        case .robots: "forbidden by robots.txt"
        case .robotsUnavailable: "whose host's robots.txt could not be fetched; see the failures"
        case .nofollow: "marked nofollow"
        case .noindex: "marked noindex"
        case .repeatedPath: "whose path repeats itself (likely crawler traps)"
        case .pathDepth: "with too many path segments (likely crawler traps)"
        case .tooManyParameters: "with too many query parameters (likely crawler traps)"
        case .tooManyAlike: "beyond the limit for similar URLs"
        case .tooManyHosts: "on further hosts, of which there are too many"
        case .sessionIDs: "that differ only in a session ID"
        case .requisiteChain: "reached through too many requisites in a row"
        case .guessedPage: "guessed from scripts and answered with a page"
        case .unlikelyGuess: "that were guessed, of a kind that the site doesn't have"
        case .maxPages: "beyond the page limit"
        case .maxBytes: "beyond the size limit"
        case .maxTime: "left when the time limit was reached"
        case .maxRedirects: "beyond the redirect limit"
        case .maxURLs: "beyond the URL limit"
        case .otherShard: "that another shard fetches"
        }
    }
}
