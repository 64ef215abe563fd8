/// A point in time in whole seconds, as the dates of HTTP have them.
///
/// Arithmetic stops at the ends of what can be counted, so that no date of a peer overflows. Texts exist for the years
/// 0 to 9999 only; a point in time outside is written as the nearest end.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public var secondsSinceEpoch: Int64

    /// Creates a point in time from seconds since 1970-01-01T00:00:00Z.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// The first second that has a text, 0000-01-01T00:00:00Z.
    public static let earliestText = Timestamp(secondsSinceEpoch: -62_167_219_200)
    /// The last second that has a text, 9999-12-31T23:59:59Z.
    public static let latestText = Timestamp(secondsSinceEpoch: 253_402_300_799)

    /// Orders by time.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.secondsSinceEpoch < other.secondsSinceEpoch }

    /// The point in time so many seconds later.
    public static func + (time: Timestamp, seconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: time.secondsSinceEpoch.addingSaturated(seconds))
    }

    /// The point in time so many seconds earlier.
    public static func - (time: Timestamp, seconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: time.secondsSinceEpoch.subtractingSaturated(seconds))
    }

    /// The seconds that the second point in time lies before the first; negative where it lies after it.
    public static func - (later: Timestamp, earlier: Timestamp) -> Int64 { earlier.distance(to: later) }

    /// The seconds from this point in time to another; negative where the other is earlier.
    public func distance(to other: Timestamp) -> Int64 {
        other.secondsSinceEpoch.subtractingSaturated(secondsSinceEpoch)
    }

    /// The form of RFC 3339 in UTC, for example `2004-03-27T18:43:30Z`.
    public var iso8601: String {
        var text = ASCIIText()
        let time = CivilTime(textOf: self)
        text.append(time.year, digits: 4)
        text.append("-")
        text.append(time.month, digits: 2)
        text.append("-")
        text.append(time.day, digits: 2)
        text.append("T")
        text.append(time)
        text.append("Z")
        return text.string
    }

    /// Reads the form of RFC 3339 §5.6, for example `2004-03-27T18:43:30Z`.
    ///
    /// An offset such as `+01:00` is applied, a fraction of a second dropped. Anything else gives nil: a date without a
    /// time, and a time without `Z` or offset, since it could mean several instants.
    public init?(iso8601 text: some StringProtocol) {
        guard let date = Bytes.of(text, { ISO8601Date.parse($0) }) else { return nil }
        self = date
    }
}

extension Int64 {
    /// The sum, or the nearest end of what can be counted.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, or the nearest end of what can be counted.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
