public import URLStandard

/// Finds what a body refers to, by its media type: the one entrance to this module.
///
/// Types to come have their place in `Format`.
public enum ReferenceExtractor {
    /// How bodies of a type are read.
    private enum Format {
        case html, xml, css

        init?(mediaType: String) {
            let essence = mediaType.prefix { $0 != ";" }.lowercased()
            switch String(essence).trimmedASCII {
            case "text/html": self = .html
            case "application/xhtml+xml", "image/svg+xml", "application/xml", "text/xml": self = .xml
            case "text/css": self = .css
            default: return nil
            }
        }
    }

    /// Whether bodies of a type are searched at all.
    ///
    /// - Parameter mediaType: The type, with or without parameters.
    /// - Returns: Whether ``references(in:mediaType:charset:url:limits:)`` would look into them.
    public static func isSearched(mediaType: String) -> Bool { Format(mediaType: mediaType) != nil }

    /// Finds what a body refers to.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: Its media type; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, if it has one.
    ///   - url: Where it came from, after redirects.
    ///   - limits: How much is taken.
    /// - Returns: What it refers to; nothing for a type that isn't searched.
    public static func references(
        in bytes: [UInt8],
        mediaType: String,
        charset: String?,
        url: WebURL,
        limits: DiscoveryLimits = DiscoveryLimits()
    ) -> DiscoveredReferences {
        bytes.withUnsafeBufferPointer {
            references(in: $0, mediaType: mediaType, charset: charset, url: url, limits: limits)
        }
    }

    /// Finds what a body refers to, without owning its bytes.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: Its media type; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, if it has one.
    ///   - url: Where it came from, after redirects.
    ///   - limits: How much is taken.
    /// - Returns: What it refers to; nothing for a type that isn't searched.
    public static func references(
        in bytes: UnsafeBufferPointer<UInt8>,
        mediaType: String,
        charset: String?,
        url: WebURL,
        limits: DiscoveryLimits = DiscoveryLimits()
    ) -> DiscoveredReferences {
        switch Format(mediaType: mediaType) {
        case .html: document(bytes, .html, TextDecoding.htmlEncoding(of: bytes, charset: charset), url, limits)
        case .xml: document(bytes, .xml, TextDecoding.xmlEncoding(of: bytes, charset: charset), url, limits)
        case .css: styleSheet(bytes, TextDecoding.cssEncoding(of: bytes, charset: charset), url, limits)
        case nil: DiscoveredReferences()
        }
    }

    private static func document(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ syntax: HTMLReferences.Syntax,
        _ guess: TextDecoding.Guess,
        _ url: WebURL,
        _ limits: DiscoveryLimits
    ) -> DiscoveredReferences {
        var encoding = guess.encoding
        var found = TextDecoding.withUTF8(bytes, encoding) { HTMLReferences(utf8: $0, syntax: syntax, limits: limits) }
        // A meta element beyond the prescan makes browsers begin again; HTML §13.2.3.5.
        if !guess.isCertain, let label = found.metaCharset, let late = TextEncoding(metaLabel: label), late != encoding
        {
            encoding = late
            found = TextDecoding.withUTF8(bytes, late) { HTMLReferences(utf8: $0, syntax: syntax, limits: limits) }
        }
        var result = DiscoveredReferences()
        result.isNofollow = found.isNofollow
        result.isNoindex = found.isNoindex
        result.isTruncated = found.isTruncated
        resolve(found.references, ReferenceResolver(url: url, baseHref: found.baseHref, encoding: encoding), &result)
        result.encoding = encoding
        return result
    }

    private static func styleSheet(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ encoding: TextEncoding,
        _ url: WebURL,
        _ limits: DiscoveryLimits
    ) -> DiscoveredReferences {
        var result = DiscoveredReferences()
        var references: [Reference] = []
        TextDecoding.withUTF8(bytes, encoding) { text in
            CSSReferences.forEach(in: ScanBuffer(text), 0..<text.count) { address, notation, start in
                guard references.count < limits.references else {
                    result.isTruncated = true
                    return false
                }
                guard address.utf8.count <= limits.referenceBytes else { return true }
                let attribute = notation.rawValue
                references.append(
                    Reference(text: address, kind: .requisite, element: "", attribute: attribute, offset: start)
                )
                return true
            }
        }
        resolve(references, ReferenceResolver(url: url, baseHref: nil, encoding: encoding), &result)
        result.encoding = encoding
        return result
    }

    private static func resolve(
        _ references: [Reference],
        _ resolver: ReferenceResolver,
        _ result: inout DiscoveredReferences
    ) {
        result.references.reserveCapacity(references.count)
        for reference in references where !ReferenceText.needsNoRequest(reference.text) {
            switch resolver.resolve(reference) {
            case .success(let url): result.references.append(ResolvedReference(url: url, reference: reference))
            case .failure(let reason):
                result.unresolved.append(UnresolvedReference(reference: reference, reason: reason))
            }
        }
    }
}
