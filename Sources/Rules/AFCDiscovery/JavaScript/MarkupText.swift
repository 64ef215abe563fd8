internal import AFCURL

/// Markup in a text of a script, such as `document.write("<script src=x.js><\\/script>")`.
struct MarkupText {
    /// The addresses that the elements load, as written.
    let addresses: [String]

    /// The largest number of addresses in one text.
    private static let limit = 64

    /// Reads a text; nil if it has no element.
    ///
    /// A page that is an old XHTML document writes the brackets as `%3C` and unescapes them.
    init?(_ text: String) {
        let bytes = text.contains("%3C") || text.contains("%3c") ? PercentDecoding.decode(text.utf8) : Array(text.utf8)
        var addresses: [String] = []
        let hasElement = bytes.withUnsafeBufferPointer { buffer in
            var tokenizer = HTMLTokenizer(ScanBuffer(buffer))
            var hasElement = false
            while let token = tokenizer.next() {
                guard token == .startTag || token == .endTag else { continue }
                hasElement = true
                guard token == .startTag, let value = Self.address(tokenizer), addresses.count < Self.limit else {
                    continue
                }
                addresses.append(tokenizer.bytes.string(value))
            }
            return hasElement
        }
        guard hasElement else { return nil }
        self.addresses = addresses
    }

    /// Returns the place of the address that the current element loads.
    private static func address(_ tag: HTMLTokenizer) -> Range<Int>? {
        switch tag.element {
        case .script, .img, .iframe, .frame, .embed, .source, .track, .video: return tag.value(of: .src)
        case .object: return tag.value(of: .data)
        case .link:
            guard let rel = tag.value(of: .rel), tag.bytes.string(rel).lowercased() == "stylesheet" else { return nil }
            return tag.value(of: .href)
        default: return nil
        }
    }
}
