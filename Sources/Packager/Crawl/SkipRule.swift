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
    /// It matches a pattern of `--exclude`.
    case excluded
    /// It matches no pattern of `--include`.
    case notIncluded = "not-included"
    /// It is more links away than asked for.
    case depth
    /// The origin's robots.txt forbids it.
    case robots
    /// The number of pages was reached.
    case maxPages = "max-pages"
    /// The number of bytes was reached.
    case maxBytes = "max-bytes"

    /// Orders by name.
    public static func < (one: SkipRule, other: SkipRule) -> Bool { one.rawValue < other.rawValue }

    /// The rule in words, to follow a number of URLs.
    public var description: String {
        switch self {
        case .scheme: "neither http nor https"
        case .credentials: "with credentials in the URL"
        case .urlTooLong: "longer than 8 KiB"
        case .privateAddress: "in private addresses"
        case .scope: "outside the scope"
        case .excluded: "excluded by pattern"
        case .notIncluded: "included by no pattern"
        case .depth: "deeper than asked for"
        case .robots: "forbidden by robots.txt"
        case .maxPages: "beyond the number of pages"
        case .maxBytes: "beyond the number of bytes"
        }
    }
}
