/// The scripts that an HTML page runs, as far as it names or contains them.
package struct NamedScripts: Sendable, Equatable {
    /// The most scripts that are listed.
    private static let countLimit = 256
    /// The words by which a script in a page may load something by itself.
    private static let loading: [StaticString] = [
        "fetch(", "import(", "xmlhttprequest", "ajax(", "getjson(", "worker(", "new audio(", "new image",
    ]

    /// The addresses of its scripts, as written; the first 256.
    package private(set) var addresses: [String] = []
    /// The scripts in the page that are modules, or that may load something; the first 256.
    package private(set) var texts: [String] = []
    /// The base of the page's addresses, as written; nil if there is none.
    package private(set) var base: String?

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - bytes: The page as received, or its beginning.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - isXML: True for XHTML that is sent as XML.
    package init(html bytes: UnsafeBufferPointer<UInt8>, charset: String?, isXML: Bool) {
        let encoding =
            isXML
            ? TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding
            : TextDecoding.htmlEncoding(of: bytes, charset: charset).encoding
        self = TextDecoding.withUTF8(bytes, encoding) { NamedScripts(ScanBuffer($0), isXML ? .xml : .html) }
    }

    private init(_ bytes: ScanBuffer, _ syntax: HTMLDocumentScanner.Syntax) {
        var scanner = HTMLDocumentScanner(bytes, syntax)
        func value(_ name: HTMLAttributeName) -> String? {
            scanner.tokenizer.value(of: name).map { HTMLText.attribute(bytes, $0) }
        }
        var open: ScriptType?
        while let token = scanner.next(), addresses.count + texts.count < Self.countLimit {
            switch token {
            case .startTag where scanner.templateDepth == 0 && scanner.tokenizer.element == .base:
                base = base ?? value(.href)
            case .startTag where scanner.templateDepth == 0 && scanner.tokenizer.element == .script:
                let type = ScriptType(type: value(.type), language: value(.language))
                if type == .classic || type == .module, let address = value(.src) {
                    addresses.append(address)
                } else {
                    open = type
                }
            case .text:
                guard let type = open, type != .importMap else { continue }
                let text = bytes.string(scanner.tokenizer.range)
                if type == .module || Self.loads(bytes, scanner.tokenizer.range) { texts.append(text) }
            default: open = nil
            }
        }
    }

    private static func loads(_ bytes: ScanBuffer, _ range: Range<Int>) -> Bool {
        range.contains { index in loading.contains { bytes.hasPrefix($0, at: index) } }
    }
}
