package import AFCURL

/// The main content of a page as Markdown (CommonMark with the tables of GFM), with the outline of its headings.
///
/// Navigation, scripts, and what isn't shown are left out. Reading takes linear time, and memory up to the limits.
package struct PageMarkdown: Sendable, Equatable {
    /// The limits on what is kept of a page.
    package struct Limits: Sendable {
        /// The most bytes of Markdown, apart from the end of the line that exceeds them, and the marks that end what is cut.
        package var markdown = 8 << 20
        /// The most headings.
        package var headings = 10_000
        /// The most bytes of the title, and of a heading in the outline.
        package var title = 1 << 10
        /// The most elements and texts of the page that are read.
        package var nodes = 1 << 20

        /// Creates the default limits.
        package init() {}
    }

    /// A heading, or a term that a page of reference defines and links to.
    package struct Heading: Sendable, Equatable {
        /// The level: 1 to 6, and more for defined terms, which are below the heading before them.
        package var level: Int
        /// The text in one line, without Markdown.
        package var text: String
        /// The place of the heading's line in the Markdown, in bytes of UTF-8.
        package var offset: Int
        /// The `id` to which links of the page refer; nil if it has none.
        package var anchor: String?

        /// Creates a heading.
        ///
        /// - Parameters:
        ///   - level: The level, from 1.
        ///   - text: The text in one line.
        ///   - offset: The place of its line, in bytes.
        ///   - anchor: The `id`; nil for none.
        package init(level: Int, text: String, offset: Int, anchor: String? = nil) {
            (self.level, self.text, self.offset, self.anchor) = (level, text, offset, anchor)
        }
    }

    /// The title in one line; empty if there is none.
    package var title: String
    /// The description that the page gives of itself, else the beginning of its first paragraph, in one line; empty if there is
    /// none.
    package var summary: String
    /// The Markdown; empty, or lines that end in a line feed.
    package var markdown: String
    /// The headings and defined terms, in their order.
    package var outline: [Heading]
    /// True if the limits left out a part of the page's text.
    package var isTruncated = false

    /// Reads an HTML document.
    ///
    /// - Parameters:
    ///   - bytes: The document as received.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - isXML: True for XHTML that is sent as XML.
    ///   - url: The URL of the page, to make addresses absolute; nil to keep them as written.
    ///   - limits: The limits on what is kept.
    ///   - address: Returns what a link to a URL leads to instead, with its fragment if that of the link doesn't count; nil to keep
    ///     the URL. It takes true for images.
    package init(
        html bytes: UnsafeBufferPointer<UInt8>,
        charset: String?,
        isXML: Bool = false,
        url: WebURL?,
        limits: Limits = Limits(),
        address: ((_ url: WebURL, _ isImage: Bool) -> String?)? = nil
    ) {
        let encoding =
            isXML
            ? TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding
            : PageText.htmlEncoding(of: bytes, charset)
        self = TextDecoding.withUTF8(bytes, encoding) { text in
            Self(ScanBuffer(text), isXML: isXML, url: url, limits: limits, address: address)
        }
    }

    /// Returns a text in one line in which nothing has a meaning in Markdown.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isLink: True for the text of a link, which begins after a bracket.
    /// - Returns: The Markdown.
    package static func escaped(_ text: String, isLink: Bool = false) -> String {
        var line = MarkdownInline(.line)
        if isLink { line.open("[", "") }
        line.add(Array(text.utf8))
        var result = line.take()
        if isLink { return String(decoding: result.dropFirst(), as: UTF8.self) }
        // It could be the end of a heading.
        if result.count > 1, result.last == UInt8(ascii: "#") { result.insert(0x5C, at: result.count - 1) }
        return String(decoding: MarkdownInline.escapingStart(result[...]), as: UTF8.self)
    }

    init(
        _ bytes: ScanBuffer,
        isXML: Bool,
        url: WebURL?,
        limits: Limits,
        address: ((_ url: WebURL, _ isImage: Bool) -> String?)?
    ) {
        var builder = PageTreeBuilder(bytes, isXML: isXML, limits: limits)
        builder.build()
        let tree = builder.tree
        var content = MainContent(of: tree, skipsFurniture: true)
        // All of the page is in elements that usually hold navigation, or one of these is never closed.
        if content.isEmpty { content = MainContent(of: tree, skipsFurniture: false) }
        let base = url.flatMap { url in tree.base.flatMap { try? WebURL($0, base: url) } ?? url }
        let links = MarkdownLinks(url: url, base: base, replacement: address)
        var writer = MarkdownWriter(tree, content, links, limits)
        writer.write()
        title = tree.title
        summary = tree.description.isEmpty ? writer.summary : tree.description
        markdown = String(decoding: writer.lines.text, as: UTF8.self)
        outline = writer.outline
        isTruncated = writer.isTruncated || tree.isTruncated
    }
}
