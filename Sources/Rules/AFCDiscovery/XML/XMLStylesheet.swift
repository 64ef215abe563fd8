/// The instruction `<?xml-stylesheet href="…"?>`, by which browsers display an XML document.
struct XMLStylesheet {
    /// The address, decoded.
    let href: String
    /// The place of the address in the document.
    let place: Range<Int>
    let loads: Destination

    /// The most instructions of one document that are read.
    private static let limit = 8

    /// Reads what the tokenizer returns as a comment; nil for any other.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - range: The comment.
    ///   - limit: The longest address, in bytes.
    init?(_ bytes: ScanBuffer, _ range: Range<Int>, limit: Int) {
        guard bytes.hasPrefix("?xml-stylesheet", at: range.lowerBound) else { return nil }
        // The instruction has attributes like a tag's.
        var text = Array(bytes.slice(range))
        if text.last == UInt8(ascii: "?") { text.removeLast() }
        text.append(UInt8(ascii: ">"))
        let found = text.withUnsafeBufferPointer { buffer -> (href: String, place: Range<Int>, type: String?)? in
            let bytes = ScanBuffer(buffer)
            var tokenizer = HTMLTokenizer(bytes)
            guard tokenizer.tag(.startTag, at: 0, nameStart: 1) != nil, let href = tokenizer.value(of: .href),
                href.count <= limit
            else { return nil }
            let type = tokenizer.value(of: .type).map { HTMLText.attribute(bytes, $0).lowercased().trimmedASCII }
            return (HTMLText.attribute(bytes, href), href, type)
        }
        guard let found else { return nil }
        href = found.href
        place = found.place.lowerBound + range.lowerBound..<found.place.upperBound + range.lowerBound
        loads = found.type == nil || found.type == "text/css" ? .style : .other
    }

    /// Returns the references of the instructions before a document's first element.
    static func references(in document: ScanBuffer, _ limits: DiscoveryLimits) -> [Reference] {
        var tokenizer = HTMLTokenizer(document)
        tokenizer.isXML = true
        var references: [Reference] = []
        while references.count < limit, let token = tokenizer.next(), token != .startTag {
            guard token == .comment,
                let found = XMLStylesheet(document, tokenizer.range, limit: limits.referenceBytes)
            else { continue }
            references.append(
                Reference(
                    found.href,
                    .requisite,
                    found.loads,
                    element: "?xml-stylesheet",
                    attribute: "href",
                    at: found.place.lowerBound
                )
            )
        }
        return references
    }
}
