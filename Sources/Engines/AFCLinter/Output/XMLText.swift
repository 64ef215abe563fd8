internal import AFCText

/// Text in an XML document.
enum XMLText {
    /// Escapes text for content and quoted attributes; characters that XML 1.0 can't hold (§2.2) become `\u{…}`.
    static func escaped(_ text: String) -> String {
        Markup.escaped(text) { scalar in
            switch scalar {
            case "\t", "\n", "\r": "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": PrintableText.escape(scalar)
            default: nil
            }
        }
    }
}
