public import AFCURL

/// Finds the references of a response's header fields: Link (RFC 8288) and Refresh (HTML §4.2.5.3).
public enum HeaderReferences {
    /// Finds the references of header fields.
    ///
    /// A link with the `rel` of a requisite is a requisite here as well. A link whose `anchor` is another resource is
    /// ignored.
    ///
    /// - Parameters:
    ///   - link: The values of the Link field's lines, each with one or more links.
    ///   - refresh: The value of the Refresh field, or nil.
    ///   - url: The response's URL, to which addresses are relative, whatever its body says.
    ///   - limits: The limits on what is taken.
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

    /// Replaces the targets in a Link field.
    ///
    /// - Parameters:
    ///   - link: The value of a line, with one or more links.
    ///   - new: Returns what to write in place of a target; nil to keep it.
    /// - Returns: The new value.
    public static func replacingTargets(in link: String, _ new: (String) -> String?) -> String {
        var result: [UInt8] = []
        let bytes = Array(link.utf8)
        var position = 0
        for value in LinkField(link).values {
            // Angle brackets would end the target early.
            guard let new = new(value.target), !new.contains(">") else { continue }
            result += bytes[position..<value.place.lowerBound] + Array(new.utf8)
            position = value.place.upperBound
        }
        return String(decoding: result + bytes[position...], as: UTF8.self)
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
