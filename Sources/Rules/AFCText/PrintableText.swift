/// Escaping of text from packages, folders and the network for a terminal, a log or a page.
public enum PrintableText {
    /// Returns the text with every character escaped that is invisible, moves the cursor, or changes the writing
    /// direction.
    ///
    /// - Parameter text: Any text, of any length.
    /// - Returns: One line.
    public static func escaped(_ text: String) -> String { escaped(text, keeping: "") }

    /// Returns the text with invisible characters escaped, except for some.
    ///
    /// - Parameters:
    ///   - text: Any text, of any length.
    ///   - kept: The characters to keep, for example a line end.
    /// - Returns: The text.
    public static func escaped(_ text: String, keeping kept: String) -> String {
        // Nearly all text is ASCII without controls.
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

    /// Returns true if a character is invisible, moves the cursor, or changes the writing direction.
    ///
    /// These are the C0 and C1 controls, the controls of bidirectional text and line breaking, zero-width characters,
    /// fillers that show nothing, and tags. White space isn't among them, as in any text.
    ///
    /// - Parameter scalar: The character.
    /// - Returns: True if it is one of these.
    public static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B...0x200F,
            0x2028...0x202E, 0x2060...0x206F, 0x2800, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0x1D173...0x1D17A,
            0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// Returns the escape of a character, for example `\u{202e}`.
    public static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

    /// The maximum number of characters in quotes; an escape may exceed it.
    private static let quotedLimit = 200

    /// Quotes text for a terminal: shortens it and escapes control characters.
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
            // Two hashes anywhere in a line begin commands of build services.
            let isCommand = scalar == "#" && wasHash
            wasHash = scalar == "#" && !isCommand
            if isCommand || isEscaped(scalar) {
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

    /// Returns true if a character must be escaped where its bytes matter, as in quotes: controls, changes of direction,
    /// invisible characters, and white space that looks like a space but is another character.
    public static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned,
            .privateUse:
            return true
        default: return scalar.properties.isDefaultIgnorableCodePoint || isInvisible(scalar)
        }
    }
}
