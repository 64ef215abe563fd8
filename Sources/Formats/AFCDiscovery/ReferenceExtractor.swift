public import AFCURL

/// Finds what a body refers to, by its media type and by what it is loaded as.
///
/// Read are HTML, XHTML, SVG and other XML, CSS, scripts, web app manifests, sitemaps, RSS and Atom. ``HeaderReferences`` has
/// what the fields of a response refer to, ``TextDecoding`` the encoding of a text, and ``ReaderParameter`` the parameters of a
/// URL that say who reads.
public enum ReferenceExtractor {
    /// Whether bodies of a type are searched at all.
    ///
    /// - Parameters:
    ///   - mediaType: The type, with or without parameters; empty where there is none, and the first bytes decide.
    ///   - destination: What the body is loaded as, nil where that isn't known.
    /// - Returns: Whether ``references(in:mediaType:charset:url:destination:productToken:limits:)`` would look into them.
    public static func isSearched(mediaType: String, destination: Destination? = nil) -> Bool {
        BodyFormat(mediaType: mediaType, destination: destination) != nil
    }

    /// Finds what a body refers to.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: Its media type, empty where it has none; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, if it has one.
    ///   - url: Where it came from, after redirects.
    ///   - destination: What it is loaded as, nil where that isn't known.
    ///   - productToken: The crawler's name, for which a page may have directives of its own.
    ///   - limits: How much is taken.
    /// - Returns: What it refers to; nothing for a type that isn't searched.
    public static func references(
        in bytes: [UInt8],
        mediaType: String,
        charset: String?,
        url: WebURL,
        destination: Destination? = nil,
        productToken: String = "afcache",
        limits: DiscoveryLimits = DiscoveryLimits()
    ) -> DiscoveredReferences {
        bytes.withUnsafeBufferPointer {
            references(
                in: $0,
                mediaType: mediaType,
                charset: charset,
                url: url,
                destination: destination,
                productToken: productToken,
                limits: limits
            )
        }
    }

    /// Finds what a body refers to, without owning its bytes.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: Its media type, empty where it has none; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, if it has one.
    ///   - url: Where it came from, after redirects.
    ///   - destination: What it is loaded as, nil where that isn't known.
    ///   - productToken: The crawler's name, for which a page may have directives of its own.
    ///   - limits: How much is taken.
    /// - Returns: What it refers to; nothing for a type that isn't searched.
    public static func references(
        in bytes: UnsafeBufferPointer<UInt8>,
        mediaType: String,
        charset: String?,
        url: WebURL,
        destination: Destination? = nil,
        productToken: String = "afcache",
        limits: DiscoveryLimits = DiscoveryLimits()
    ) -> DiscoveredReferences {
        var format = BodyFormat(mediaType: mediaType, destination: destination)
        if format == .sniffed { format = BodyFormat.sniff(bytes) }
        let body = SearchedBody(bytes: bytes, charset: charset, url: url, productToken: productToken, limits: limits)
        switch format {
        case .html: return body.markup(.html, TextDecoding.htmlEncoding(of: bytes, charset: charset))
        case .xml: return body.xml()
        case .css: return body.styleSheet()
        case .script(let goal): return body.script(goal)
        case .manifest: return body.manifest()
        case .sitemap: return body.sitemap()
        case .sniffed, nil: return DiscoveredReferences()
        }
    }
}
