package import AFCCaching
public import AFCURL

/// The rules of a `robots.txt` for one crawler (RFC 9309).
public struct RobotsRules: Equatable, Sendable {
    /// The number of bytes to read of a file; RFC 9309 §2.5 requires at least 500 KiB.
    public static let byteLimit = 500 << 10
    /// The number of redirects to follow to a file (RFC 9309 §2.3.1.2).
    public static let redirectLimit = 5
    /// The largest number of sitemaps to keep from a file.
    public static let sitemapLimit = 10_000
    /// The largest number of rules about the use of resources to keep from a group.
    static let usageLimit = 1_000

    /// Rules that allow everything: the file doesn't exist, or the origin denies access to it (RFC 9309 §2.3.1.3).
    public static let allowAll = RobotsRules(rules: [])
    /// Rules that forbid everything: the origin is unreachable or has a server error (RFC 9309 §2.3.1.4).
    public static let disallowAll = RobotsRules(
        rules: [RobotsPattern(Array("/".utf8), isAllowed: false)],
        isUnavailable: true
    )

    /// The rules, sorted so that the first match decides.
    ///
    /// The longest is first, and of equally long ones the one that allows (RFC 9309 §2.2.2).
    private let rules: [RobotsPattern]
    /// The time between two requests in milliseconds, if the file sets it.
    public internal(set) var crawlDelay: Int?
    /// The sitemaps that the file names, as written; at most ``sitemapLimit``.
    public internal(set) var sitemaps: [String] = []

    /// The rules about the use of resources, the longest pattern first.
    var usageRules: [RobotsUsageRule] = [] {
        didSet { usageRules.sort { $0.octets > $1.octets } }
    }

    /// True if the file couldn't be fetched, so that everything is forbidden, but not by a rule of the origin.
    package let isUnavailable: Bool

    init(rules: [RobotsPattern], isUnavailable: Bool = false) {
        self.isUnavailable = isUnavailable
        self.rules = rules.sorted { one, other in
            one.octets != other.octets ? one.octets > other.octets : one.isAllowed && !other.isAllowed
        }
    }

    /// Reads a file.
    ///
    /// Groups for the token are merged; if there are none, the groups for `*` apply. Other lines are skipped, as are
    /// bytes beyond ``byteLimit`` and the line that the limit cuts.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - productToken: The crawler's name, for example `afcache`, compared without regard to case.
    public init(parsing bytes: [UInt8], productToken: String) {
        var parser = RobotsParser(productToken: productToken)
        var text = bytes.prefix(Self.byteLimit)
        if bytes.count >= Self.byteLimit {
            // Half a rule could forbid everything.
            text = text.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { text[...$0] } ?? []
        }
        parser.read(text)
        self = parser.result
    }

    /// Creates the rules for a response other than a file (RFC 9309 §2.3.1).
    ///
    /// - Parameter status: The final status, or nil if the origin is unreachable.
    public init(unavailableWith status: Int?) {
        guard let status, !(500...599).contains(status) else {
            self = .disallowAll
            return
        }
        self = .allowAll
    }

    /// Returns true if the URL may be fetched.
    ///
    /// The longest matching pattern decides, and of equally long ones the one that allows.
    ///
    /// If matching takes too long, the URL is forbidden.
    public func isAllowed(_ url: WebURL) -> Bool {
        guard !rules.isEmpty, url.path != "/robots.txt" else { return true }
        let path = RobotsPath(url)
        var steps = Self.stepLimit
        let first = rules.first { $0.matches(path, steps: &steps) || steps < 0 }
        return steps >= 0 && first?.isAllowed ?? true
    }

    /// True if the file has rules about the use of resources.
    package var statesUsage: Bool { !usageRules.isEmpty }

    /// Returns what the origin prefers about the use of a resource that may be fetched (draft-ietf-aipref-attach-05 §3.1).
    ///
    /// For each kind of rule, the rules with the longest matching pattern count; where they contradict each other, the
    /// more restrictive one. If matching takes too long, the rule at which it does counts.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The preferences of both kinds together.
    package func usage(of url: WebURL) -> UsagePreferences {
        guard !usageRules.isEmpty else { return UsagePreferences() }
        let path = RobotsPath(url)
        var steps = Self.stepLimit
        var usage = UsagePreferences()
        for kind in RobotsUsageRule.Kind.allCases {
            var octets: Int?
            for rule in usageRules where rule.kind == kind {
                guard octets.map({ $0 == rule.octets }) ?? true else { break }
                guard rule.matches(path, steps: &steps) else { continue }
                octets = rule.octets
                usage = usage.combined(with: rule.preferences)
            }
        }
        return usage
    }

    /// The time between this crawler's requests, at most half a minute.
    ///
    /// A longer time would make a crawl endless.
    package var delay: Duration? { crawlDelay.map { min(.milliseconds($0), .seconds(30)) } }

    /// The largest number of matching steps; without stars, a whole file takes less than one step per byte.
    private static let stepLimit = 8 << 20
}

/// Parses the lines of a `robots.txt` (RFC 9309 §2.2).
struct RobotsParser {
    private struct Group {
        var rules: [RobotsPattern] = []
        var usageRules: [RobotsUsageRule] = []
        var crawlDelay: Int?
        var isNamed = false
    }

    private let token: [UInt8]
    private var own = Group()
    private var general = Group()
    private var sitemaps: [String] = []
    private var isForOwn = false
    private var isForAll = false
    private var isAtAgents = false

    init(productToken: String) {
        token = Array(productToken.lowercased().utf8.prefix(while: Self.isTokenByte))
    }

    var result: RobotsRules {
        let group = own.isNamed ? own : general
        var rules = RobotsRules(rules: group.rules)
        rules.usageRules = group.usageRules
        rules.crawlDelay = group.crawlDelay
        rules.sitemaps = sitemaps
        return rules
    }

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        for line in rest.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) { read(line: line) }
    }

    private mutating func read(line: ArraySlice<UInt8>) {
        let text = line.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return }
        let key = String(decoding: Self.trimmed(text[..<colon]), as: UTF8.self).lowercased()
        let value = Self.trimmed(text[text.index(after: colon)...])
        switch key {
        case "user-agent": readAgent(value)
        case "allow": readRule(value, isAllowed: true)
        case "disallow": readRule(value, isAllowed: false)
        case "content-usage": readUsage(value, .contentUsage)
        case "content-signal": readUsage(value, .contentSignal)
        case "crawl-delay":
            // The RFC doesn't define this record, so it ends no group (§2.2.4).
            guard let delay = Self.milliseconds(value) else { return }
            if isForOwn { own.crawlDelay = max(own.crawlDelay ?? 0, delay) }
            if isForAll { general.crawlDelay = max(general.crawlDelay ?? 0, delay) }
        case "sitemap":
            guard !value.isEmpty, sitemaps.count < RobotsRules.sitemapLimit else { return }
            sitemaps.append(String(decoding: value, as: UTF8.self))
        default: return
        }
    }

    private mutating func readAgent(_ value: ArraySlice<UInt8>) {
        if !isAtAgents {
            isForOwn = false
            isForAll = false
        }
        isAtAgents = true
        // `*bot` is not a product token.
        if value.first == UInt8(ascii: "*"), value.count == 1 || Self.isSpace(value[value.startIndex + 1]) {
            isForAll = true
            general.isNamed = true
            return
        }
        // The product token ends before a version or a comment.
        let name = value.prefix(while: Self.isTokenByte).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if !name.isEmpty, name == token {
            isForOwn = true
            own.isNamed = true
        }
    }

    private mutating func readRule(_ value: ArraySlice<UInt8>, isAllowed: Bool) {
        isAtAgents = false
        guard !value.isEmpty, isForOwn || isForAll else { return }
        let rule = RobotsPattern(value, isAllowed: isAllowed)
        if isForOwn { own.rules.append(rule) }
        if isForAll { general.rules.append(rule) }
    }

    private mutating func readUsage(_ value: ArraySlice<UInt8>, _ kind: RobotsUsageRule.Kind) {
        isAtAgents = false
        guard isForOwn || isForAll, let rule = RobotsUsageRule(value, kind) else { return }
        if isForOwn, own.usageRules.count < RobotsRules.usageLimit { own.usageRules.append(rule) }
        if isForAll, general.usageRules.count < RobotsRules.usageLimit { general.usageRules.append(rule) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Parses seconds with an optional fraction into milliseconds, at most an hour; nil if malformed.
    private static func milliseconds(_ value: ArraySlice<UInt8>) -> Int? {
        guard let seconds = Double(String(decoding: value, as: UTF8.self)), seconds >= 0, seconds.isFinite else {
            return nil
        }
        return Int(min(seconds, 3600) * 1000)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// An `Allow` or `Disallow` line of a `robots.txt` (RFC 9309 §2.2.2).
struct RobotsPattern: Equatable, Sendable {
    /// True if the line allows matching URLs.
    let isAllowed: Bool
    /// The length of the pattern, which determines how specific it is.
    let octets: Int
    // Normalized; `*` matches any bytes, and `$` at the end matches the end of the path.
    private let bytes: [UInt8]
    private let decodedQuery: [UInt8]?

    /// Parses a pattern; a missing leading slash is added.
    init(_ written: some Collection<UInt8>, isAllowed: Bool) {
        var bytes = RobotsPath.normalized(written, isPattern: true)
        if bytes.first != UInt8(ascii: "/"), bytes.first != UInt8(ascii: "*") {
            bytes.insert(UInt8(ascii: "/"), at: 0)
        }
        self.bytes = bytes
        self.isAllowed = isAllowed
        octets = bytes.count
        decodedQuery = RobotsPath.decodingQuery(bytes)
    }

    /// Returns true if the pattern matches at the start of the path.
    ///
    /// - Parameters:
    ///   - path: The path to match.
    ///   - steps: The number of remaining steps; negative if they didn't suffice.
    /// - Returns: True if the pattern matches; false if the steps didn't suffice.
    func matches(_ path: RobotsPath, steps: inout Int) -> Bool {
        if Self.matches(bytes, path.bytes, steps: &steps) { return true }
        guard decodedQuery != nil || path.decodedQuery != nil else { return false }
        return Self.matches(decodedQuery ?? bytes, path.decodedQuery ?? path.bytes, steps: &steps)
    }

    /// Matches in at most as many steps as the product of both lengths.
    private static func matches(_ pattern: [UInt8], _ path: [UInt8], steps: inout Int) -> Bool {
        let isAnchored = pattern.last == UInt8(ascii: "$")
        let end = isAnchored ? pattern.count - 1 : pattern.count
        var token = 0
        var position = 0
        var retry: (token: Int, position: Int)?
        while true {
            steps -= 1
            guard steps >= 0 else { return false }
            if token == end {
                if !isAnchored || position == path.count { return true }
            } else if pattern[token] == UInt8(ascii: "*") {
                token += 1
                retry = (token, position)
                continue
            } else if position < path.count, pattern[token] == path[position] {
                token += 1
                position += 1
                continue
            }
            guard let last = retry, last.position < path.count else { return false }
            retry = (last.token, last.position + 1)
            token = last.token
            position = last.position + 1
        }
    }
}

/// The path and query of a URL in the form that is compared with patterns of a `robots.txt` (RFC 9309 §2.2.2).
struct RobotsPath {
    /// The normalized bytes, with `*` and `$` percent-encoded (§2.2.3).
    let bytes: [UInt8]
    /// The same bytes with decoded delimiters in the query, or nil if that makes no difference.
    let decodedQuery: [UInt8]?

    init(_ url: WebURL) {
        bytes = Self.normalized(url.requestTarget.utf8, isPattern: false)
        decodedQuery = Self.decodingQuery(bytes)
    }

    /// Normalizes bytes for the comparison.
    ///
    /// Bytes that URLs encode are percent-encoded (RFC 9309 §2.2.2 compares octets of URLs), `\` in a path becomes `/`
    /// as in URLs, escapes of unreserved bytes are decoded, and all others become upper case. In a pattern, `*` and a
    /// final `$` are kept.
    static func normalized(_ text: some Collection<UInt8>, isPattern: Bool) -> [UInt8] {
        let text = Array(text)
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        var isQuery = false
        while index < text.count {
            var byte = text[index]
            if byte == UInt8(ascii: "?") { isQuery = true }
            if byte == UInt8(ascii: "\\"), !isQuery { byte = UInt8(ascii: "/") }
            if byte == UInt8(ascii: "%"), index + 2 < text.count,
                let value = PercentDecoding.byte(text[index + 1], text[index + 2])
            {
                if PercentDecoding.isUnreserved(value) {
                    result.append(value)
                } else {
                    PercentEncodeSet.appendEscape(value, to: &result)
                }
                index += 3
                continue
            }
            let isSpecial =
                byte == UInt8(ascii: "*") && !isPattern
                || byte == UInt8(ascii: "$") && !(isPattern && index == text.count - 1)
            if isSpecial || isEncoded(byte, isQuery: isQuery) {
                PercentEncodeSet.appendEscape(byte, to: &result)
            } else {
                result.append(byte)
            }
            index += 1
        }
        return result
    }

    /// Returns true if browsers and crawlers percent-encode the byte in requests.
    private static func isEncoded(_ byte: UInt8, isQuery: Bool) -> Bool {
        if byte == UInt8(ascii: "#") || byte == UInt8(ascii: "?") { return false }
        if byte == UInt8(ascii: "|") { return !isQuery }
        return (isQuery ? PercentEncodeSet.specialQuery : .path).contains(byte)
    }

    /// Decodes escaped `:/?[]@` in the query; returns nil if that makes no difference.
    ///
    /// RFC 9309 §2.2.2 treats `?u=https://a` and `?u=https%3A%2F%2Fa` as equal.
    static func decodingQuery(_ bytes: [UInt8]) -> [UInt8]? {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")),
            bytes[mark...].contains(UInt8(ascii: "%"))
        else { return nil }
        var result = Array(bytes[...mark])
        var index = mark + 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = PercentDecoding.byte(bytes[index + 1], bytes[index + 2]), queryDelimiters.contains(value)
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result.count == bytes.count ? nil : result
    }

    private static let queryDelimiters = Array(":/?[]@".utf8)
}
