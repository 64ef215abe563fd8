/// Replaces the addresses of pages in sitemaps, which scripts of some sites read to know the site's pages.
///
/// Addresses in sitemaps are absolute, since scripts compare them with others.
enum SitemapRewriting {
    /// Returns the edits of a sitemap or a sitemap index in XML.
    static func edits(in text: ScanBuffer, _ addresses: inout AddressRewriting) -> [Edit] {
        var edits: [Edit] = []
        var reader = XMLTagReader(text)
        /// The text of an open location, which is one piece.
        var location: (range: Range<Int>, model: HTMLTokenizer.ContentModel)?
        var isOpen = false
        while edits.count < DiscoveryLimits.rewriting.references, let event = reader.next() {
            switch event {
            case .start(.loc):
                isOpen = true
                location = nil
            case .start(.link):
                guard let range = reader.tokenizer.value(of: .href), range.lowerBound > 0 else { continue }
                let quote = text[range.lowerBound - 1]
                guard quote == 0x22 || quote == 0x27,
                    let new = addresses.absolute(reference(HTMLText.attribute(text, range)))
                else { continue }
                edits.append(Edit(range: range, text: HTMLRewriting.escaped(Array(new.utf8), quote: quote)))
            case .text:
                guard isOpen else { continue }
                let range = reader.tokenizer.range
                isOpen = location == nil || isBlank(text, range)
                if isOpen, !isBlank(text, range) { location = (range, reader.tokenizer.textModel) }
            case .end(.loc):
                defer { (isOpen, location) = (false, nil) }
                guard isOpen, let location else { continue }
                let range = trimmed(text, location.range)
                let address = HTMLText.string(text, range, location.model)
                guard let new = addresses.absolute(reference(address)).map({ Array($0.utf8) }) else { continue }
                let isPlain = location.model == .cdata
                edits.append(Edit(range: range, text: isPlain ? new : HTMLRewriting.escaped(new, quote: nil)))
            case .start, .end: isOpen = false
            }
        }
        return edits
    }

    private static func reference(_ text: String) -> Reference {
        var reference = Reference(text, .link, .document, element: "loc", attribute: "", at: 0)
        reference.resolution = .utf8Address
        return reference
    }

    private static func trimmed(_ text: ScanBuffer, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, text[start].isSpace { start += 1 }
        while end > start, text[end - 1].isSpace { end -= 1 }
        return start..<end
    }

    private static func isBlank(_ text: ScanBuffer, _ range: Range<Int>) -> Bool { trimmed(text, range).isEmpty }
}
