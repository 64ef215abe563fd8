/// The dates of RFC 3339 §5.6, a profile of ISO 8601.
enum ISO8601Date {
    /// Parses `2004-03-27T18:43:30Z`, also with a space for the T, a fraction, which is dropped, or an offset.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        var scanner = ByteScanner(bytes)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take(" "), let time = scanner.time()
        else { return nil }
        if scanner.take("."), scanner.number(1...18) == nil { return nil }
        guard let offset = zone(&scanner), scanner.isAtEnd else { return nil }
        let civil = CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        return civil.timestamp(offset: offset)
    }

    /// Parses what people write who shorten that form: `2004-03-27`, which is the start of that day in UTC, and
    /// `2004-03-27T18:43Z`.
    static func parseShort(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        var scanner = ByteScanner(bytes)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
        if scanner.isAtEnd { return civil.timestamp(offset: 0) }
        guard scanner.take("T") || scanner.take(" "), let hour = scanner.number(2), scanner.take(":"),
            let minute = scanner.number(2), let offset = zone(&scanner), scanner.isAtEnd
        else { return nil }
        (civil.hour, civil.minute) = (hour, minute)
        return civil.timestamp(offset: offset)
    }

    private static func zone(_ scanner: inout ByteScanner) -> Int64? {
        scanner.take("Z") ? 0 : ZoneOffset.parse(&scanner, isShortAllowed: false)
    }
}

/// A difference from UTC in hours and minutes.
enum ZoneOffset {
    /// The greatest difference in use on Earth, in seconds.
    private static let limit: Int64 = 14 * 3600

    /// Parses `+01:00` or `+0100`, and if allowed `+1`, `+01` and `+1:30`; returns seconds.
    static func parse(_ scanner: inout ByteScanner, isShortAllowed: Bool) -> Int64? {
        let isNegative = scanner.byte == UInt8(ascii: "-")
        guard isNegative || scanner.byte == UInt8(ascii: "+") else { return nil }
        _ = scanner.take(isNegative ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        var (hours, minutes) = (0, 0)
        if scanner.digitCount == 4 {
            guard let both = scanner.number(4) else { return nil }
            (hours, minutes) = (both / 100, both % 100)
        } else {
            guard let first = scanner.number(isShortAllowed ? 1...2 : 2...2) else { return nil }
            hours = first
            if scanner.take(":") {
                guard let second = scanner.number(2) else { return nil }
                minutes = second
            } else if !isShortAllowed {
                return nil
            }
        }
        let seconds = Int64(hours * 3600 + minutes * 60)
        guard minutes < 60, seconds <= limit else { return nil }
        return isNegative ? -seconds : seconds
    }
}
