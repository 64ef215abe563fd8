internal import AFCHTTP
internal import AFCText

/// The frame of the server's own pages, in light and dark; it has no scripts and loads nothing.
enum HTML {
    /// Returns a page.
    ///
    /// - Parameters:
    ///   - title: Plain text.
    ///   - body: HTML, in which all foreign text is already escaped.
    /// - Returns: The whole document.
    static func page(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(Markup.escaped(title))</title>
        <style>
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
        td:first-child { overflow-wrap: anywhere; } li { overflow-wrap: anywhere; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        code { overflow-wrap: anywhere; background: #8882; padding: .1rem .3rem; border-radius: .2rem; }
        .note { opacity: .75; }
        </style>
        </head>
        <body>
        \(body)
        </body>
        </html>

        """
    }

    /// Formats the day of a point in time, in UTC.
    static func day(_ time: Timestamp) -> String { String(time.iso8601.prefix(10)) }
}
