public import AFCURL

/// What a `robots.txt` lets one crawler fetch (RFC 9309).
public struct RobotsRules: Equatable, Sendable {
    /// How much of a file is read; RFC 9309 §2.5 asks for at least 500 KiB.
    public static let byteLimit = 500 << 10
    /// How many redirects are followed to a file (RFC 9309 §2.3.1.2).
    public static let redirectLimit = 5
    /// How many sitemaps of a file are kept.
    public static let sitemapLimit = 10_000

    /// Rules that allow everything: there is no file, or the origin refuses to give it (RFC 9309 §2.3.1.3).
    public static let allowAll = RobotsRules(rules: [])
    /// Rules that forbid everything: the origin can't be reached or is at fault (RFC 9309 §2.3.1.4).
    public static let disallowAll = RobotsRules(
        rules: [RobotsPattern(Array("/".utf8), isAllowed: false)],
        isUnavailable: true
    )

    /// The rules, so that the first that matches decides: the longest first, and of two equally long ones the one that
    /// allows (RFC 9309 §2.2.2).
    private let rules: [RobotsPattern]
    /// How long to wait between two requests, in milliseconds, where the file says it.
    public internal(set) var crawlDelay: Int?
    /// The sitemaps that the file names, as written; at most ``sitemapLimit``.
    public internal(set) var sitemaps: [String] = []

    /// Indicates whether the file couldn't be fetched, so that no rule of the origin forbids.
    let isUnavailable: Bool

    init(rules: [RobotsPattern], isUnavailable: Bool = false) {
        self.isUnavailable = isUnavailable
        self.rules = rules.sorted { one, other in
            one.octets != other.octets ? one.octets > other.octets : one.isAllowed && !other.isAllowed
        }
    }

    /// Reads a file.
    ///
    /// Groups for the token are put together; where there is none, those for `*` count. Lines that are neither are
    /// skipped, as are bytes beyond ``byteLimit`` and the line that they cut.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - productToken: The crawler's name, for example `afcache`, compared without regard to case.
    public init(parsing bytes: [UInt8], productToken: String) {
        var parser = RobotsParser(productToken: productToken)
        var text = bytes.prefix(Self.byteLimit)
        if bytes.count >= Self.byteLimit {
            // Half a rule may forbid everything.
            text = text.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { text[...$0] } ?? []
        }
        parser.read(text)
        self = parser.result
    }

    /// What an answer other than a file means (RFC 9309 §2.3.1).
    ///
    /// - Parameter status: The final status, or nil where the origin could not be reached.
    public init(unavailableWith status: Int?) {
        guard let status, !(500...599).contains(status) else {
            self = .disallowAll
            return
        }
        self = .allowAll
    }

    /// Whether the URL may be fetched: the longest pattern decides, and of two equally long ones the one that allows.
    ///
    /// A file that takes too long to compare forbids the URL.
    public func isAllowed(_ url: WebURL) -> Bool {
        guard !rules.isEmpty, url.path != "/robots.txt" else { return true }
        let path = RobotsPath(url)
        var steps = Self.stepLimit
        let first = rules.first { $0.matches(path, steps: &steps) || steps < 0 }
        return steps >= 0 && first?.isAllowed ?? true
    }

    /// Without stars the whole file takes less than one step a byte.
    private static let stepLimit = 8 << 20
}
