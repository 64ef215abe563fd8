internal import AFCURL

/// Makes URLs of references, as the document they are in has it; the one place where text becomes a URL.
struct ReferenceResolver {
    /// What relative references are relative to.
    let base: WebURL
    /// What those are relative to that stand before the document's `base`.
    private let url: WebURL
    private let encoding: TextEncoding
    private let modules: ModuleResolver?
    /// The further bases of the last reference, and what they came to.
    private var last: (start: WebURL, bases: [String], urls: [WebURL])

    /// A longer base counts for nothing, as a URL so long isn't asked for either.
    private static let maxBase = 8192

    /// Takes a document's own base where it is usable, else the document's address; HTML §2.4.3.
    ///
    /// - Parameters:
    ///   - url: The document's address.
    ///   - baseHref: What its `base` element says.
    ///   - encoding: The document's encoding, in which HTML has queries written (URL Standard §4.4).
    ///   - importMap: What its import maps say.
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
            // A base that isn't a URL counts for nothing.
            return url
        }
    }

    /// The URL that a reference means, or why there is none; nil for a bare module specifier without a meaning.
    mutating func resolve(_ reference: Reference) -> Result<WebURL, UnresolvedReference.Reason>? {
        let base = base(after: reference.bases, from: reference.precedesBase ? url : base)
        switch reference.resolution {
        case .address: return parse(encoding.encodingQuery(of: reference.text), base)
        case .utf8Address: return parse(reference.text, base)
        case .importMapAddress: return ModuleResolver.address(reference.text, base: base).map(checked)
        case .specifier:
            // A map counts only in its own document, not in one within that.
            if reference.bases.isEmpty, let modules { return modules.resolve(reference.text, base: base).map(checked) }
            return ModuleResolver.address(reference.text, base: base).map(checked)
        }
    }

    /// What a list of further bases comes to; where it begins like the last one, that isn't done again.
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
