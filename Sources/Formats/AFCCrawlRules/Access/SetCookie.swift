internal import AFCCaching
internal import AFCHTTP

/// What a Set-Cookie field says, before anybody decided whether to believe it (RFC 6265bis §5.6).
struct SetCookie: Sendable, Equatable {
    /// The name, which may be empty.
    var name: String
    var value: Secret
    /// Domain in lower case and without a leading dot; empty where there is none.
    var domain = ""
    /// Path, or nil: the request's folder.
    var path: String?
    /// When it ends, or nil: with the crawl.
    var expires: Timestamp?
    var isSecure = false
    /// Whether SameSite is None.
    var isForAllSites = false

    /// How many bytes name and value may have together.
    static let byteLimit = 4096
    /// How long a cookie may last, in seconds: 400 days.
    static let longestLifetime: Int64 = 400 * 86_400
    private static let attributeByteLimit = 1024

    /// Reads a field's value; nil comes of what user agents ignore as a whole.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: What Max-Age is measured from.
    init?(_ text: String, now: Timestamp) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)[...]
        let (left, right) = Self.pair(parts.removeFirst())
        (name, value) = right.map { (left, Secret($0)) } ?? ("", Secret(left))
        let size = name.utf8.count + value.value.utf8.count
        guard size > 0, size <= Self.byteLimit else { return nil }
        var maxAge: Timestamp?
        for part in parts {
            let (name, value) = Self.pair(part)
            let text = value ?? ""
            guard text.utf8.count <= Self.attributeByteLimit else { continue }
            switch name.lowercased() {
            case "expires": if let date = CookieDate.parse(text) { expires = min(date, now + Self.longestLifetime) }
            case "max-age": if let end = Self.end(maxAge: text, now: now) { maxAge = end }
            case "domain": domain = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
            case "path": path = text.hasPrefix("/") ? text : nil
            case "secure": isSecure = true
            case "samesite": isForAllSites = text.lowercased() == "none"
            default: break
            }
        }
        expires = maxAge ?? expires
    }

    /// Name and value; no value where there is no equals sign.
    private static func pair(_ text: Substring) -> (String, String?) {
        guard let place = text.firstIndex(of: "=") else { return (trimmed(text), nil) }
        return (trimmed(text[..<place]), trimmed(text[text.index(after: place)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }

    private static func end(maxAge text: String, now: Timestamp) -> Timestamp? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard !isNegative else { return .earliestText }
        let seconds = min(Int64(digits) ?? .max, longestLifetime)
        return seconds == 0 ? .earliestText : now + seconds
    }
}
