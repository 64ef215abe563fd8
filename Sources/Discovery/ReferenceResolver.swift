internal import URLStandard

/// Makes URLs of references, as the document they are in has it; the one place where text becomes a URL.
struct ReferenceResolver {
    /// What relative references are relative to.
    let base: WebURL
    private let encoding: TextEncoding
    private let modules: ModuleResolver?

    /// Takes a document's own base where it is usable, else the document's address; HTML §2.4.3.
    ///
    /// - Parameters:
    ///   - url: The document's address.
    ///   - baseHref: What its `base` element says.
    ///   - encoding: The document's encoding, in which HTML has queries written (URL Standard §4.4).
    ///   - importMap: What its import maps say.
    init(url: WebURL, baseHref: String?, encoding: TextEncoding, importMap: ImportMap = ImportMap()) {
        self.encoding = encoding
        base = Self.base(baseHref, relativeTo: url)
        modules = importMap.entries.isEmpty ? nil : ModuleResolver(importMap, base: base)
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

    /// The URL that a reference means, or why there is none; nil for a bare module specifier without a meaning.
    func resolve(_ reference: Reference) -> Result<WebURL, UnresolvedReference.Reason>? {
        var base = base
        for further in reference.bases { base = Self.base(further, relativeTo: base) }
        switch reference.resolution {
        case .address: return parse(encoding.encodingQuery(of: reference.text), base)
        case .utf8Address: return parse(reference.text, base)
        case .importMapAddress: return ModuleResolver.address(reference.text, base: base).map(checked)
        case .specifier:
            // A map counts only in its own document, not in one within that.
            if reference.bases.isEmpty, let modules { return modules.resolve(reference.text).map(checked) }
            return ModuleResolver.address(reference.text, base: base).map(checked)
        }
    }

    private func parse(_ text: String, _ base: WebURL) -> Result<WebURL, UnresolvedReference.Reason> {
        do throws(WebURL.ParseError) {
            return checked(try WebURL(text, base: base))
        } catch {
            return .failure(.notURL(error))
        }
    }

    private func checked(_ url: WebURL) -> Result<WebURL, UnresolvedReference.Reason> {
        url.isHTTP ? .success(url) : .failure(.notHTTP)
    }
}
