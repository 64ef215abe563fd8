/// A point in time in whole seconds, as the dates of HTTP have them.
///
/// Arithmetic saturates at the limits, so that no date from a peer overflows. Texts exist for the years
/// 0 to 9999 only; a point in time outside is written as the nearest limit.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The seconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var secondsSinceEpoch: Int64

    /// Creates a point in time from seconds since 1970-01-01T00:00:00Z.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// The first second that has a text, 0000-01-01T00:00:00Z.
    public static let earliestText = Timestamp(secondsSinceEpoch: -62_167_219_200)
    /// The last second that has a text, 9999-12-31T23:59:59Z.
    public static let latestText = Timestamp(secondsSinceEpoch: 253_402_300_799)

    /// Orders by time.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.secondsSinceEpoch < other.secondsSinceEpoch }

    /// Returns the point in time so many seconds later.
    public static func + (time: Timestamp, seconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: time.secondsSinceEpoch.addingSaturated(seconds))
    }

    /// Returns the point in time so many seconds earlier.
    public static func - (time: Timestamp, seconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: time.secondsSinceEpoch.subtractingSaturated(seconds))
    }

    /// Returns the seconds from the second point in time to the first; negative if the first is earlier.
    public static func - (later: Timestamp, earlier: Timestamp) -> Int64 { earlier.distance(to: later) }

    /// Returns the seconds from this point in time to another; negative if the other is earlier.
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

    /// The day in UTC, such as `2026-03-02`.
    package var day: String { String(iso8601.prefix { $0 != "T" }) }

    /// Parses the form of RFC 3339 §5.6, for example `2004-03-27T18:43:30Z`.
    ///
    /// An offset such as `+01:00` is applied, and a fraction of a second is dropped. Anything else gives nil, also a
    /// date without a time, and a time without `Z` or offset, since it would be ambiguous.
    public init?(iso8601 text: some StringProtocol) {
        guard let date = Bytes.of(text, { ISO8601Date.parse($0) }) else { return nil }
        self = date
    }
}

extension Int64 {
    /// Returns the sum, or the nearest limit if it overflows.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, or the nearest limit if it overflows.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
