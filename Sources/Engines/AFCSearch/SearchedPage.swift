internal import AFCCache
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// A packaged resource whose text can be searched.
struct SearchedPage {
    /// The most bytes of a page, and of a plain text, that are read; texts that long are data.
    private static let pageLimit = 16 << 20
    private static let plainLimit = 1 << 20

    /// The text of the resource.
    let text: PageText
    /// True for a plain text.
    let isPlain: Bool

    /// Reads a resource; nil if it isn't a page or a text, is empty, or can't be read.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - generation: Its generation.
    ///   - limits: The limits on what is kept.
    init?(
        _ resource: CurrentGeneration.Resource,
        in generation: CurrentGeneration,
        limits: PageText.Limits = PageText.Limits()
    ) {
        self.init(status: resource.status, fields: resource.fields, limits: limits) { limit in
            try? generation.body(of: resource, limit: limit)
        }
    }

    /// Reads a response; nil if it isn't a page or a text, is empty, or can't be read.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - fields: Its fields.
    ///   - limits: The limits on what is kept.
    ///   - body: Returns its body, or the first bytes of a longer one; nil if it can't be read.
    init?(status: Int, fields: HTTPFields, limits: PageText.Limits, body: (_ limit: Int) -> [UInt8]?) {
        guard status == 200, let type = fields[.contentType].flatMap({ MediaType($0) }) else { return nil }
        let charset = type.parameter("charset")
        switch type.essence {
        case "text/html", "application/xhtml+xml":
            guard let bytes = body(Self.pageLimit) else { return nil }
            let isXML = type.essence != "text/html"
            text = bytes.withUnsafeBufferPointer { bytes in
                PageText(html: bytes, charset: charset, isXML: isXML, limits: limits)
            }
            isPlain = false
        case "text/plain", "text/markdown", "text/x-markdown", "text/x-rst":
            guard let bytes = body(Self.plainLimit), !bytes.contains(0) else {
                return nil
            }
            text = bytes.withUnsafeBufferPointer { PageText(plain: $0, charset: charset, limits: limits) }
            isPlain = true
        default: return nil
        }
        if text.text.isEmpty, text.title.isEmpty { return nil }
    }

    /// Returns true if the resource isn't to be found: it asks for that, or another URL in the package is the right one.
    func isLeftOut(_ resource: CurrentGeneration.Resource, of generation: CurrentGeneration) -> Bool {
        if text.isNoindex { return true }
        if let name = HTTPField.Name("X-Robots-Tag") {
            let words = resource.fields[values: name].joined(separator: ",").lowercased().split { ", ".contains($0) }
            if words.contains("noindex") || words.contains("none") { return true }
        }
        guard let canonical = text.canonical, let url = try? WebURL(resource.url),
            let right = try? WebURL(canonical, base: url), right != url, Self.isSamePage(url, right)
        else { return false }
        return (try? generation.resource(right))?.map { $0.status == 200 } ?? false
    }

    /// Returns true if two URLs differ only as the spellings of one page do.
    ///
    /// Some sites name their home page as the canonical URL of all pages, which says nothing.
    private static func isSamePage(_ one: WebURL, _ other: WebURL) -> Bool {
        func stem(_ url: WebURL) -> String {
            var path = url.path.lowercased()
            for end in ["index.html", "index.htm", ".html", ".htm", "/"] where path.hasSuffix(end) {
                path = String(path.dropLast(end.utf8.count))
            }
            for word in ["/print", "/amp"] where path.hasSuffix(word) { path = String(path.dropLast(word.utf8.count)) }
            while path.hasSuffix("/") { path = String(path.dropLast()) }
            return path
        }
        return stem(one) == stem(other)
    }
}
