/// The words of the `meta` elements by which a page gives directives to crawlers.
package enum PageDirectiveWords {
    /// The most bytes of a page that are read; its head is rarely longer.
    package static let byteLimit = 256 << 10
    /// The most words.
    private static let countLimit = 64

    /// Reads the head of an HTML document: up to the first element that belongs in its body.
    ///
    /// - Parameters:
    ///   - bytes: The document, or its beginning.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - isXML: True for XHTML that is sent as XML.
    ///   - productToken: A crawler's name; a `meta` element with that name has the same effect as one named `robots`.
    /// - Returns: The words in lower case, in order; at most 64.
    package static func read(
        html bytes: UnsafeBufferPointer<UInt8>,
        charset: String?,
        isXML: Bool = false,
        productToken: String = "afcache"
    ) -> [Substring] {
        let bytes = UnsafeBufferPointer(rebasing: bytes.prefix(byteLimit))
        let encoding =
            isXML
            ? TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding
            : TextDecoding.htmlEncoding(of: bytes, charset: charset).encoding
        return TextDecoding.withUTF8(bytes, encoding) { text in
            words(in: ScanBuffer(text), isXML: isXML, names: ["robots", productToken.lowercased()])
        }
    }

    private static func words(in bytes: ScanBuffer, isXML: Bool, names: Set<String>) -> [Substring] {
        var scanner = HTMLDocumentScanner(bytes, isXML ? .xml : .html)
        var words: [Substring] = []
        while let token = scanner.next(), words.count < countLimit {
            guard token == .startTag, scanner.templateDepth == 0 else { continue }
            switch scanner.tokenizer.element {
            case .meta:
                guard let name = scanner.tokenizer.value(of: .name),
                    names.contains(HTMLText.attribute(bytes, name).trimmedASCII.lowercased()),
                    let content = scanner.tokenizer.value(of: .content)
                else { continue }
                words += HTMLText.attribute(bytes, content).lowercased().split { $0 == "," || $0.isWhitespace }
            case .html, .head, .title, .link, .script, .style, .base, .noscript, .template: continue
            default: return Array(words.prefix(countLimit))
            }
        }
        return Array(words.prefix(countLimit))
    }
}
