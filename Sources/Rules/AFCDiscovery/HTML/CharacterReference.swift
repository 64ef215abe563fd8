/// Decodes character references such as `&amp;`, `&#38;` and `&#x26;`; HTML §13.2.5.72–80.
enum CharacterReference {
    /// The place of a reference; in an attribute, `&copy=1` is not a reference.
    enum Context { case text, attribute }

    /// Decodes the reference whose `&` is the first byte of a range.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - range: The bytes from the ampersand to the end of the text or value.
    ///   - context: The place of the reference.
    ///   - result: The bytes to which the characters are appended.
    /// - Returns: The end of the reference, or nil if the ampersand is a literal.
    static func read(
        _ bytes: ScanBuffer,
        _ range: Range<Int>,
        _ context: Context,
        into result: inout [UInt8]
    ) -> Int? {
        let start = range.lowerBound + 1
        guard start < range.upperBound else { return nil }
        if bytes[start] == UInt8(ascii: "#") { return numeric(bytes, start + 1..<range.upperBound, into: &result) }
        guard bytes[start].isLetter, let match = NamedCharacters.shared.longestMatch(bytes, start..<range.upperBound)
        else { return nil }
        if context == .attribute, !match.endsInSemicolon, match.end < range.upperBound {
            let next = bytes[match.end]
            if next == UInt8(ascii: "=") || next.isLetter || next.isDigit { return nil }
        }
        result += match.characters
        return match.end
    }

    private static func numeric(_ bytes: ScanBuffer, _ range: Range<Int>, into result: inout [UInt8]) -> Int? {
        var index = range.lowerBound
        let isHex = index < range.upperBound && bytes[index] | 0x20 == UInt8(ascii: "x")
        if isHex { index += 1 }
        let digits = index
        var value: UInt32 = 0
        while index < range.upperBound, let digit = bytes[index].hexValue, isHex || digit < 10 {
            value = min(value * (isHex ? 16 : 10) + digit, 0x11_0000)
            index += 1
        }
        guard index > digits else { return nil }
        if index < range.upperBound, bytes[index] == UInt8(ascii: ";") { index += 1 }
        result += Array(String(scalar(value)).utf8)
        return index
    }

    /// Returns the character for a number.
    ///
    /// NUL, surrogates and values beyond Unicode become U+FFFD, and C1 controls become the characters of windows-1252.
    private static func scalar(_ value: UInt32) -> Character {
        let mapped = (0x80...0x9F).contains(value) ? UInt32(Windows1252.upper[Int(value - 0x80)]) : value
        guard mapped != 0, let scalar = Unicode.Scalar(mapped) else { return "\u{FFFD}" }
        return Character(scalar)
    }
}
