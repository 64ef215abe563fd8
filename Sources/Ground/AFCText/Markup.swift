/// Text made fit for HTML and XML, as content and within quotes.
package enum Markup {
    /// Escapes the characters that mean something in markup, and shows as their numbers those that nobody can see.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text, in which nothing is markup and nothing turns the direction of writing.
    package static func escaped(_ text: String) -> String {
        escaped(text) { PrintableText.isInvisible($0) ? PrintableText.escape($0) : nil }
    }

    /// Escapes the characters that mean something in markup, and others by a rule.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - rule: The replacement of a character that isn't markup; nil where it stays.
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
