package import AFCURL

/// The main content of a page as Markdown (CommonMark with the tables of GFM), with the outline of its headings.
///
/// Navigation, scripts, and what isn't shown are left out. Reading takes linear time, and memory up to the limits.
package struct PageMarkdown: Sendable, Equatable {
    /// The limits on what is kept of a page.
    package struct Limits: Sendable {
        /// The most bytes of Markdown, apart from the end of the block that exceeds them.
        package var markdown = 4 << 20
        /// The most headings.
        package var headings = 10_000
        /// The most bytes of the title, and of a heading in the outline.
        package var title = 1 << 10
        /// The most elements and texts of the page that are read.
        package var nodes = 1 << 19

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
    /// The Markdown; empty, or lines that end in a line feed.
    package var markdown: String
    /// The headings and defined terms, in their order.
    package var outline: [Heading]
    /// True if the limits left out a part of the page.
    package var isTruncated = false

    /// Reads an HTML document.
    ///
    /// - Parameters:
    ///   - bytes: The document as received.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - isXML: True for XHTML that is sent as XML.
    ///   - url: The URL of the page, to make addresses absolute; nil to keep them as written.
    ///   - limits: The limits on what is kept.
    ///   - address: Returns what a link to a URL leads to instead; nil to keep the URL. It takes true for images.
    package init(
        html bytes: UnsafeBufferPointer<UInt8>,
        charset: String?,
        isXML: Bool = false,
        url: WebURL?,
        limits: Limits = Limits(),
        address: ((_ url: WebURL, _ isImage: Bool) -> String?)? = nil
    ) {
        let page = PageText(html: bytes, charset: charset, isXML: isXML)
        title = page.title
        var known = Set(page.headings.split(separator: "\n"))
        var (text, outline) = ("", [Heading]())
        for line in page.text.split(separator: "\n") where text.utf8.count < limits.markdown {
            if !text.isEmpty { text += "\n" }
            if known.remove(line) != nil, outline.count < limits.headings {
                outline.append(Heading(level: outline.isEmpty ? 1 : 2, text: String(line), offset: text.utf8.count))
                text += outline.count == 1 ? "# " : "## "
            }
            text += line + "\n"
        }
        (markdown, self.outline) = (text, outline)
    }
}
