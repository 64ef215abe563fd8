internal import AFCCaching
internal import AFCHTTP

/// The dates of Set-Cookie, which have more forms than HTTP's own (RFC 6265bis §5.1.1).
enum CookieDate {
    /// Reads a date: a time, a day, a month and a year in any order, the first of each, whatever stands between them.
    ///
    /// - Returns: The date, or nil where one of the four is missing, or there is no such day.
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

    /// The number that a token begins with; what follows it must not be a digit.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let text = token.prefix { (0x30...0x39).contains($0) }
        return digits.contains(text.count) ? Int(String(decoding: text, as: UTF8.self)) : nil
    }

    private static func clock(_ token: Substring.UTF8View) -> [Int]? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { number($0, digits: 1...2) }
        // Only after the seconds may something else follow.
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
