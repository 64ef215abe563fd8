internal import AFCHTTP
internal import AFCText

/// The frame of the server's own pages, in light and dark; it loads nothing.
enum HTML {
    /// Returns a page.
    ///
    /// - Parameters:
    ///   - title: Plain text.
    ///   - body: HTML, in which all foreign text is already escaped.
    ///   - script: A script that runs at the end of the page, and the nonce that permits it; nil for none.
    /// - Returns: The whole document.
    static func page(title: String, body: String, script: (text: String, nonce: String)? = nil) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(Markup.escaped(title))</title>
        <style>
        \(PageStyle.text)
        </style>
        </head>
        <body>
        \(body)
        \(script.map { "<script nonce=\"\($0.nonce)\">\n\($0.text)\n</script>" } ?? "")
        </body>
        </html>

        """
    }

    /// Returns a new nonce for the script of one page (Content Security Policy §6.7.3.3).
    static func nonce() -> String {
        (0..<2).map { _ in Hexadecimal.text(withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) }) }
            .joined()
    }
}
