/// Why a URL that was found is not asked for.
public enum SkipRule: String, Sendable, CaseIterable, Comparable {
    /// It is neither http nor https.
    case scheme
    /// It holds a user's name or password.
    case credentials
    /// It is longer than a package's URL may be.
    case urlTooLong = "url-too-long"
    /// It leads into an address that isn't public.
    case privateAddress = "private-address"
    /// It is outside the scope.
    case scope
    /// It matches a pattern that excludes.
    case excluded
    /// It matches none of the patterns that include.
    case notIncluded = "not-included"
    /// It is more links away than asked for.
    case depth
    /// The origin's robots.txt forbids it.
    case robots
    /// The origin's robots.txt can't be had: the host can't be reached, or is at fault (RFC 9309 §2.3.1.4).
    case robotsUnavailable = "robots-unavailable"
    /// Page or link says not to follow it.
    case nofollow
    /// The page says not to keep it.
    case noindex
    /// Its path repeats itself.
    case repeatedPath = "repeated-path"
    /// Its path has too many segments.
    case pathDepth = "path-depth"
    /// Its query has too many parameters.
    case tooManyParameters = "too-many-parameters"
    /// Too many URLs of its shape were asked for already.
    case tooManyAlike = "too-many-alike"
    /// It has a session id of which there were too many already.
    case sessionIDs = "session-ids"
    /// Too many requisites in a row led to it.
    case requisiteChain = "requisite-chain"
    /// The number of pages was reached.
    case maxPages = "max-pages"
    /// The number of bytes was reached.
    case maxBytes = "max-bytes"
    /// The time was over.
    case maxTime = "max-time"
    /// Too many redirects in a row led to it.
    case maxRedirects = "max-redirects"
    /// The number of URLs that may be known was reached.
    case maxURLs = "max-urls"

    /// Orders by name.
    public static func < (one: SkipRule, other: SkipRule) -> Bool { one.rawValue < other.rawValue }

    /// Whether the rule decides on a URL when it is found, before the watch for traps is asked; the others decide later, or
    /// are that watch's.
    var isFound: Bool {
        switch self {
        case .scheme, .credentials, .urlTooLong, .privateAddress, .scope, .excluded, .notIncluded, .depth, .nofollow,
            .requisiteChain:
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
        case .sessionIDs: "that differ only in a session ID"
        case .requisiteChain: "reached through too many requisites in a row"
        case .maxPages: "beyond the page limit"
        case .maxBytes: "beyond the size limit"
        case .maxTime: "left when the time limit was reached"
        case .maxRedirects: "beyond the redirect limit"
        case .maxURLs: "beyond the URL limit"
        }
    }
}
