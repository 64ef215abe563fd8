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
                result += escape(scalar)
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

    /// Shows a character as its number, for example `\u{202e}`.
    public static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

    /// The number of characters that are quoted at most, but for the end of an escape.
    private static let quotedLimit = 200

    /// Puts text in quotes: cut, and with control characters escaped, so that it is safe for a terminal.
    public static func quoted(_ text: String) -> String {
        let bytes = text.utf8
        if bytes.count <= quotedLimit, bytes.allSatisfy({ (0x20..<0x7F).contains($0) }), !text.contains("##") {
            return "'\(text)'"
        }
        var result = "'"
        var count = 0
        var wasHash = false
        for scalar in text.unicodeScalars {
            if count == quotedLimit {
                result += "…"
                break
            }
            // Two hashes begin commands of build services, wherever in a line they stand.
            let isCommand = scalar == "#" && wasHash
            wasHash = scalar == "#" && !isCommand
            if isCommand || isEscaped(scalar) || isInvisible(scalar) {
                let escape = escape(scalar)
                result += escape
                count = min(count + escape.utf8.count, quotedLimit)
            } else {
                result.unicodeScalars.append(scalar)
                count += 1
            }
        }
        return result + "'"
    }

    /// Tells whether a character does something else than show itself: controls, direction, and what nobody sees.
    public static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
