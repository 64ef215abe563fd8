/// The dates of HTTP's header fields, read strictly (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// The point in time that a field's value says, or nil where it is not a date by the grammar.
    ///
    /// All three forms are read, whatever the case of letters; a wrong weekday doesn't matter.
    ///
    /// - Parameters:
    ///   - text: The field's value, without white space around it.
    ///   - now: Decides the century of RFC 850's two-digit years: a date more than 50 years ahead lies in the past
    ///     century. Without it, years below 70 belong to this century.
    /// - Returns: The point in time, or nil.
    public static func parse(_ text: some StringProtocol, now: Timestamp? = nil) -> Timestamp? {
        var text = String(text)
        return text.withUTF8 { parse($0, now: now) }
    }

    /// The point in time that bytes say, or nil where they are not a date by the grammar.
    ///
    /// - Parameters:
    ///   - bytes: The field's value.
    ///   - now: Decides the century of two-digit years.
    /// - Returns: The point in time, or nil.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Timestamp? = nil) -> Timestamp? {
        if let time = IMFFixdate.parse(bytes) { return time }
        guard bytes.count <= 64 else { return nil }
        return obsolete(Array(bytes), now: now)?.time
    }

    /// Writes a point in time as IMF-fixdate, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func format(_ time: Timestamp) -> String {
        let bounded = min(max(time.secondsSinceEpoch, -62_167_219_200), 253_402_300_799)
        let parts = CivilTime(Timestamp(secondsSinceEpoch: bounded))
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(days[parts.weekday]), \(padded(parts.day)) \(months[parts.month - 1]) \(padded(parts.year, 4)) "
            + "\(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second)) GMT"
    }

    /// RFC 850's form and that of asctime, which a recipient must still accept.
    static func obsolete(_ bytes: [UInt8], now: Timestamp?) -> (time: Timestamp, isRFC850: Bool)? {
        var scanner = ByteScanner(bytes)
        guard let weekday = scanner.weekday() else { return nil }
        if weekday.isLong {
            return rfc850(&scanner, now: now).map { ($0, true) }
        }
        return asctime(&scanner).map { ($0, false) }
    }

    private static func rfc850(_ scanner: inout ByteScanner, now: Timestamp?) -> Timestamp? {
        guard scanner.take(", "), let day = scanner.number(2), scanner.take(UInt8(ascii: "-")),
            let month = scanner.month(), scanner.take(UInt8(ascii: "-")), let short = scanner.number(2),
            scanner.take(UInt8(ascii: " ")), let time = scanner.time(), scanner.take(" GMT"), scanner.isAtEnd
        else { return nil }
        var civil = CivilTime(
            year: short < 70 ? 2000 + short : 1900 + short,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        if let now {
            let year = CivilTime(now).year
            civil.year = year - year % 100 + short
            if civil.year > year + 50 { civil.year -= 100 }
            if civil.year < year - 49 { civil.year += 100 }
        }
        return civil.timestamp
    }

    private static func asctime(_ scanner: inout ByteScanner) -> Timestamp? {
        guard scanner.take(UInt8(ascii: " ")), let month = scanner.month(), scanner.take(UInt8(ascii: " ")) else { return nil }
        let isPadded = scanner.take(UInt8(ascii: " "))
        guard let day = scanner.number(isPadded ? 1 : 2), scanner.take(UInt8(ascii: " ")), let time = scanner.time(),
            scanner.take(UInt8(ascii: " ")), let year = scanner.number(4), scanner.isAtEnd
        else { return nil }
        let civil = CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        return civil.timestamp
    }
}
