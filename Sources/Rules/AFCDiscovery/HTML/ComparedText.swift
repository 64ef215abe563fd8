/// The text of a body in which two versions are compared: of a page, what a reader sees; of other texts, their source.
package enum ComparedText {
    /// Returns the text, in lines; nil for a body that isn't a text.
    ///
    /// - Parameters:
    ///   - body: The body, without a content coding.
    ///   - essence: Its media type without parameters, in lower case.
    ///   - charset: The `charset` parameter; nil for none.
    /// - Returns: The text, whose last line ends; nil if there is none.
    package static func of(_ body: [UInt8], essence: String, charset: String?) -> [UInt8]? {
        guard isText(essence) else { return nil }
        guard ["text/html", "application/xhtml+xml"].contains(essence) else { return body + [0x0A] }
        let page = body.withUnsafeBufferPointer {
            PageText(html: $0, charset: charset, isXML: essence != "text/html")
        }
        return Array("\(page.title)\n\(page.text)\n".utf8)
    }

    /// Returns true for the media types of texts.
    package static func isText(_ essence: String) -> Bool {
        essence.hasPrefix("text/") || ["json", "xml", "javascript"].contains(where: essence.hasSuffix)
    }
}
