internal import AFCHTTP

/// A common mistake in a date or media type that somebody wrote by hand, by which a remedy can be named.
package enum FieldMistake: Equatable {
    /// A word for nothing, such as `null` or `-`, other than `NULL`.
    case nothing
    /// `never` and the like: a date that is meant to be beyond all others.
    case never
    /// A number of seconds, such as `3600` or `max-age=3600`.
    case lifetime
    /// A media type in the place of a date.
    case mediaType
    /// A date in the place of a media type.
    case date
    /// A date in another form, as it should be written.
    case form(String)
    /// A date and time without a zone, as it should be written if it is UTC.
    case zoneless(String)
    /// A date that may be read as two, such as `11/10/2026`.
    case ambiguous
    /// A zone given by letters, such as `CET`.
    case zoneName(String)
    /// A suffix or a part of a media type, with the type that it stands for.
    case typeName(String)

    /// Returns the mistake in a text that isn't a date, or nil if it is none of these.
    package static func inDate(_ text: String) -> FieldMistake? {
        let word = text.lowercased()
        guard word.utf8.count <= 64 else { return nil }
        if nones.contains(word) { return .nothing }
        if ["never", "forever", "infinite", "infinity", "unlimited"].contains(word) { return .never }
        let number = word.hasPrefix("max-age=") ? word.dropFirst("max-age=".count) : word[...]
        if !number.isEmpty, number.utf8.allSatisfy(isDigit), number.count <= 7 { return .lifetime }
        if let type = MediaType(text), types.contains(type.essence.prefix { $0 != "/" }) { return .mediaType }
        return WrittenDate(text).mistake
    }

    /// Returns the mistake in a text that isn't a media type, or nil if it is none of these.
    package static func inMediaType(_ text: String) -> FieldMistake? {
        let word = text.lowercased()
        guard word.utf8.count <= 64 else { return nil }
        if nones.contains(word) { return .nothing }
        if LenientDate.parse(text) != nil { return .date }
        let name = word.hasPrefix(".") ? word.dropFirst() : word[...]
        return typeNames[String(name)].map { .typeName($0) }
    }

    /// The end of the sentence about the text, with what to write instead.
    var remedy: String {
        switch self {
        case .nothing: "; write NULL"
        case .never: "; write the last date on which it is still fresh"
        case .lifetime: "; write a date, not a number of seconds"
        case .mediaType: "; the media type is the fourth field, so write a date or NULL here"
        case .date: "; dates are the second and third field"
        case .form(let text): "; write '\(text)'"
        case .zoneless(let text): "; it has no time zone: write '\(text)' if it is UTC"
        case .ambiguous: "; day and month could be exchanged: write it like 'Sun, 06 Nov 1994 08:49:37 GMT'"
        case .zoneName(let name): "; not every reader knows the zone '\(name)': write the time in GMT"
        case .typeName(let type): "; write '\(type)'"
        }
    }

    private static let nones: Set<String> = ["null", "nil", "none", "-", "--", "n/a", "na", "undefined", "unknown"]

    private static let types: Set<Substring> = [
        "application", "audio", "font", "image", "message", "model", "multipart", "text", "video",
    ]

    /// Names that people write for media types, beside the suffixes in ``MediaType``.
    private static let typeNames: [String: String] = [
        "html": "text/html", "htm": "text/html", "css": "text/css", "js": "text/javascript",
        "javascript": "text/javascript", "json": "application/json", "xml": "text/xml", "txt": "text/plain",
        "text": "text/plain", "plain": "text/plain", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "svg": "image/svg+xml", "webp": "image/webp", "ico": "image/x-icon",
        "pdf": "application/pdf",
        "woff": "font/woff", "woff2": "font/woff2", "mp3": "audio/mpeg", "mp4": "video/mp4",
    ]
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The numbers and words of a text that may be a date in a form that people write.
private struct WrittenDate {
    private var numbers: [(text: Substring, separator: Character?)] = []
    private var month: Int?
    private var time: String?
    /// The words that are neither a weekday, a month nor a name of UTC.
    private var others: [Substring] = []
    private var isUTC = false

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    init(_ text: String) {
        var rest = text[...]
        var separator: Character?
        while let first = rest.first {
            if first.isASCII, first.isNumber {
                if time == nil, let found = rest.prefixMatch(of: /([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?/) {
                    time = "\(found.1.count == 1 ? "0" : "")\(found.1):\(found.2):\(found.3 ?? "00")"
                    rest = rest[found.range.upperBound...]
                } else {
                    let number = rest.prefix { $0.isASCII && $0.isNumber }
                    numbers.append((number, separator))
                    rest = rest.dropFirst(number.count)
                }
                separator = nil
            } else if first.isLetter {
                let word = rest.prefix(while: \.isLetter)
                add(word)
                rest = rest.dropFirst(word.count)
                separator = nil
            } else {
                separator = first
                rest = rest.dropFirst()
            }
        }
    }

    private mutating func add(_ word: Substring) {
        let lower = word.lowercased()
        let start = String(lower.prefix(3))
        if let found = Self.months.firstIndex(of: start), lower.count >= 3 {
            month = found + 1
        } else if ["gmt", "utc", "ut", "z"].contains(lower) {
            isUTC = true
        } else if lower != "t", !Self.weekdays.contains(start) {
            others.append(word)
        }
    }

    /// The mistake, or nil if the text is no date.
    var mistake: FieldMistake? {
        guard let day else { return isAmbiguous && others.isEmpty ? .ambiguous : nil }
        if others.count == 1, let name = others.first, name.count <= 5, time != nil, String(name) == name.uppercased() {
            return .zoneName(String(name))
        }
        guard others.isEmpty, let timestamp = Timestamp(iso8601: "\(day)T\(time ?? "00:00:00")Z") else { return nil }
        let text = HTTPDate.format(timestamp)
        return time == nil || isUTC ? .form(text) : .zoneless(text)
    }

    private var isAmbiguous: Bool {
        guard month == nil, numbers.count == 3, numbers[2].text.count == 4 else { return false }
        return numbers[..<2].allSatisfy { (Int($0.text) ?? 0) <= 12 }
    }

    /// The day as `2026-11-20`, or nil if there is none or it is ambiguous.
    private var day: String? {
        let texts = numbers.map(\.text)
        if let month {
            guard texts.count == 2, let year = texts.last, let day = texts.first else { return nil }
            if year.count == 4 { return Self.day(year, "\(month)", day) }
            return year.count == 2 ? Self.day("20" + year, "\(month)", day) : nil
        }
        if texts.count == 1, texts[0].count == 8 {
            return Self.day(texts[0].prefix(4), texts[0].dropFirst(4).prefix(2), texts[0].suffix(2))
        }
        guard texts.count == 3 else { return nil }
        if texts[0].count == 4 { return Self.day(texts[0], texts[1], texts[2]) }
        guard texts[2].count == 4 else { return nil }
        if numbers[1].separator == "." { return Self.day(texts[2], texts[1], texts[0]) }
        guard !isAmbiguous else { return nil }
        return (Int(texts[0]) ?? 0) > 12
            ? Self.day(texts[2], texts[1], texts[0]) : Self.day(texts[2], texts[0], texts[1])
    }

    private static func day(
        _ year: some StringProtocol,
        _ month: some StringProtocol,
        _ day: some StringProtocol
    ) -> String? {
        guard month.count <= 2, day.count <= 2, year.count == 4 else { return nil }
        return "\(year)-\(month.count == 1 ? "0" : "")\(month)-\(day.count == 1 ? "0" : "")\(day)"
    }
}
