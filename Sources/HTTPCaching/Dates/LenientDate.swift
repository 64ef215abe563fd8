/// Dates as packagers and servers wrote them into manifests: everything strict, and what can be meant by one thing only.
public enum LenientDate {
    /// In which form a date was written.
    public enum Form: Sendable, Equatable {
        /// The form of HTTP, and the only one that a writer uses.
        case imfFixdate
        /// An obsolete form that HTTP still reads: RFC 850's or that of asctime.
        case obsolete
        /// Like IMF-fixdate, but with another zone, spacing, or number of digits.
        case variant
        /// RFC 3339 in UTC.
        case iso8601
        /// Seconds since 1970.
        case epochSeconds
    }

    /// A date, how it was written, and whether it names a weekday that it isn't.
    public struct Reading: Sendable, Equatable {
        /// The point in time.
        public var timestamp: Timestamp
        /// How it was written.
        public var form: Form
        /// Whether the weekday is another than the date's.
        public var hasWrongWeekday = false
    }

    /// What a text says, or nil where it can't be understood.
    public static func parse(_ text: some StringProtocol) -> Reading? {
        var text = String(text)
        return text.withUTF8 { parse($0) }
    }

    /// What bytes say, or nil where they can't be understood.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading? {
        if let time = IMFFixdate.parse(bytes) {
            let isWrong = IMFFixdate.weekday(bytes) != CivilTime(time).weekday && bytes[23] != UInt8(ascii: "6")
            return Reading(timestamp: time, form: .imfFixdate, hasWrongWeekday: isWrong)
        }
        guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
        let array = Array(bytes)
        if let old = HTTPDate.obsolete(array, now: nil) { return Reading(timestamp: old.time, form: .obsolete) }
        var scanner = ByteScanner(array)
        if let time = variant(&scanner) { return Reading(timestamp: time, form: .variant) }
        scanner = ByteScanner(array)
        if let time = iso8601(&scanner) { return Reading(timestamp: time, form: .iso8601) }
        return epochSeconds(array).map { Reading(timestamp: $0, form: .epochSeconds) }
    }

    /// `Sat, 27 Mar 2004 18:43:30 GMT+00:00` and its like: the comma may miss, spaces may be many or hyphens, day and hour
    /// may have one digit, and the zone may be `GMT`, `UTC`, `Z`, or an offset.
    private static func variant(_ scanner: inout ByteScanner) -> Timestamp? {
        guard scanner.weekday() != nil else { return nil }
        _ = scanner.take(UInt8(ascii: ","))
        scanner.skipSpaces()
        guard let day = scanner.number(1...2), separator(&scanner), let month = scanner.month(), separator(&scanner),
            let year = scanner.number(4)
        else { return nil }
        scanner.skipSpaces()
        guard let time = scanner.time(hourDigits: 1...2) else { return nil }
        scanner.skipSpaces()
        guard let offset = zone(&scanner), scanner.isAtEnd else { return nil }
        let civil = CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        return civil.timestamp.map { $0 - offset }
    }

    private static func separator(_ scanner: inout ByteScanner) -> Bool {
        if scanner.take(UInt8(ascii: "-")) { return true }
        guard scanner.byte == UInt8(ascii: " ") else { return false }
        scanner.skipSpaces()
        return true
    }

    /// The offset from UTC in seconds; letters other than GMT, UTC and Z are ambiguous.
    private static func zone(_ scanner: inout ByteScanner) -> Int64? {
        let isNamed = scanner.take("GMT") || scanner.take("UTC") || scanner.take("Z")
        guard !scanner.isAtEnd else { return isNamed ? 0 : nil }
        let isNegative = scanner.byte == UInt8(ascii: "-")
        guard scanner.take(UInt8(ascii: "+")) || scanner.take(UInt8(ascii: "-")), let hours = scanner.number(2), hours <= 14
        else { return nil }
        _ = scanner.take(UInt8(ascii: ":"))
        guard let minutes = scanner.number(2), minutes < 60 else { return nil }
        let offset = Int64(hours * 3600 + minutes * 60)
        return isNegative ? -offset : offset
    }

    static func iso8601(_ scanner: inout ByteScanner) -> Timestamp? {
        guard let year = scanner.number(4), scanner.take(UInt8(ascii: "-")), let month = scanner.number(2),
            scanner.take(UInt8(ascii: "-")), let day = scanner.number(2),
            scanner.take("T") || scanner.take(UInt8(ascii: " ")), let time = scanner.time()
        else { return nil }
        if scanner.take(UInt8(ascii: ".")), scanner.number(1...9) == nil { return nil }
        guard let offset = zone(&scanner), scanner.isAtEnd else { return nil }
        let civil = CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        return civil.timestamp.map { $0 - offset }
    }

    /// Nine to eleven digits, so that `0` and a bare year are no dates.
    private static func epochSeconds(_ bytes: [UInt8]) -> Timestamp? {
        var scanner = ByteScanner(bytes)
        guard let seconds = scanner.number(9...11), scanner.isAtEnd else { return nil }
        return Timestamp(secondsSinceEpoch: Int64(seconds))
    }
}
