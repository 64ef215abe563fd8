internal import AFCCaching
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Reads records line by line, with a fast path for lines in the form that this program writes.
///
/// Neighboring records have much in common. The fields of a record often equal those of an earlier one byte for byte,
/// and then they are shared. All other lines are left to ``ResourceRecord/init(line:)``, which alone decides what is
/// malformed. Both give the same record for a line that both can read.
///
/// A reader refers to the lines that it has read, so it must not outlive their bytes.
struct RecordReader {
    /// Fields that were read before.
    private struct Known {
        /// The text of the JSON array.
        var text: UnsafeBufferPointer<UInt8>
        var fields: HTTPFields
        var disagreement: Disagreement?
    }

    /// A field in which a manifest entry disagreed with a record that has the same fields.
    private struct Disagreement {
        var mediaType: String?
        var lastModified: Timestamp?
        var expires: Timestamp?
        var fetched: Timestamp?
        var field: String?
    }

    private static let knownLimit = 8
    private static let nameLimit = 48

    private var known: [Known] = []
    /// The index of the slot to overwrite next.
    private var oldest = 0
    /// The index of the last record's fields, or nil if the generic parser read it.
    private var current: Int?
    private var names: [NamedField] = []
    private var fetched: (text: UnsafeBufferPointer<UInt8>, time: Timestamp)?
    private var usage: (text: UnsafeBufferPointer<UInt8>, preferences: UsagePreferences)?

    /// A field name and its last value.
    private struct NamedField {
        var name: UnsafeBufferPointer<UInt8>
        var value: UnsafeBufferPointer<UInt8>
        var field: HTTPField
    }

    /// Reads one line.
    ///
    /// - Parameters:
    ///   - line: The line without its end.
    ///   - url: The URL that the record is expected to have.
    /// - Returns: The record.
    /// - Throws: ``ResourceRecord/Malformation`` if the line is not a record.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>, expecting url: WebURL?) throws(ResourceRecord.Malformation)
        -> ResourceRecord
    {
        if let record = plainRecord(line, url) { return record }
        current = nil
        return try ResourceRecord(line: line)
    }

    /// Returns the name of the field in which a manifest entry differs from the record that was read last.
    mutating func disagreement(of entry: ManifestEntry, with record: ResourceRecord) -> String? {
        guard let current else { return PackageIndex.disagreement(of: entry, with: record) }
        if let known = known[current].disagreement, known.mediaType == entry.mediaType,
            known.lastModified == entry.lastModified, known.expires == entry.expires, known.fetched == record.fetched
        {
            return known.field
        }
        let field = PackageIndex.disagreement(of: entry, with: record)
        known[current].disagreement = Disagreement(
            mediaType: entry.mediaType,
            lastModified: entry.lastModified,
            expires: entry.expires,
            fetched: record.fetched,
            field: field
        )
        return field
    }

    // MARK: The form that this program writes

    /// Reads an ASCII record without white space and with its keys in our order; nil if it has any other form.
    private mutating func plainRecord(_ line: UnsafeBufferPointer<UInt8>, _ expected: WebURL?) -> ResourceRecord? {
        var cursor = ByteCursor(line)
        guard cursor.skip(#"{"url":"#), let url = Self.url(&cursor, expected),
            cursor.skip(#","status":"#), let status = cursor.number(), (200...599).contains(status), status != 206,
            status != 304,
            cursor.skip(#","fields":"#), let fields = knownFields(&cursor)
        else { return nil }
        var record = ResourceRecord(url: url, status: Int(status), fields: fields)
        if cursor.skip(#","requestFields":"#) {
            guard let fields = self.fields(&cursor) else { return nil }
            record.requestFields = fields
        }
        if cursor.skip(#","coding":"#) {
            guard let text = Self.string(&cursor) else { return nil }
            record.coding = String(decoding: text, as: UTF8.self)
        }
        if cursor.skip(#","fetched":"#) {
            guard let time = time(&cursor) else { return nil }
            record.fetched = time
        }
        if cursor.skip(#","size":"#) {
            guard let size = cursor.number() else { return nil }
            record.size = size
        }
        if cursor.skip(#","sha256":"#) {
            guard let digits = Self.string(&cursor), digits.count == 64, digits.allSatisfy(Self.isLowerHexDigit) else {
                return nil
            }
            record.sha256 = String(decoding: digits, as: UTF8.self)
        }
        if cursor.skip(#","robotsUsage":"#) {
            guard let usage = usage(&cursor) else { return nil }
            record.robotsUsage = usage
        }
        if cursor.skip(#","pageUsage":"#) {
            guard let usage = usage(&cursor) else { return nil }
            record.pageUsage = usage
        }
        guard cursor.skip("}"), cursor.isAtEnd else { return nil }
        return record
    }

    /// Reads a string without escapes and returns it without its quotes.
    private static func string(_ cursor: inout ByteCursor) -> UnsafeBufferPointer<UInt8>? {
        guard cursor.skip("\"") else { return nil }
        let (text, stop) = cursor.plainText()
        guard stop == UInt8(ascii: "\"") else { return nil }
        cursor.move(by: 1)
        return text
    }

    private static func url(_ cursor: inout ByteCursor, _ expected: WebURL?) -> WebURL? {
        if let expected, expected.description.utf8.withContiguousStorageIfAvailable({ skip(&cursor, $0) }) == true {
            return expected
        }
        guard let text = string(&cursor), text.count <= PackageLayout.urlByteLimit else { return nil }
        do throws(WebURL.ParseError) {
            return try WebURL(utf8: text.span)
        } catch {
            return nil
        }
    }

    /// Moves past a URL in normal form, which parsing would not change.
    private static func skip(_ cursor: inout ByteCursor, _ normal: UnsafeBufferPointer<UInt8>) -> Bool {
        var scheme = ByteCursor(normal)
        guard normal.count <= PackageLayout.urlByteLimit, scheme.skip("http://") || scheme.skip("https://") else {
            return false
        }
        return cursor.skipQuoted(normal)
    }

    private mutating func time(_ cursor: inout ByteCursor) -> Timestamp? {
        if let fetched, cursor.skipQuoted(fetched.text) { return fetched.time }
        guard let text = Self.string(&cursor),
            let time = Timestamp(iso8601: String(decoding: text, as: UTF8.self))
        else { return nil }
        fetched = (text, time)
        return time
    }

    /// Reads preferences, which most resources of an origin share.
    private mutating func usage(_ cursor: inout ByteCursor) -> UsagePreferences? {
        if let usage, cursor.skipQuoted(usage.text) { return usage.preferences }
        guard let text = Self.string(&cursor) else { return nil }
        let preferences = UsagePreferences(text: String(decoding: text, as: UTF8.self))
        usage = (text, preferences)
        return preferences
    }

    // MARK: Fields

    private mutating func knownFields(_ cursor: inout ByteCursor) -> HTTPFields? {
        for index in known.indices where cursor.skip(known[index].text) {
            current = index
            return known[index].fields
        }
        let start = cursor.position
        guard let fields = fields(&cursor) else { return nil }
        let text = UnsafeBufferPointer(rebasing: cursor.bytes[start..<cursor.position])
        let new = Known(text: text, fields: fields, disagreement: nil)
        if known.count < Self.knownLimit {
            current = known.count
            known.append(new)
        } else {
            current = oldest
            known[oldest] = new
            oldest = (oldest + 1) % Self.knownLimit
        }
        return fields
    }

    /// Reads an array of pairs of a name and a value.
    private mutating func fields(_ cursor: inout ByteCursor) -> HTTPFields? {
        var fields = HTTPFields()
        guard cursor.skip("[") else { return nil }
        if cursor.skip("]") { return fields }
        var place = 0
        repeat {
            guard cursor.skip("["), let name = Self.string(&cursor), cursor.skip(","), cursor.skip("\"") else {
                return nil
            }
            let start = cursor.position
            guard let hasEscapes = Self.passValue(&cursor) else { return nil }
            let value = UnsafeBufferPointer(rebasing: cursor.bytes[start..<cursor.position])
            guard cursor.skip("\"]"), let field = field(name, value, hasEscapes: hasEscapes, &place) else {
                return nil
            }
            fields.append(field)
        } while cursor.skip(",")
        return cursor.skip("]") ? fields : nil
    }

    /// Moves to the closing quote of a string that has no other escapes than `\"` and `\\`.
    ///
    /// - Returns: True if it has any of them; nil if it isn't such a string.
    private static func passValue(_ cursor: inout ByteCursor) -> Bool? {
        var hasEscapes = false
        while true {
            switch cursor.plainText().stop {
            case UInt8(ascii: "\""): return hasEscapes
            case UInt8(ascii: "\\"):
                guard cursor.skip(#"\""#) || cursor.skip(#"\\"#) else { return nil }
                hasEscapes = true
            default: return nil
            }
        }
    }

    /// Reads a field.
    ///
    /// Records mostly have the same names in the same order, so `place` says where to look first.
    private mutating func field(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>,
        hasEscapes: Bool,
        _ place: inout Int
    ) -> HTTPField? {
        var index: Int? = nil
        for step in names.indices {
            let candidate = place + step < names.count ? place + step : place + step - names.count
            if ByteCursor.isEqual(names[candidate].name, name) {
                index = candidate
                break
            }
        }
        if let index {
            place = index + 1 < names.count ? index + 1 : 0
            if ByteCursor.isEqual(names[index].value, value) { return names[index].field }
        }
        guard
            let fieldName = index.map({ names[$0].field.name }) ?? HTTPField.Name(String(decoding: name, as: UTF8.self))
        else { return nil }
        let text = hasEscapes ? Self.unescaped(value) : String(decoding: value, as: UTF8.self)
        guard HTTPField.isValidValue(text) else { return nil }
        let field = HTTPField(name: fieldName, value: text)
        if let index {
            names[index].value = value
            names[index].field = field
        } else if names.count < Self.nameLimit {
            names.append(NamedField(name: name, value: value, field: field))
            place = 0
        }
        return field
    }

    private static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            bytes.append(text[index])
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLowerHexDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "a") < 6
    }
}
