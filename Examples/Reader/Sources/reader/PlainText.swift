import Foundation

/// Returns the text of an HTML page: good enough for a terminal, and far from what a browser does.
func plainText(_ html: String) -> String {
    var text = html
    for (pattern, replacement) in [
        ("(?is)<(script|style|head)\\b.*?</\\1\\s*>", ""), ("(?s)<!--.*?-->", ""),
        ("\\s+", " "), ("(?i)<li\\b[^>]*>", "\n- "), ("(?i)<br\\b[^>]*>", "\n"),
        ("(?i)</?(p|h[1-6]|div|ul|ol|table|tr|section|article|header|footer)\\b[^>]*>", "\n\n"),
        ("<title>.*?</title>", ""), ("<[^>]*>", ""), (" *\n *", "\n"), ("\n{3,}", "\n\n"),
    ] {
        text = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
    }
    for (name, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")] {
        text = text.replacingOccurrences(of: name, with: character)
    }
    // A page must not control the terminal.
    text.unicodeScalars.removeAll { $0 != "\n" && $0.properties.generalCategory == .control }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
}
