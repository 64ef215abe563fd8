/// Dates as packagers and servers wrote them into manifests: every strict form, and others that are unambiguous.
///
/// Ambiguous texts are not accepted: zones given by letters (`CET`, `AEST`), years of two digits
/// outside RFC 850's form, numeric dates in national orders, and times without a zone.
public enum LenientDate {
    /// The form in which a date was written.
    ///
    /// The cases from ``gmtOffset`` to ``extraSpaces`` are deviations from IMF-fixdate. If a date has several, its form
    /// is the one that comes first here, since other programs are most likely to misread that one.
    public enum Form: String, Sendable, CaseIterable {
        /// `Sat, 27 Mar 2004 18:43:30 GMT`: what HTTP writes, and the only form that a writer uses.
        case imfFixdate = "imf-fixdate"
        /// `Saturday, 27-Mar-04 18:43:30 GMT`: obsolete, but read by HTTP.
        case rfc850 = "rfc850"
        /// `Sat Mar 27 18:43:30 2004`: obsolete, but read by HTTP.
        case asctime = "asctime"
        /// `… GMT+00:00`: what AFCache's packagers wrote.
        case gmtOffset = "gmt-offset"
        /// `… +0000`: the zone of RFC 5322.
        case numericZone = "numeric-zone"
        /// `… UTC`, `… UT` or `… Z`.
        case utcName = "utc-name"
        /// `27 Mar 2004 18:43:30 GMT`.
        case missingWeekday = "missing-weekday"
        /// `Sat 27 Mar 2004 18:43:30 GMT`.
        case missingComma = "missing-comma"
        /// `Saturday, 27 Mar 2004 18:43:30 GMT`.
        case longWeekday = "long-weekday"
        /// `Sat, 27-Mar-2004 18:43:30 GMT`: the form of cookies.
        case dashes = "dashes"
        /// `Mon, 1 Jan 2001 00:00:00 GMT`.
        case oneDigitDay = "one-digit-day"
        /// `Mon, 01 Jan 2001 0:00:00 GMT`.
        case oneDigitHour = "one-digit-hour"
        /// Spaces or tabs around the date, several of them within it, or none after the comma.
        case extraSpaces = "extra-spaces"
        /// `2004-03-27T18:43:30Z`: RFC 3339, also with a fraction, which is dropped, with an offset, without seconds, or
        /// without a time, which is then the start of the day in UTC.
        case iso8601 = "iso8601"
        /// `1080413010`: seconds since 1970, in nine to eleven digits.
        case epochSeconds = "epoch-seconds"

        /// True if a header parser by RFC 9110 §5.6.7 accepts the form, too.
        public var isStrict: Bool { self == .imfFixdate || self == .rfc850 || self == .asctime }
    }

    /// A date and its form.
    public struct Reading: Sendable, Equatable {
        /// The point in time.
        public var timestamp: Timestamp
        /// The form in which it was written.
        public var form: Form
        /// True if the written weekday doesn't match the date; the date counts.
        public var hasWrongWeekday = false
        /// True if letters of an IMF-fixdate have another case than in the grammar, which is case-sensitive.
        public var hasOtherCase = false

        /// Creates a reading.
        public init(timestamp: Timestamp, form: Form, hasWrongWeekday: Bool = false, hasOtherCase: Bool = false) {
            self.timestamp = timestamp
            self.form = form
            self.hasWrongWeekday = hasWrongWeekday
            self.hasOtherCase = hasOtherCase
        }

        /// True if the date is written exactly as HTTP writes it.
        public var isNormal: Bool { form == .imfFixdate && !hasWrongWeekday && !hasOtherCase }
    }

    /// Parses a text; nil if it isn't a date, or is ambiguous.
    public static func parse(_ text: some StringProtocol) -> Reading? {
        Bytes.of(text) { parse($0) }
    }

    /// Parses bytes without allocating; nil if they aren't a date, or are ambiguous.
    public static func parse(_ bytes: Span<UInt8>) -> Reading? {
        bytes.withUnsafeBufferPointer { parse($0) }
    }

    /// Parses bytes without allocating; nil if they aren't a date, or are ambiguous.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading? {
        if let date = IMFFixdate.parse(bytes) {
            return Reading(
                timestamp: date.time,
                form: .imfFixdate,
                hasWrongWeekday: date.weekday != date.civil.weekday,
                hasOtherCase: date.hasOtherCase
            )
        }
        guard !bytes.isEmpty, bytes.count <= byteLimit else { return nil }
        if let date = ObsoleteDate.parse(bytes, now: nil) {
            let form: Form = date.isRFC850 ? .rfc850 : .asctime
            return Reading(timestamp: date.time, form: form, hasWrongWeekday: date.hasWrongWeekday)
        }
        if let date = DeviatingDate.parse(bytes) { return date }
        if let time = ISO8601Date.parse(bytes) ?? ISO8601Date.parseShort(bytes) {
            return Reading(timestamp: time, form: .iso8601)
        }
        return epochSeconds(bytes).map { Reading(timestamp: $0, form: .epochSeconds) }
    }

    /// The longest date, in bytes.
    private static let byteLimit = 64

    /// Parses seconds with so many digits that `0`, a year, or a date such as 20040327 isn't taken for them.
    private static func epochSeconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        var scanner = ByteScanner(bytes)
        guard let seconds = scanner.number(9...11), scanner.isAtEnd else { return nil }
        return Timestamp(secondsSinceEpoch: Int64(seconds))
    }
}
