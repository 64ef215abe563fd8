/// The dates of HTTP's header fields, parsed strictly (RFC 9110 §5.6.7).
///
/// The accepted forms are IMF-fixdate, RFC 850 and asctime, in any case. A weekday is required, but need
/// not match the date. Everything else is invalid, which for Expires means "expired" and for a condition "absent".
public enum HTTPDate {
    /// Parses a field's value; nil if it isn't a date by the grammar.
    ///
    /// - Parameters:
    ///   - text: The field's value, without surrounding white space.
    ///   - now: The time that decides the century of RFC 850's two-digit years: the latest year with these digits whose
    ///     date is no more than 50 years after `now`. Without it, 70 to 99 are years of the 20th century, 00 to 69 of
    ///     the 21st.
    /// - Returns: The point in time, or nil.
    public static func parse(_ text: some StringProtocol, now: Timestamp? = nil) -> Timestamp? {
        Bytes.of(text) { parse($0, now: now) }
    }

    /// Parses bytes without allocating; nil if they aren't a date by the grammar.
    ///
    /// - Parameters:
    ///   - bytes: The field's value.
    ///   - now: The time that decides the century of two-digit years, see ``parse(_:now:)-(StringProtocol,_)``.
    /// - Returns: The point in time, or nil.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Timestamp? = nil) -> Timestamp? {
        if let reading = IMFFixdate.parse(bytes) { return reading.time }
        return ObsoleteDate.parse(bytes, now: now)?.time
    }

    /// Parses bytes without allocating; nil if they aren't a date by the grammar.
    ///
    /// - Parameters:
    ///   - bytes: The field's value.
    ///   - now: The time that decides the century of two-digit years, see ``parse(_:now:)-(StringProtocol,_)``.
    /// - Returns: The point in time, or nil.
    public static func parse(_ bytes: Span<UInt8>, now: Timestamp? = nil) -> Timestamp? {
        bytes.withUnsafeBufferPointer { parse($0, now: now) }
    }

    /// Formats a point in time as IMF-fixdate, for example `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    ///
    /// The grammar has four digits for the year, so a point in time outside the years 0 to 9999 becomes the nearest
    /// limit.
    public static func format(_ time: Timestamp) -> String {
        var text = ASCIIText()
        let civil = CivilTime(textOf: time)
        text.append(DateNames.weekdayName(civil.weekday))
        text.append(", ")
        text.append(civil.day, digits: 2)
        text.append(" ")
        text.append(DateNames.monthName(civil.month))
        text.append(" ")
        text.append(civil.year, digits: 4)
        text.append(" ")
        text.append(civil)
        text.append(" GMT")
        return text.string
    }
}
