package import AFCHTTP

/// The date of a record or entry of an archive, with as much precision as is written.
///
/// WARC 1.1 allows years, months, days and fractions of a second besides whole seconds; ARC and CDX write 14 digits; HAR
/// writes time zones.
package struct ArchiveDate: Hashable, Comparable, Sendable {
    /// The whole seconds.
    package var time: Timestamp
    /// The fraction of a second, in nanoseconds.
    package var nanoseconds: Int32

    /// Creates a date.
    package init(time: Timestamp, nanoseconds: Int32 = 0) { (self.time, self.nanoseconds) = (time, nanoseconds) }

    /// Compares two dates.
    package static func < (one: ArchiveDate, other: ArchiveDate) -> Bool {
        (one.time, one.nanoseconds) < (other.time, other.nanoseconds)
    }

    /// Parses a date; nil if the text isn't one.
    ///
    /// What is missing at the end counts as its beginning, in UTC.
    package init?(_ text: some StringProtocol) {
        var reader = DigitReader(Array(text.utf8))
        reader.skipSpace()
        guard let year = reader.number(4) else { return nil }
        var parts = [year, 1, 1, 0, 0, 0]
        let separators: [[UInt8]] = [
            [UInt8(ascii: "-")], [UInt8(ascii: "-")], [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")],
            [UInt8(ascii: ":")], [UInt8(ascii: ":")],
        ]
        var isWhole = true
        for index in 1...5 {
            // ARC's dates have no separators.
            reader.take(separators[index - 1])
            guard let number = reader.number(2) else {
                isWhole = false
                break
            }
            parts[index] = number
        }
        var nanoseconds: Int32 = 0
        if reader.take([UInt8(ascii: "."), UInt8(ascii: ",")]) || isWhole && reader.isAtDigit {
            nanoseconds = reader.fraction()
        }
        guard let offset = reader.offset(), reader.isAtEnd, (1...12).contains(parts[1]), (1...31).contains(parts[2]),
            parts[3] < 24, parts[4] < 60, parts[5] <= 60
        else { return nil }
        let seconds = parts[3] * 3600 + parts[4] * 60 + min(parts[5], 59)
        let days = Self.days(year: parts[0], month: parts[1], day: parts[2])
        time = Timestamp(secondsSinceEpoch: Int64(days * 86_400 + seconds - offset))
        guard time >= .earliestText, time <= .latestText else { return nil }
        self.nanoseconds = nanoseconds
    }

    /// Returns the days since 1970-01-01 of a date in the Gregorian calendar
    /// (https://howardhinnant.github.io/date_algorithms.html).
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Reads numbers of fixed widths.
private struct DigitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skipSpace() { while position < bytes.count, bytes[position] == 0x20 { position += 1 } }

    @discardableResult
    mutating func take(_ accepted: [UInt8]) -> Bool {
        guard position < bytes.count, accepted.contains(bytes[position]) else { return false }
        position += 1
        return true
    }

    mutating func number(_ width: Int) -> Int? {
        guard position + width <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + width] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += width
        return value
    }

    /// The nanoseconds of a fraction; further digits are dropped.
    mutating func fraction() -> Int32 {
        var (value, digits): (Int32, Int) = (0, 0)
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            if digits < 9 {
                value = value * 10 + Int32(bytes[position] - 0x30)
                digits += 1
            }
            position += 1
        }
        while digits < 9 {
            value *= 10
            digits += 1
        }
        return value
    }

    /// The seconds by which the zone is ahead of UTC; nil if it isn't a zone.
    mutating func offset() -> Int? {
        if take([UInt8(ascii: "Z"), UInt8(ascii: "z")]) { return 0 }
        // A hyphen or plus that ends a date of less precision isn't a zone.
        guard position < bytes.count else { return 0 }
        let isBehind = bytes[position] == UInt8(ascii: "-")
        guard take([UInt8(ascii: "-"), UInt8(ascii: "+")]) else { return restOfDigits() }
        guard let hours = number(2) else { return nil }
        take([UInt8(ascii: ":")])
        let minutes = number(2) ?? 0
        guard hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
    }

    /// ARC files have dates with more than 14 digits.
    private mutating func restOfDigits() -> Int? {
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        skipSpace()
        return position == bytes.count ? 0 : nil
    }

    var isAtDigit: Bool { position < bytes.count && (0x30...0x39).contains(bytes[position]) }

    var isAtEnd: Bool { bytes[position...].allSatisfy { $0 == 0x20 } }
}
