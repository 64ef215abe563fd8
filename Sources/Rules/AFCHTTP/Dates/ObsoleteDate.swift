/// The two forms that no sender may write and every recipient must accept (obs-date, RFC 9110 §5.6.7).
enum ObsoleteDate {
    /// A date as it was written.
    struct Reading {
        var time: Timestamp
        /// True for RFC 850's form, false for that of asctime.
        var isRFC850: Bool
        /// True if the written weekday doesn't match the date.
        var hasWrongWeekday: Bool
    }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Timestamp?) -> Reading? {
        var scanner = ByteScanner(bytes)
        guard let weekday = scanner.weekday() else { return nil }
        let civil = weekday.isLong ? rfc850(&scanner, now: now) : asctime(&scanner)
        guard let civil, scanner.isAtEnd, let time = civil.timestamp() else { return nil }
        return Reading(time: time, isRFC850: weekday.isLong, hasWrongWeekday: weekday.day != civil.weekday)
    }

    /// Parses `Sunday, 06-Nov-94 08:49:37 GMT`, after the weekday.
    private static func rfc850(_ scanner: inout ByteScanner, now: Timestamp?) -> CivilTime? {
        guard scanner.take(", "), let day = scanner.number(2), scanner.take("-"), let month = scanner.month(),
            scanner.take("-"), let digits = scanner.number(2), scanner.take(" "), let time = scanner.time(),
            scanner.take(" GMT")
        else { return nil }
        var civil = CivilTime(
            year: digits < 70 ? 2000 + digits : 1900 + digits,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        if let now { civil.year = year(digits, of: civil, now: CivilTime(textOf: now)) }
        return civil
    }

    /// Returns the latest year with the two digits whose date is no more than 50 years ahead (RFC 9110 §5.6.7).
    private static func year(_ digits: Int, of civil: CivilTime, now: CivilTime) -> Int {
        var limit = now
        limit.year += 50
        var candidate = civil
        candidate.year = limit.year - limit.year % 100 + digits
        return candidate.order <= limit.order ? candidate.year : candidate.year - 100
    }

    /// Parses `Sun Nov  6 08:49:37 1994`, after the weekday; a day of one digit has a space before it.
    private static func asctime(_ scanner: inout ByteScanner) -> CivilTime? {
        guard scanner.take(" "), let month = scanner.month(), scanner.take(" ") else { return nil }
        let isPadded = scanner.take(" ")
        guard let day = scanner.number(isPadded ? 1 : 2), scanner.take(" "), let time = scanner.time(),
            scanner.take(" "), let year = scanner.number(4)
        else { return nil }
        return CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
    }
}
