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
        for value in values {
            // A name before a colon addresses the directives that follow it, up to the next such name.
            var isForUs = true
            for part in value.lowercased().split(separator: ",") {
                var rule = Self.trimmed(part)
                if let colon = rule.firstIndex(of: ":") {
                    let name = Self.trimmed(rule[..<colon])
                    guard !Self.namesWithValue.contains(name) else { continue }
                    // The colons in a date of `unavailable_after` follow digits.
                    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0 == "-" || $0 == "_" || $0 == "*" }) else {
                        continue
                    }
                    isForUs = Self.isName(name, of: productToken)
                    rule = Self.trimmed(rule[rule.index(after: colon)...])
                }
                if isForUs { take(rule) }
            }
        }
    }

    /// Reads a `meta` element; it has no effect unless its name is `robots` or the crawler's.
    ///
    /// - Parameters:
    ///   - name: The element's name.
    ///   - content: The element's content.
    ///   - productToken: The crawler's name in robots.txt, compared without regard to case.
    public init(metaName name: String, content: String, productToken: String) {
        guard Self.isName(Self.trimmed(Substring(name.lowercased())), of: productToken) else { return }
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

    private static let namesWithValue: Set<Substring> = [
        "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview",
    ]

    private static func isName(_ name: Substring, of productToken: String) -> Bool {
        name == "robots" || name == "*" || name == productToken.lowercased()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
