/// The dates of HTTP's header fields, read strictly (RFC 9110 §5.6.7).
///
/// Read are IMF-fixdate, RFC 850's form and that of asctime, whatever the case of letters. A weekday must be one, but need
/// not be the date's. Everything else is no date, which for Expires means "expired" and for a condition "not there".
public enum HTTPDate {
    /// The point in time that a field's value says, or nil where it is not a date by the grammar.
    ///
    /// - Parameters:
    ///   - text: The field's value, without white space around it.
    ///   - now: Decides the century of RFC 850's two-digit years: the latest year with these digits whose date lies no more
    ///     than 50 years after `now` is meant. Without it, 70 to 99 are years of the 20th century, 00 to 69 of the 21st.
    /// - Returns: The point in time, or nil.
    public static func parse(_ text: some StringProtocol, now: Timestamp? = nil) -> Timestamp? {
        Bytes.of(text) { parse($0, now: now) }
    }

    /// The point in time that bytes say, or nil where they are not a date by the grammar; allocates nothing.
    ///
    /// - Parameters:
    ///   - bytes: The field's value.
    ///   - now: Decides the century of two-digit years, see ``parse(_:now:)-(StringProtocol,_)``.
    /// - Returns: The point in time, or nil.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Timestamp? = nil) -> Timestamp? {
        if let reading = IMFFixdate.parse(bytes) { return reading.time }
        return ObsoleteDate.parse(bytes, now: now)?.time
    }

    /// The point in time that bytes say, or nil where they are not a date by the grammar; allocates nothing.
    ///
    /// - Parameters:
    ///   - bytes: The field's value.
    ///   - now: Decides the century of two-digit years, see ``parse(_:now:)-(StringProtocol,_)``.
    /// - Returns: The point in time, or nil.
    public static func parse(_ bytes: Span<UInt8>, now: Timestamp? = nil) -> Timestamp? {
        bytes.withUnsafeBufferPointer { parse($0, now: now) }
    }

    /// Writes a point in time as IMF-fixdate, for example `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    ///
    /// The grammar has four digits for the year, so a point in time outside the years 0 to 9999 becomes the nearest end.
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
