/// Escaping of text for HTML and XML, in content and in quoted attributes.
package enum Markup {
    /// Escapes the characters that have a meaning in markup, and shows invisible ones by their numbers.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text, without markup and without changes of the writing direction.
    package static func escaped(_ text: String) -> String {
        escaped(text) { PrintableText.isInvisible($0) ? PrintableText.escape($0) : nil }
    }

    /// Escapes the characters that have a meaning in markup, and others by a rule.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - rule: Returns the replacement of a character that isn't markup; nil to keep it.
    /// - Returns: The text.
    package static func escaped(_ text: String, _ rule: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                if let replacement = rule(scalar) {
                    result += replacement
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}

/// Text in an XML document.
package enum XMLText {
    /// Escapes text for content and quoted attributes; characters that XML 1.0 can't hold (§2.2) become `\u{…}`.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text, without markup.
    package static func escaped(_ text: String) -> String {
        Markup.escaped(text) { scalar in
            switch scalar {
            case "\t", "\n", "\r": "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": PrintableText.escape(scalar)
            default: nil
            }
        }
    }
}
