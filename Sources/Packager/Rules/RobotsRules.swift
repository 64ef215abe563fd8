public import URLStandard

/// What a `robots.txt` lets one crawler fetch (RFC 9309).
public struct RobotsRules: Equatable, Sendable {
    /// One line `Allow` or `Disallow`.
    struct Rule: Equatable, Sendable {
        /// The path's pattern, normalised; `*` is any run of bytes, `$` at the end the end of the path.
        var pattern: [UInt8]
        var isAllowed: Bool
    }

    /// How much of a file is read; RFC 9309 §2.5 asks for at least 500 KiB.
    public static let byteLimit = 500 << 10
    /// How many redirects are followed to a file (RFC 9309 §2.3.1.2).
    public static let redirectLimit = 5

    /// Rules that allow everything: there is no file, or the origin refuses to give it (RFC 9309 §2.3.1.3).
    public static let allowAll = RobotsRules(rules: [])
    /// Rules that forbid everything: the origin can't be reached or is at fault (RFC 9309 §2.3.1.4).
    public static let disallowAll = RobotsRules(rules: [Rule(pattern: [UInt8(ascii: "/")], isAllowed: false)])

    var rules: [Rule]
    /// How long to wait between two requests, in milliseconds, where the file says it.
    public internal(set) var crawlDelay: Int?
    /// The sitemaps that the file names, as written.
    public internal(set) var sitemaps: [String] = []

    init(rules: [Rule]) { self.rules = rules }

    /// Reads a file.
    ///
    /// Groups for the token are put together; where there is none, those for `*` count. Lines that are neither are skipped,
    /// as are bytes beyond ``byteLimit``.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - productToken: The crawler's name, for example `afcache`, compared without regard to case.
    public init(parsing bytes: [UInt8], productToken: String) {
        var parser = RobotsParser(productToken: productToken)
        parser.read(bytes.prefix(Self.byteLimit))
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
    public func isAllowed(_ url: WebURL) -> Bool {
        guard !rules.isEmpty, url.path != "/robots.txt" else { return true }
        let path = Self.normalized(Array((url.path + (url.query.map { "?" + $0 } ?? "")).utf8))
        var best: Rule?
        for rule in rules where Self.matches(rule.pattern, path) {
            guard let winner = best else {
                best = rule
                continue
            }
            let isLonger = rule.pattern.count > winner.pattern.count
            if isLonger || (rule.pattern.count == winner.pattern.count && rule.isAllowed) { best = rule }
        }
        return best?.isAllowed ?? true
    }

    /// A path as it is compared: bytes outside ASCII are percent-encoded, escapes of unreserved bytes undone, the other
    /// escapes in capitals (RFC 9309 §2.2.2).
    static func normalized(_ path: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(path.count)
        var index = 0
        while index < path.count {
            let byte = path[index]
            if byte == UInt8(ascii: "%"), index + 2 < path.count, let value = hexValue(path[index + 1], path[index + 2])
            {
                if isUnreserved(value) { result.append(value) } else { appendEscape(of: value, to: &result) }
                index += 3
                continue
            }
            if byte >= 0x80 || byte <= 0x20 { appendEscape(of: byte, to: &result) } else { result.append(byte) }
            index += 1
        }
        return result
    }

    /// Whether the pattern matches from the path's start; takes at most the product of both lengths in steps.
    static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
        let isAnchored = pattern.last == UInt8(ascii: "$")
        let end = isAnchored ? pattern.count - 1 : pattern.count
        var token = 0
        var position = 0
        var retry: (token: Int, position: Int)?
        while true {
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

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        bytes.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    private static func hexValue(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = digit(high), let low = digit(low) else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
