internal import URLStandard

/// Makes URLs of references, as the document they are in has it; the one place where text becomes a URL.
struct ReferenceResolver {
    /// What relative references are relative to.
    let base: WebURL
    private let encoding: TextEncoding

    /// Takes a document's own base where it is usable, else the document's address; HTML §2.4.3.
    ///
    /// - Parameters:
    ///   - url: The document's address.
    ///   - baseHref: What its `base` element says.
    ///   - encoding: The document's encoding, in which HTML has queries written (URL Standard §4.4).
    init(url: WebURL, baseHref: String?, encoding: TextEncoding) {
        self.encoding = encoding
        base = Self.base(baseHref, relativeTo: url)
    }

    private static func base(_ href: String?, relativeTo url: WebURL) -> WebURL {
        guard let href, !ReferenceText.needsNoRequest(href) else { return url }
        do throws(WebURL.ParseError) {
            let base = try WebURL(href, base: url)
            return base.scheme == "data" || base.scheme == "javascript" ? url : base
        } catch {
            // A base that isn't a URL counts for nothing.
            return url
        }
    }

    /// The URL that a reference means, or why there is none.
    func resolve(_ reference: Reference) -> Result<WebURL, UnresolvedReference.Reason> {
        let base = reference.frameBase == nil ? base : Self.base(reference.frameBase, relativeTo: base)
        let isStyle = reference.attribute.hasSuffix("()") || reference.attribute == "@import"
        let text = isStyle ? reference.text : encoding.encodingQuery(of: reference.text)
        do throws(WebURL.ParseError) {
            let url = try WebURL(text, base: base)
            return url.isHTTP ? .success(url) : .failure(.notHTTP)
        } catch {
            return .failure(.notURL(error))
        }
    }
}
