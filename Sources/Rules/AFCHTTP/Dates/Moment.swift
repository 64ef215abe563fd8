/// A moment that a person named: the last second of a year, month, day, hour, minute or second.
package struct Moment: Hashable, Sendable, CustomStringConvertible {
    /// The time.
    package let time: Timestamp
    /// True if the text named the second.
    package let isExact: Bool

    /// Creates the moment of a second.
    package init(_ time: Timestamp) { (self.time, isExact) = (time, true) }

    /// Parses `2026`, `202610`, `20261001`, up to `20261001120000`, and the same with separators as in ISO 8601; nil for
    /// anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 24 else { return nil }
        var digits: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte)
            case UInt8(ascii: "-") where digits.count == 4 || digits.count == 6: continue
            case UInt8(ascii: "T") where digits.count == 8: continue
            case UInt8(ascii: ":") where digits.count == 10 || digits.count == 12: continue
            case UInt8(ascii: "Z") where digits.count == 14: continue
            default: return nil
            }
        }
        guard digits.count <= 14, digits.count >= 4, digits.count % 2 == 0 else { return nil }
        isExact = digits.count == 14
        let missing = Array("1231235959".utf8).suffix(14 - digits.count)
        // The last day of a month that has fewer than 31.
        for day in digits.count == 6 ? ["31", "30", "29", "28"] : [""] {
            let all = digits + (day.isEmpty ? Array(missing) : Array(day.utf8) + missing.dropFirst(2))
            let part = { (range: Range<Int>) in String(decoding: all[range], as: UTF8.self) }
            let date = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
            let clock = "\(part(8..<10)):\(part(10..<12)):\(part(12..<14))"
            if let time = Timestamp(iso8601: "\(date)T\(clock)Z") {
                self.time = time
                return
            }
        }
        return nil
    }

    /// Fourteen digits.
    package var description: String {
        String(decoding: time.iso8601.utf8.filter { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self)
    }

    /// The time for readers, in UTC.
    package var words: String { time.iso8601.dropLast().replacing("T", with: " ") + " UTC" }
}
