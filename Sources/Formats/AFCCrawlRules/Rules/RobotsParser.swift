/// Reads the lines of a `robots.txt` (RFC 9309 §2.2).
struct RobotsParser {
    private struct Group {
        var rules: [RobotsPattern] = []
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
        case "crawl-delay":
            // No record of the RFC's, so it ends no group (§2.2.4).
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
        // `*bot` is no product token.
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

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Seconds with an optional fraction as milliseconds, at most an hour; nil for anything else.
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
