public import AFCURL

/// What the fields of a response refer to: Link (RFC 8288) and Refresh (HTML §4.2.5.3).
public enum HeaderReferences {
    /// Finds what the fields refer to.
    ///
    /// A link with a `rel` that is a page's requisite is one here too; of a link whose `anchor` is another resource
    /// nothing is taken.
    ///
    /// - Parameters:
    ///   - link: The values of the Link field's lines, each with one or several links.
    ///   - refresh: The value of the Refresh field, or nil.
    ///   - url: Where the response came from; addresses are relative to it, whatever its body says.
    ///   - limits: How much is taken.
    /// - Returns: The references in order.
    public static func references(
        link: [String],
        refresh: String?,
        url: WebURL,
        limits: DiscoveryLimits = DiscoveryLimits()
    ) -> [ResolvedReference] {
        var references: [Reference] = []
        for line in link where line.utf8.count <= limits.attributeBytes {
            for value in LinkField(line).values {
                guard references.count < limits.references, isAbout(url, value["anchor"]) else { continue }
                references += Self.references(of: value)
            }
        }
        if let refresh, let address = RefreshDirective.address(in: refresh) {
            references.append(Reference(address, .redirect, .document, attribute: "refresh", at: 0))
        }
        var resolver = ReferenceResolver(url: url, baseHref: nil, encoding: .utf8)
        return references.prefix(limits.references).compactMap { reference in
            guard reference.text.utf8.count <= limits.referenceBytes,
                !ReferenceText.needsNoRequest(reference.text), case .success(let target) = resolver.resolve(reference)
            else { return nil }
            return ResolvedReference(url: target, reference: reference)
        }
    }

    private static func isAbout(_ url: WebURL, _ anchor: String?) -> Bool {
        guard let anchor else { return true }
        return (try? WebURL(anchor, base: url)) == url
    }

    private static func references(of value: LinkField.Value) -> [Reference] {
        guard let relations = value["rel"]?.lowercasedTokens else { return [] }
        let type = value["type"]
        guard let kind = LinkRelation.kind(relations, type: type) else { return [] }
        let loads = LinkRelation.loads(relations, type: type, as: value["as"])
        var references: [Reference] = []
        let target = value.target.trimmedASCII
        if !target.isEmpty || kind == .link {
            references.append(Reference(target, kind, loads, attribute: "link", at: 0))
        }
        if relations.contains("preload"), let candidates = value["imagesrcset"] {
            references += SourceSet(candidates).addresses.map {
                Reference($0, .requisite, .image, attribute: "link", at: 0)
            }
        }
        return references.map {
            var reference = $0
            reference.isNofollow = relations.contains("nofollow")
            return reference
        }
    }
}
