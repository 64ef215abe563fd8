/// Reads the lines of a `robots.txt` (RFC 9309 §2.2).
struct RobotsParser {
    private struct Group {
        var rules: [RobotsRules.Rule] = []
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

    init(productToken: String) { token = Array(productToken.lowercased().utf8) }

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
            isAtAgents = false
            guard let delay = Self.milliseconds(value) else { return }
            if isForOwn { own.crawlDelay = delay }
            if isForAll { general.crawlDelay = delay }
        case "sitemap": sitemaps.append(String(decoding: value, as: UTF8.self))
        default: return
        }
    }

    private mutating func readAgent(_ value: ArraySlice<UInt8>) {
        if !isAtAgents {
            isForOwn = false
            isForAll = false
        }
        isAtAgents = true
        if value.first == UInt8(ascii: "*") {
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
        guard let first = value.first else { return }
        var pattern = RobotsRules.normalized(Array(value))
        if first != UInt8(ascii: "/"), first != UInt8(ascii: "*") { pattern.insert(UInt8(ascii: "/"), at: 0) }
        let rule = RobotsRules.Rule(pattern: pattern, isAllowed: isAllowed)
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
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
