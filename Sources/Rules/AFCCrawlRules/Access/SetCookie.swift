internal import AFCCredentials
internal import AFCHTTP

/// The contents of a Set-Cookie field, before the decision whether to accept it (RFC 6265bis §5.6).
struct SetCookie: Sendable, Equatable {
    /// The name, which may be empty.
    var name: String
    var value: Secret
    /// The domain in lower case without a leading dot; empty if there is none.
    var domain = ""
    /// The path, or nil for the request's folder.
    var path: String?
    /// The expiry, or nil for the end of the crawl.
    var expires: Timestamp?
    var isSecure = false
    /// True if SameSite is None.
    var isForAllSites = false

    /// The largest size of name and value together, in bytes.
    static let byteLimit = 4096
    /// The longest lifetime of a cookie, in seconds: 400 days.
    static let longestLifetime: Int64 = 400 * 86_400
    private static let attributeByteLimit = 1024

    /// Parses a field's value; nil if user agents ignore the whole field.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: The time that Max-Age is relative to.
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

    /// Splits name and value; the value is nil if there is no equals sign.
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

/// The dates of Set-Cookie, which have more forms than those of other fields (RFC 6265bis §5.1.1).
enum CookieDate {
    /// Parses the first time, day, month and year of a text, in any order and with anything between them.
    ///
    /// - Returns: The date, or nil if one of the four is missing, or the date doesn't exist.
    static func parse(_ text: String) -> Timestamp? {
        var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let time, let day, let month, let year, year >= 1601, time[0] <= 23, time[1] <= 59, time[2] <= 59 else {
            return nil
        }
        let date = [year, month, day].map { padded($0) }.joined(separator: "-")
        return Timestamp(iso8601: date + "T" + time.map { padded($0) }.joined(separator: ":") + "Z")
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Returns the number at the start of a token; the byte after it must not be a digit.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let text = token.prefix { (0x30...0x39).contains($0) }
        return digits.contains(text.count) ? Int(String(decoding: text, as: UTF8.self)) : nil
    }

    private static func clock(_ token: Substring.UTF8View) -> [Int]? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { number($0, digits: 1...2) }
        // Only the seconds may be followed by other characters.
        let isPlain = parts.prefix(2).allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
        return numbers.count == 3 && isPlain ? numbers : nil
    }

    private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
