internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// An HTML text that grows: markup comes from this program's own text only, which its type says, and everything else is
/// escaped.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Appends markup.
    mutating func markup(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends text, for content and for attributes in double quotes.
    ///
    /// What can't be seen or turns the direction of writing is shown as its number.
    mutating func text(_ text: String) {
        bytes.append(contentsOf: Markup.escaped(text).utf8)
    }

    /// Appends a number.
    mutating func number(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a URL; one of http or https leads there.
    mutating func url(_ url: WebURL) {
        let whole = url.description
        let origin = url.isHTTP ? url.origin : ""
        let start = origin.utf8.count
        if url.isHTTP {
            markup("<a rel=\"noreferrer noopener\" href=\"")
            text(whole)
            markup("\">")
        }
        if !origin.isEmpty, whole.hasPrefix(origin) {
            markup("<span class=\"origin\">")
            text(origin)
            markup("</span>")
            text(Self.shortened(String(whole.utf8.dropFirst(start)) ?? whole))
        } else {
            text(Self.shortened(whole))
        }
        if url.isHTTP { markup("</a>") }
    }

    /// A text of which no more than a few lines are worth reading.
    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 600 ? text : String(text.prefix(600)) + "…"
    }
}
