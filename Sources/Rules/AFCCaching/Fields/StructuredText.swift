internal import AFCHTTP
internal import RawStructuredFieldValues

/// The texts of structured fields (RFC 9651), read with limits.
enum StructuredText {
    /// The longest dictionary that is read, in bytes, and the most commas in it; a longer one counts as absent.
    private static let dictionaryLimit = (bytes: 8192, commas: 64)
    /// The longest list that is read, in bytes.
    private static let listLimit = 32 << 10

    /// Parses the lines of a dictionary (RFC 9651 §3.2); nil if there are none, or if they are malformed or too long.
    static func dictionary(_ lines: [String]) -> OrderedMap<String, ItemOrInnerList>? {
        // The library searches its dictionaries from their start for each member.
        let (bytes, commas) = Self.dictionaryLimit
        let count = lines.reduce(lines.count) { $0 + $1.utf8.count(where: { $0 == UInt8(ascii: ",") }) }
        guard count <= commas, var parser = parser(lines, limit: bytes) else { return nil }
        return try? parser.parseDictionaryFieldValue()
    }

    /// Parses the lines of a list (RFC 9651 §3.1); nil if there are none, or if they are malformed or too long.
    static func list(_ lines: [String]) -> [ItemOrInnerList]? {
        guard var parser = parser(lines, limit: listLimit) else { return nil }
        return try? parser.parseListFieldValue()
    }

    private static func parser(_ lines: [String], limit: Int) -> StructuredFieldValueParser<[UInt8]>? {
        guard !lines.isEmpty else { return nil }
        let bytes = Array(lines.joined(separator: ",").utf8)
        return bytes.count <= limit ? StructuredFieldValueParser(bytes) : nil
    }

    /// Returns true if a text is a token (RFC 9651 §3.3.4).
    static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first, FieldText.isLetter(first) || first == UInt8(ascii: "*") else { return false }
        return text.utf8.allSatisfy {
            FieldText.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/")
        }
    }

    /// Returns a string (RFC 9651 §3.3.3), in which a question mark replaces everything but visible ASCII.
    static func string(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for scalar in text.unicodeScalars {
            guard (0x20...0x7E).contains(scalar.value) else {
                bytes.append(UInt8(ascii: "?"))
                continue
            }
            if scalar == "\"" || scalar == "\\" { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}
