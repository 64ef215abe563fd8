/// Dates that resemble IMF-fixdate, but differ in zone, punctuation, spaces, or the number of digits.
enum DeviatingDate {
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> LenientDate.Reading? {
        var scanner = ByteScanner(bytes)
        var hasExtraSpaces = scanner.skipSpaces() > 0
        let weekday = scanner.weekday()
        let hasComma = scanner.take(",")
        guard weekday != nil || !hasComma else { return nil }
        let gap = scanner.skipSpaces()
        guard hasComma || weekday == nil || gap > 0 else { return nil }
        hasExtraSpaces = hasExtraSpaces || (weekday != nil && gap != 1)

        let dayDigits = scanner.digitCount
        guard let day = scanner.number(1...2), let first = separator(&scanner), let month = scanner.month(),
            let second = separator(&scanner), let year = scanner.number(4), let third = spaces(&scanner)
        else { return nil }
        let hourDigits = scanner.digitCount
        guard let time = scanner.time(hourDigits: 1...2) else { return nil }
        let fourth = scanner.skipSpaces()
        guard let zone = zone(&scanner) else { return nil }
        let trailing = scanner.skipSpaces()
        guard scanner.isAtEnd else { return nil }
        let isWide = first == .wide || second == .wide || third == .wide
        hasExtraSpaces = hasExtraSpaces || isWide || fourth != 1 || trailing > 0

        let civil = CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        guard let instant = civil.timestamp(offset: zone.offset) else { return nil }
        var form = zone.form
        if form == nil, weekday == nil { form = .missingWeekday }
        if form == nil, !hasComma { form = .missingComma }
        if form == nil, weekday?.isLong == true { form = .longWeekday }
        if form == nil, first == .dash || second == .dash { form = .dashes }
        if form == nil, dayDigits == 1 { form = .oneDigitDay }
        if form == nil, hourDigits == 1 { form = .oneDigitHour }
        if form == nil, hasExtraSpaces { form = .extraSpaces }
        return LenientDate.Reading(
            timestamp: instant,
            form: form ?? .imfFixdate,
            hasWrongWeekday: weekday.map { $0.day != civil.weekday } ?? false
        )
    }

    private enum Separator {
        case space
        case wide
        case dash
    }

    private static func separator(_ scanner: inout ByteScanner) -> Separator? {
        scanner.take("-") ? .dash : spaces(&scanner)
    }

    private static func spaces(_ scanner: inout ByteScanner) -> Separator? {
        let isTab = scanner.byte == 0x09
        let count = scanner.skipSpaces()
        guard count > 0 else { return nil }
        return count == 1 && !isTab ? .space : .wide
    }

    /// Parses the offset in seconds and the deviation, which is nil for `GMT`; other letters are ambiguous.
    private static func zone(_ scanner: inout ByteScanner) -> (offset: Int64, form: LenientDate.Form?)? {
        let isGMT = scanner.take("GMT")
        let isUTC = !isGMT && (scanner.take("UTC") || scanner.take("UT") || scanner.take("Z"))
        let isNamed = isGMT || isUTC
        if scanner.byte == UInt8(ascii: "+") || scanner.byte == UInt8(ascii: "-") {
            guard let offset = ZoneOffset.parse(&scanner, isShortAllowed: isNamed) else { return nil }
            return (offset, isNamed ? .gmtOffset : .numericZone)
        }
        return isNamed ? (0, isUTC ? .utcName : nil) : nil
    }
}
