/// A point in time in whole seconds, as the dates of HTTP have them.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var secondsSinceEpoch: Int64

    /// Creates a point in time.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Orders by time.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.secondsSinceEpoch < other.secondsSinceEpoch }

    /// A point in time so many seconds later; it stops at the ends of what can be counted.
    public static func + (time: Timestamp, seconds: Int64) -> Timestamp {
        let (sum, overflow) = time.secondsSinceEpoch.addingReportingOverflow(seconds)
        return Timestamp(secondsSinceEpoch: overflow ? (seconds > 0 ? .max : .min) : sum)
    }

    /// A point in time so many seconds earlier.
    public static func - (time: Timestamp, seconds: Int64) -> Timestamp { time + (seconds == .min ? .max : -seconds) }

    /// The seconds from one point in time to another.
    public static func - (later: Timestamp, earlier: Timestamp) -> Int64 {
        let (difference, overflow) = later.secondsSinceEpoch.subtractingReportingOverflow(earlier.secondsSinceEpoch)
        return overflow ? (later > earlier ? .max : .min) : difference
    }

    /// The form of RFC 3339 in UTC, for example `2004-03-27T18:43:30Z`.
    public var iso8601: String {
        let parts = CivilTime(self)
        return "\(padded(parts.year, 4))-\(padded(parts.month))-\(padded(parts.day))T"
            + "\(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second))Z"
    }

    /// Reads the form of RFC 3339 in UTC, with or without a fraction, which is dropped; nil for anything else.
    public init?(iso8601 text: String) {
        var scanner = ByteScanner(Array(text.utf8))
        guard let time = LenientDate.iso8601(&scanner) else { return nil }
        self = time
    }
}

func padded(_ value: Int, _ width: Int = 2) -> String {
    let digits = String(value)
    return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
}

/// Year to second of a point in time in UTC, in the proleptic Gregorian calendar.
struct CivilTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour = 0
    var minute = 0
    var second = 0

    init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Howard Hinnant's algorithm over eras of 400 years.
    init(_ time: Timestamp) {
        var days = Int(time.secondsSinceEpoch.quotientAndFloor(by: 86400).quotient)
        let rest = Int(time.secondsSinceEpoch.quotientAndFloor(by: 86400).remainder)
        days += 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * shifted + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60
        )
    }

    /// The point in time, or nil where there is no such day or time; second 60 is the first of the next minute.
    var timestamp: Timestamp? {
        guard (1...12).contains(month), day >= 1, day <= daysInMonth, (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), (0...9999).contains(year)
        else { return nil }
        return Timestamp(secondsSinceEpoch: daysSinceEpoch * 86400 + Int64(hour * 3600 + minute * 60 + second))
    }

    /// 0 for Sunday.
    var weekday: Int { Int((daysSinceEpoch + 4).quotientAndFloor(by: 7).remainder) }

    private var daysSinceEpoch: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    }

    private var daysInMonth: Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    fileprivate func quotientAndFloor(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
