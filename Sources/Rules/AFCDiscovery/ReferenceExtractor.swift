public import AFCURL

/// Finds the references of a body, depending on its media type and destination.
///
/// It reads HTML, XHTML, SVG and other XML, CSS, scripts, web app manifests, sitemaps, RSS and Atom, and the playlists of
/// HTTP Live Streaming and DASH.
/// ``HeaderReferences`` finds the references of a response's header fields, and ``TextDecoding`` detects the encoding of
/// a text.
public enum ReferenceExtractor {
    /// Returns true if bodies of a type are searched.
    ///
    /// - Parameters:
    ///   - mediaType: The type, with or without parameters; if it is empty, the first bytes decide.
    ///   - destination: The destination of the request, or nil if it is unknown.
    ///   - url: The body's URL, which tells data files of recipes, or nil if recipes aren't used.
    ///   - recipes: The table of recipes.
    /// - Returns: True if ``references(in:mediaType:charset:url:destination:productToken:limits:usesRecipes:recipes:findsPreviews:media:)`` searches
    ///   such bodies.
    public static func isSearched(
        mediaType: String,
        destination: Destination? = nil,
        url: WebURL? = nil,
        recipes: RecipeTable = .builtIn
    ) -> Bool {
        switch BodyFormat(mediaType: mediaType, destination: destination, url: url, recipes: recipes) {
        case nil, .misplacedPage: false
        case .html, .xml, .css, .manifest, .sitemap, .labelledPage, .script, .data, .sniffed, .playlist, .presentation,
            .captions:
            true
        }
    }

    /// Returns true for a playlist that may define variables, which the playlists of its streams may import.
    ///
    /// - Parameters:
    ///   - mediaType: The body's media type, or an empty text if there is none.
    ///   - destination: The destination of the request, or nil if it is unknown.
    ///   - url: The body's URL, or nil if recipes aren't used.
    /// - Returns: True for such a playlist.
    public static func mayDefineVariables(mediaType: String, destination: Destination?, url: WebURL?) -> Bool {
        BodyFormat(mediaType: mediaType, destination: destination, url: url) == .playlist(isRendition: false)
    }

    /// Returns true if a recipe reads data files of a URL's name; the caller decompresses those that are gzip files.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - recipes: The table of recipes.
    /// - Returns: True for a data file.
    public static func isDataFile(_ url: WebURL, recipes: RecipeTable = .builtIn) -> Bool {
        Recipe.isData(at: url, recipes)
    }

    /// Finds the references of a body.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: The body's media type, or an empty text if there is none; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - url: The body's URL, after redirects.
    ///   - destination: The destination of the request, or nil if it is unknown.
    ///   - productToken: The crawler's name, which a page's directives may address.
    ///   - limits: The limits on what is taken.
    ///   - usesRecipes: Whether to read the tables of bundlers and generators.
    ///   - recipes: The table of recipes, if they are used.
    ///   - findsPreviews: Whether to find the images that pages name for previews of them.
    ///   - media: The streams to take of those that a playlist offers.
    ///   - variables: The variables that the playlist of a stream may import from the one that names it.
    /// - Returns: The references; none for a type that isn't searched.
    public static func references(
        in bytes: [UInt8],
        mediaType: String,
        charset: String?,
        url: WebURL,
        destination: Destination? = nil,
        productToken: String = "afcache",
        limits: DiscoveryLimits = DiscoveryLimits(),
        usesRecipes: Bool = true,
        recipes: RecipeTable = .builtIn,
        findsPreviews: Bool = false,
        media: MediaSelection = .all,
        variables: [String: String] = [:]
    ) -> DiscoveredReferences {
        bytes.withUnsafeBufferPointer {
            references(
                in: $0,
                mediaType: mediaType,
                charset: charset,
                url: url,
                destination: destination,
                productToken: productToken,
                limits: limits,
                usesRecipes: usesRecipes,
                recipes: recipes,
                findsPreviews: findsPreviews,
                media: media,
                variables: variables
            )
        }
    }

    /// Finds the references of a body without owning its bytes.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: The body's media type, or an empty text if there is none; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - url: The body's URL, after redirects.
    ///   - destination: The destination of the request, or nil if it is unknown.
    ///   - productToken: The crawler's name, which a page's directives may address.
    ///   - limits: The limits on what is taken.
    ///   - usesRecipes: Whether to read the tables of bundlers and generators.
    ///   - recipes: The table of recipes, if they are used.
    ///   - findsPreviews: Whether to find the images that pages name for previews of them.
    ///   - media: The streams to take of those that a playlist offers.
    ///   - variables: The variables that the playlist of a stream may import from the one that names it.
    /// - Returns: The references; none for a type that isn't searched.
    public static func references(
        in bytes: UnsafeBufferPointer<UInt8>,
        mediaType: String,
        charset: String?,
        url: WebURL,
        destination: Destination? = nil,
        productToken: String = "afcache",
        limits: DiscoveryLimits = DiscoveryLimits(),
        usesRecipes: Bool = true,
        recipes: RecipeTable = .builtIn,
        findsPreviews: Bool = false,
        media: MediaSelection = .all,
        variables: [String: String] = [:]
    ) -> DiscoveredReferences {
        let type = BodyFormat(
            mediaType: mediaType,
            destination: destination,
            url: usesRecipes ? url : nil,
            recipes: recipes
        )
        let format = type?.decided(by: bytes, destination)
        let body = SearchedBody(
            bytes: bytes,
            charset: charset,
            url: url,
            productToken: productToken,
            limits: limits,
            recipes: usesRecipes ? recipes : nil,
            findsPreviews: findsPreviews,
            media: media,
            variables: variables
        )
        switch format {
        case .html: return body.markup(.html, TextDecoding.htmlEncoding(of: bytes, charset: charset))
        case .xml: return body.xml()
        case .css: return body.styleSheet()
        case .script(let goal): return body.script(goal)
        case .manifest: return body.manifest()
        case .sitemap: return body.sitemap()
        case .data: return body.data()
        case .playlist(let isRendition): return body.playlist(isRendition: isRendition)
        case .presentation: return body.presentation()
        case .captions: return body.captions()
        case .misplacedPage:
            var none = DiscoveredReferences()
            none.isMisplacedPage = true
            return none
        case .labelledPage, .sniffed, nil: return DiscoveredReferences()
        }
    }
}
