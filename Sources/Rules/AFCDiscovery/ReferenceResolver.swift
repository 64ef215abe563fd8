internal import AFCURL

/// Resolves a document's references to URLs; the only place that converts reference texts.
struct ReferenceResolver {
    /// The base of relative references.
    let base: WebURL
    /// The base of references that precede the document's `base` element.
    private let url: WebURL
    private let encoding: TextEncoding
    private let modules: ModuleResolver?
    /// The further bases of the last reference, and their URLs.
    private var last: (start: WebURL, bases: [String], urls: [WebURL])

    /// The longest base, in bytes; a longer one is ignored, as URLs of that length aren't requested either.
    private static let maxBase = 8192

    /// Creates a resolver with the document's own base if it is valid, else with the document's URL; HTML §2.4.3.
    ///
    /// - Parameters:
    ///   - url: The document's URL.
    ///   - baseHref: The address in its `base` element.
    ///   - encoding: The document's encoding, which HTML uses for queries (URL Standard §4.4).
    ///   - importMap: The document's import maps.
    init(url: WebURL, baseHref: String?, encoding: TextEncoding, importMap: ImportMap = ImportMap()) {
        self.encoding = encoding
        self.url = url
        base = Self.base(baseHref, relativeTo: url)
        last = (base, [], [])
        modules = importMap.entries.isEmpty ? nil : ModuleResolver(importMap, base: base, url: url)
    }

    private static func base(_ href: String?, relativeTo url: WebURL) -> WebURL {
        guard let href, href.utf8.count <= maxBase, !ReferenceText.needsNoRequest(href) else { return url }
        do throws(WebURL.ParseError) {
            let base = try WebURL(href, base: url)
            guard base.scheme != "data", base.scheme != "javascript", base.description.utf8.count <= maxBase else {
                return url
            }
            return base
        } catch {
            // An invalid base is ignored.
            return url
        }
    }

    /// Returns the URL of a reference, or the reason why there is none.
    ///
    /// The result is nil for a bare module specifier that isn't mapped.
    mutating func resolve(_ reference: Reference) -> Result<WebURL, UnresolvedReference.Reason>? {
        let base = base(after: reference.bases, from: reference.precedesBase ? url : base)
        switch reference.resolution {
        case .address: return parse(encoding.encodingQuery(of: reference.text), base)
        case .utf8Address: return parse(reference.text, base)
        case .importMapAddress: return ModuleResolver.address(reference.text, base: base).map(checked)
        case .specifier:
            // A map applies only to its own document, not to nested ones.
            if reference.bases.isEmpty, let modules { return modules.resolve(reference.text, base: base).map(checked) }
            return ModuleResolver.address(reference.text, base: base).map(checked)
        }
    }

    /// Resolves a list of further bases, and reuses the common beginning with the last list.
    private mutating func base(after bases: [String], from start: WebURL) -> WebURL {
        guard !bases.isEmpty else { return start }
        let common = last.start == start ? zip(bases, last.bases).prefix { $0 == $1 }.count : 0
        last.urls.removeSubrange(common...)
        for further in bases[common...] {
            last.urls.append(Self.base(further, relativeTo: last.urls.last ?? start))
        }
        last.start = start
        last.bases = bases
        return last.urls.last ?? start
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
