/// Text from packages, folders and the network made fit for a line of a terminal, a log or a page.
public enum PrintableText {
    /// The text with everything shown as its number that can't be seen, moves the cursor, or turns the direction of writing.
    ///
    /// - Parameter text: Any text, of any length.
    /// - Returns: One line.
    public static func escaped(_ text: String) -> String { escaped(text, keeping: "") }

    /// The text with everything escaped that can't be seen, but for some characters.
    ///
    /// - Parameters:
    ///   - text: Any text, of any length.
    ///   - kept: What stays as it is, a line end for example.
    /// - Returns: The text.
    public static func escaped(_ text: String, keeping kept: String) -> String {
        // Nearly all texts are ASCII without controls.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        let kept = kept.unicodeScalars
        var result = ""
        for scalar in text.unicodeScalars {
            if isInvisible(scalar), !kept.contains(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a character can't be seen, moves the cursor, or turns the direction of writing.
    ///
    /// These are the controls of C0 and C1, of bidirectional text and of line breaking, what has no width, and tags.
    ///
    /// - Parameter scalar: The character.
    /// - Returns: Whether it is one of them.
    public static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
