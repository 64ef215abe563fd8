internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

/// An entry as it should be written.
struct FixedEntry {
    /// The entry as the reader parses it, with the member's name if it must be written.
    private(set) var entry: ManifestEntry
    /// The number of corrected defects, by kind.
    private(set) var mended: [ManifestDefect: Int] = [:]
    /// The length of the line if its fields are separated by exactly ` ; `.
    let normalLength: Int
    /// True if the member's name was added.
    let isNamed: Bool
    /// True if the URL is kept only because the line would otherwise need a name, and perhaps more fields.
    private(set) var isWithheld = false
    /// The sort key of an entry whose URL is kept as written.
    private(set) var ownKey: String?

    private var url: Text
    private var others: [Text] = []

    /// A field's bytes.
    private enum Text {
        case old(ArraySlice<UInt8>)
        case new(String)

        static let none = Text.new("NULL")
    }

    init(
        _ item: ManifestReader.Item,
        _ fields: ManifestLine.Fields,
        _ manifest: [UInt8],
        isDisputed: Bool,
        allowsUnsafe: Bool,
        _ isMember: ManifestFix.Lookup
    ) {
        entry = item.entry
        let ranges =
            [fields.url, fields.lastModified] + [fields.expires, fields.mediaType, fields.member].compactMap { $0 }
        normalLength = ranges.reduce(3 * (ranges.count - 1)) { $0 + $1.count }
        url = .old(manifest[fields.url])
        let normal = entry.url.description
        let written = item.urlText
        var name: String?
        if written != normal {
            let place = isDisputed ? .kept : Self.place(of: entry, written, isMember)
            switch place {
            case .same: break
            // AFCache 0.6 reads three fields but drops five; 0.13 would read a name that wasn't there before.
            case .named where !allowsUnsafe:
                isWithheld = true
                ownKey = normal
            case .named(let member): name = member
            case .kept: ownKey = normal
            }
            if ownKey == nil {
                url = .new(normal)
                mended[written.utf8.contains(UInt8(ascii: "#")) ? .fragment : .url] = 1
            }
        }
        isNamed = name != nil
        others.append(date(entry.lastModified, manifest[fields.lastModified]))
        if let expires = fields.expires { others.append(date(entry.expires, manifest[expires])) }
        if let mediaType = fields.mediaType { others.append(type(entry.mediaType, manifest[mediaType])) }
        if let member = fields.member { others.append(present(manifest[member])) }
        // Some readers count the empty field, so it stays one.
        if fields.count > 2, fields.last.isEmpty {
            mended[.trailingDelimiter] = 1
            if let count = mended[.emptyField] { mended[.emptyField] = count > 1 ? count - 1 : nil }
        }
        if let name {
            entry.member = name
            while others.count < 3 { others.append(.none) }
            others = others.prefix(3) + [.new(name)]
        }
    }

    /// Extends two or three fields to four.
    mutating func raise() {
        guard others.count < 3 else { return }
        mended[.mixedDialects] = 1
        while others.count < 3 { others.append(.none) }
    }

    /// Appends the line and returns the range of its URL.
    func write(to text: inout [UInt8]) -> Range<Int> {
        let start = text.count
        Self.append(url, to: &text)
        let end = text.count
        for field in others {
            text += " ; ".utf8
            Self.append(field, to: &text)
        }
        text.append(UInt8(ascii: "\n"))
        return start..<end
    }

    private static func append(_ field: Text, to text: inout [UInt8]) {
        switch field {
        case .old(let bytes): text += bytes
        case .new(let string): text += string.utf8
        }
    }

    // MARK: Fields

    private mutating func date(_ date: Timestamp?, _ bytes: ArraySlice<UInt8>) -> Text {
        // An invalid date counts as NULL, but only a person knows which date was meant.
        guard let date else { return present(bytes) }
        let normal = HTTPDate.format(date)
        let reading = LenientDate.parse(bytes.span)
        if reading?.form == .imfFixdate, bytes.elementsEqual(normal.utf8) { return .old(bytes) }
        guard LenientDate.parse(normal)?.timestamp == date, reading.map(Self.isClear) ?? true else {
            return .old(bytes)
        }
        let isWeekday = reading?.form == .imfFixdate && reading?.hasWrongWeekday == true
        mended[isWeekday ? .weekday : .date, default: 0] += 1
        return .new(normal)
    }

    /// Returns true if every reader understands a date as the same time.
    ///
    /// Readers disagree about the century of the two-digit years 69 to 79 in RFC 850's format.
    private static func isClear(_ reading: LenientDate.Reading) -> Bool {
        guard reading.form == .rfc850 else { return true }
        let year = HTTPDate.format(reading.timestamp).dropFirst(12).prefix(4)
        return !year.hasPrefix("197") && year != "1969" && year != "2069"
    }

    /// Returns a media type in normal form, or nil if that would drop a part of it.
    static func safeType(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let type = MediaType(text) else { return nil }
        var parts = 0
        var isQuoted = false
        var isEmpty = true
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ";"), !isQuoted {
                parts += isEmpty ? 0 : 1
                isEmpty = true
            } else if byte != 0x20, byte != 0x09 {
                isEmpty = false
            }
        }
        parts += isEmpty ? 0 : 1
        return parts == type.parameters.count + 1 ? type.description : nil
    }

    private mutating func type(_ mediaType: String?, _ bytes: ArraySlice<UInt8>) -> Text {
        guard let mediaType, !bytes.elementsEqual(mediaType.utf8) else { return present(bytes) }
        guard Self.safeType(bytes) == mediaType else { return .old(bytes) }
        mended[.mediaType] = 1
        return .new(mediaType)
    }

    private mutating func present(_ bytes: ArraySlice<UInt8>) -> Text {
        guard bytes.isEmpty else { return .old(bytes) }
        mended[.emptyField, default: 0] += 1
        return .none
    }

    // MARK: The body's place

    private enum Place {
        /// The URL in normal form leads to the same member, or also to none.
        case same
        /// The member must be named.
        case named(String)
        /// No other text leads to the member.
        case kept
    }

    private static func place(of entry: ManifestEntry, _ written: String, _ isMember: ManifestFix.Lookup) -> Place {
        // A semicolon at the end of a host may be a mistyped delimiter; adding a slash would hide that.
        if written.hasSuffix(";"), !entry.url.description.hasSuffix(";") { return .kept }
        guard entry.member == nil else { return .same }
        func found(_ text: String) -> String? {
            MemberRule.candidates(text: text, url: entry.url).first(where: isMember)
        }
        let (before, after) = (found(written), found(entry.url.description))
        guard before != after else { return .same }
        guard let before, isField(before) else { return .kept }
        return .named(before)
    }

    /// Returns true if a name can be written in the fifth field.
    private static func isField(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let hasControl = bytes.contains { $0 < 0x20 || $0 == 0x7F }
        let isTrimmed = bytes.first != 0x20 && bytes.last != 0x20
        return !hasControl && isTrimmed && !bytes.isEmpty && name != "NULL" && !name.contains(" ;")
    }
}
