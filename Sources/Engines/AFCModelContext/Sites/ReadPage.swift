internal import AFCCache
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// A resource as a text: Markdown of a page, or the text as it is.
struct ReadPage: Sendable {
    /// The place of a resource.
    struct Key: Hashable, Sendable {
        let generation: String
        let number: Int
    }

    /// The most bytes of a resource that are read.
    private static let byteLimit = 16 << 20

    /// The title; empty if there is none.
    let title: String
    /// The name of the format.
    let format: String
    /// The text in UTF-8.
    let bytes: [UInt8]
    /// The headings.
    let outline: [PageMarkdown.Heading]
    /// True if the limits left out a part.
    let isTruncated: Bool

    /// Reads a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - generation: Its generation.
    /// - Throws: ``ToolRefusal`` if it is no text; `CacheError` if it can't be read.
    init(_ resource: CurrentGeneration.Resource, in generation: CurrentGeneration) throws {
        let type = resource.fields[.contentType].flatMap { MediaType($0) }
        guard let type, Self.isText(type) else {
            let name = type.map { PrintableText.quoted($0.essence) } ?? "an unknown type"
            throw ToolRefusal(
                "'\(PrintableText.escaped(resource.url))' is \(name) of \(resource.size) bytes; only texts are returned"
            )
        }
        guard let body = try generation.body(of: resource, limit: Self.byteLimit) else {
            throw ToolRefusal("the body of '\(PrintableText.escaped(resource.url))' is missing; its package is damaged")
        }
        let (charset, isXML) = (type.parameter("charset"), type.essence == "application/xhtml+xml")
        let isCut = resource.size > Int64(body.count)
        if type.essence == "text/html" || isXML {
            let page = body.withUnsafeBufferPointer { bytes in
                PageMarkdown(html: bytes, charset: charset, isXML: isXML, url: try? WebURL(resource.url))
            }
            (title, format, outline) = (QuotedText.visible(page.title), "markdown", page.outline)
            bytes = Array(page.markdown.utf8)
            isTruncated = page.isTruncated || isCut
            return
        }
        let text = body.withUnsafeBufferPointer { bytes in
            let encoding = TextDecoding.cssEncoding(of: bytes, charset: charset)
            return TextDecoding.withUTF8(bytes, encoding) { String(decoding: $0, as: UTF8.self) }
        }
        (title, format, outline, isTruncated) = ("", type.essence, [], isCut)
        bytes = Array(text.utf8)
    }

    /// Returns true for a type whose bodies are texts.
    private static func isText(_ type: MediaType) -> Bool {
        let essence = type.essence
        if essence.hasPrefix("text/") || essence.hasSuffix("+json") || essence.hasSuffix("+xml") { return true }
        return texts.contains(essence)
    }

    private static let texts: Set<String> = [
        "application/json", "application/xml", "application/javascript", "application/x-javascript",
        "application/ecmascript", "application/toml", "application/yaml", "application/x-yaml", "application/sql",
        "application/x-ndjson", "application/x-sh",
    ]

    /// The approximate number of bytes of memory.
    var cost: Int { bytes.count + outline.reduce(256) { $0 + $1.text.utf8.count + 96 } }

    /// Returns the range of a section: from its heading to the next one that isn't below it.
    ///
    /// - Parameter name: An anchor, or the text of a heading without regard to case and white space.
    /// - Returns: Offsets in the text; nil if there is no such section.
    func section(_ name: String) -> Range<Int>? {
        let folded = Self.folded(name)
        let place =
            outline.firstIndex { $0.anchor.map(QuotedText.visible) == name || $0.anchor == name } ?? outline.firstIndex
        { Self.folded($0.text) == folded }
            ?? outline.firstIndex { Self.folded($0.text).hasPrefix(folded) && !folded.isEmpty }
        guard let place else { return nil }
        let start = min(max(0, outline[place].offset), bytes.count)
        let next = outline[(place + 1)...].first { $0.level <= outline[place].level }?.offset ?? bytes.count
        return start..<min(max(start, next), bytes.count)
    }

    /// Returns the words of a text in lower case, without the marks that headings have.
    private static func folded(_ text: String) -> String {
        text.lowercased().split { $0.isWhitespace || $0 == "¶" || $0 == "#" }.joined(separator: " ")
    }
}
