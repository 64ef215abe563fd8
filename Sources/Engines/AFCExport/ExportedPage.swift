internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import Crypto

/// A body whose references lead to the other parts of an export.
struct ExportedPage: Sendable {
    /// The largest body in which references are replaced, in bytes.
    static let limit: Int64 = 32 << 20

    /// The body as it is written.
    private(set) var bytes: [UInt8]
    /// The SHA-256 of a changed body, in hexadecimal digits; empty for others.
    private(set) var digest = ""
    /// True if references were replaced.
    private(set) var isChanged = false
    /// The encoding of the text.
    private(set) var encoding: String?
    /// The text of the page; nil for other bodies.
    private(set) var text: PageText?
    /// What became of its scripts.
    private(set) var scripts = PageScripts.Fate.none

    /// Returns true if the references of a type are replaced.
    ///
    /// Sitemaps and feeds keep the addresses of the site, since no browser follows them.
    static func mayChange(_ type: MediaType) -> Bool {
        let essence = type.essence
        return !["application/xml", "text/xml"].contains(essence) && !essence.hasSuffix("rss+xml")
            && !essence.hasSuffix("atom+xml") && ReferenceRewriter.mayRewrite(mediaType: type.description)
    }

    /// Replaces the references of a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: Its media type.
    ///   - url: Its URL.
    ///   - shown: The URL that stands for its place.
    ///   - place: How bodies refer to each other.
    ///   - choice: The user's choice about scripts.
    ///   - memory: What addresses became on other pages with the same map.
    ///   - fence: Returns a body with the policy that its place needs; nil if it needs none.
    ///   - map: Returns the URL in place of another one; nil to leave it.
    init(
        _ body: [UInt8],
        _ type: MediaType,
        url: WebURL,
        shown: WebURL,
        place: ReferenceRewriter.Place,
        _ choice: PageScripts.Choice,
        memory: AddressMemory? = nil,
        fence: ([UInt8], PageScripts.Fate) -> [UInt8]?,
        map: @escaping (WebURL) -> WebURL?
    ) {
        let isPage = type.isPage
        var (body, charset) = (body, type.parameter("charset"))
        if isPage, let text = Self.inUTF8(body, type) { (body, charset) = (text, "utf-8") }
        bytes = body
        encoding = body.withUnsafeBufferPointer { bytes in
            let encoding =
                type.essence == "text/html"
                ? TextDecoding.htmlEncoding(of: bytes, charset: charset).encoding
                : type.essence == "text/css"
                    ? TextDecoding.cssEncoding(of: bytes, charset: charset)
                    : TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding
            return encoding.name
        }
        if isPage {
            let text = body.withUnsafeBufferPointer {
                PageText(html: $0, charset: charset, isXML: type.essence != "text/html")
            }
            scripts = PageScripts.fate(of: body, text: text, choice, in: place)
            self.text = text
        }
        var rewriter = ReferenceRewriter(url: url, shown: shown, map: map)
        rewriter.place = place
        rewriter.memory = memory
        // The page's own policies name hosts and digests that an export doesn't have.
        rewriter.policy = { _, _ in "" }
        if case .rewritten(let result, _, _) = rewriter.rewrite(body, mediaType: type.description, charset: charset) {
            bytes = result
            isChanged = true
        }
        if let fenced = fence(bytes, scripts) { (bytes, isChanged) = (fenced, true) }
        if isChanged, place == .file { digest = Hexadecimal.text(SHA256.hash(data: bytes)) }
    }

    /// Frees the memory of the body and its text.
    mutating func discardBytes() {
        bytes = []
        text = nil
    }

    /// Returns a page in UTF-8 if ASCII has another meaning in its encoding, or if it has to be read as XML.
    private static func inUTF8(_ body: [UInt8], _ type: MediaType) -> [UInt8]? {
        body.withUnsafeBufferPointer { bytes in
            let charset = type.parameter("charset")
            let isHTML = type.essence == "text/html"
            let guess =
                isHTML
                ? TextDecoding.htmlEncoding(of: bytes, charset: charset)
                : TextDecoding.xmlEncoding(of: bytes, charset: charset)
            let name = guess.encoding.name.lowercased()
            let isNeeded =
                isHTML ? ["utf-16le", "utf-16be", "iso-2022-jp", "replacement"].contains(name) : name != "utf-8"
            guard isNeeded else { return nil }
            return TextDecoding.withUTF8(bytes, guess.encoding) { [0xEF, 0xBB, 0xBF] + Array($0) }
        }
    }
}

extension MediaType {
    /// True for HTML and XHTML.
    var isPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}
