package import AFCCaching
package import AFCDiscovery
package import AFCHTTP
package import AFCURL
package import HTTPTypes

/// Extracts the references of a response for the crawl; the interface to AFCDiscovery.
package enum PageReferences {
    /// Returns true if a body is searched for references.
    package static func isSearched(_ fields: HTTPFields, _ item: CrawlItem, _ options: CrawlOptions) -> Bool {
        let type = fields.value(of: .contentType).flatMap { MediaType($0)?.essence } ?? ""
        let url = options.usesRecipes ? item.url : nil
        return ReferenceExtractor.isSearched(
            mediaType: type,
            destination: item.destination,
            url: url,
            recipes: options.recipes
        )
    }

    /// Returns true for a playlist that may define variables, which the playlists of its streams may import.
    package static func mayDefineVariables(_ fields: HTTPFields, _ item: CrawlItem, _ options: CrawlOptions) -> Bool {
        ReferenceExtractor.mayDefineVariables(
            mediaType: fields.value(of: .contentType).flatMap { MediaType($0)?.essence } ?? "",
            destination: item.destination,
            url: options.usesRecipes ? item.url : nil
        )
    }

    /// Returns false if, before the request, it is certain that the body has no references to search for.
    package static func mayBeSearched(_ item: CrawlItem, _ options: CrawlOptions) -> Bool {
        switch item.destination {
        case .document, .style, .module, .manifest, .sitemap, .feed: true
        case .script: options.usesRecipes
        case .image, .font, .segment: false
        case .rendition: true
        // Playlists and captions; their names tell them from what is only played.
        case .media: [".m3u8", ".mpd", ".vtt"].contains { item.url.path.lowercased().hasSuffix($0) }
        case .other: isDataFile(item, options) || options.usesRecipes && item.url.path.hasSuffix(".json")
        }
    }

    /// Returns true if a recipe reads data files of the URL's name.
    package static func isDataFile(_ item: CrawlItem, _ options: CrawlOptions) -> Bool {
        options.usesRecipes && ReferenceExtractor.isDataFile(item.url, recipes: options.recipes)
    }

    /// The references of a response.
    package struct Page {
        /// The URLs, each once.
        package var found: [FoundURL] = []
        /// The reason to leave the response out of the package, if there is one.
        package var leftOut: SkipRule?
        /// The limits that caused references to be left out.
        package var cuts: Set<DiscoveryCut> = []
        /// True for a page that wasn't searched, because it answers a request for something else, such as an image.
        package var isMisplaced = false
        /// True for a page that names no icon.
        package var asksForIcon = false
        /// True for a page that seems to need scripts.
        package var needsScripts = false
        /// What scripts name in texts.
        package var scriptTexts = ScriptTexts()
        /// The variables that a playlist defines for those of its streams.
        package var variables: [String: String] = [:]
        /// The base of a page's addresses if it isn't the page's URL.
        package var base: WebURL?
        /// The import maps of a page.
        package var moduleMap: ModuleMap?
        /// The names that a module imports.
        package var moduleNames: [ModuleName] = []
        /// What a page says about its use.
        package var usage = UsagePreferences()
    }

    /// Returns the references of a response, with the user's rules applied.
    package static func references(
        in text: [UInt8],
        fields: HTTPFields,
        item: CrawlItem,
        options: CrawlOptions,
        variables: [String: String] = [:]
    ) -> Page {
        let type = fields.value(of: .contentType).flatMap { MediaType($0) }
        let body = ReferenceExtractor.references(
            in: text,
            mediaType: type?.essence ?? "",
            charset: type?.parameter("charset"),
            url: item.url,
            destination: item.destination,
            productToken: options.productToken,
            usesRecipes: options.usesRecipes,
            recipes: options.recipes,
            findsPreviews: options.takesPreviews,
            media: options.media,
            variables: variables
        )
        let own = PageDirectives(robotsTag: fields.robotsTags, productToken: options.productToken)
        let directives = own.union(PageDirectives(isNofollow: body.isNofollow, isNoindex: body.isNoindex))
        let headers = HeaderReferences.references(link: fields.links, refresh: fields.refresh, url: item.url)
        var strongest: [URLKey: Int] = [:]
        var found: [FoundURL] = []
        for reference in headers + body.references where !reference.reference.isInert {
            var url = FoundURL(
                options.queryRules.applied(to: reference.url, as: role(reference.reference)),
                role: role(reference.reference),
                destination: reference.reference.loads,
                isNofollow: directives.isNofollow || reference.reference.isNofollow,
                isOptional: isOptional(reference.reference),
                isListed: item.destination == .sitemap && reference.reference.loads != .sitemap
            )
            url.isPage = url.isPage && !(options.obeysNofollow && url.role == .link && url.isNofollow)
            if let index = strongest[url.key] {
                // A link is nofollow only if all its mentions are.
                found[index].isNofollow = found[index].isNofollow && url.isNofollow
                found[index].isOptional = found[index].isOptional && url.isOptional
                found[index].isPage = found[index].isPage || url.isPage
                if url.role < found[index].role {
                    found[index].role = url.role
                    found[index].destination = url.destination
                }
            } else {
                strongest[url.key] = found.count
                found.append(url)
            }
        }
        let rule: SkipRule? = options.obeysNoindex && directives.isNoindex ? .noindex : nil
        var page = Page(found: found, leftOut: rule, cuts: body.cuts)
        page.isMisplaced = body.isMisplacedPage
        page.scriptTexts = body.scriptTexts
        page.base = body.base
        page.moduleMap = body.moduleMap
        page.moduleNames = body.moduleNames
        page.variables = body.variables
        let isPage = !page.isMisplaced && type.map(Self.isPage) ?? false
        if isPage, options.usesRecipes, body.references.contains(where: \.reference.isScript) {
            for url in QueryFile.urls(in: item.url, base: body.base ?? item.url) {
                let file = FoundURL(url, role: .guess)
                if strongest[file.key] == nil { page.found.append(file) }
            }
        }
        if isPage, let type { page.usage = usage(of: text, type, productToken: options.productToken) }
        page.asksForIcon = isPage && !body.references.contains { $0.reference.isIcon }
        page.needsScripts = isPage && ScriptNeed.isLikely(text, body.references)
        return page
    }

    /// Returns true for the types of HTML and XHTML.
    package static func isPage(_ type: MediaType) -> Bool {
        ["text/html", "application/xhtml+xml"].contains(type.essence.lowercased())
    }

    /// Returns what the `meta` elements of a page say about its use.
    ///
    /// - Parameters:
    ///   - text: The page, or its beginning.
    ///   - type: The page's media type.
    ///   - productToken: The name by which a page may address this program.
    /// - Returns: The preferences.
    package static func usage(
        of text: [UInt8],
        _ type: MediaType,
        productToken: String = CrawlOptions.defaultProductToken
    ) -> UsagePreferences {
        let words = text.withUnsafeBufferPointer { bytes in
            PageDirectiveWords.read(
                html: bytes,
                charset: type.parameter("charset"),
                isXML: type.essence != "text/html",
                productToken: productToken
            )
        }
        return UsagePreferences(directives: words)
    }

    /// Returns true for references that most readers don't miss.
    ///
    /// These are icons, images for previews, fonts (others can replace them) and preload hints (needed resources are
    /// referenced elsewhere as well), and modules that may never be imported.
    private static func isOptional(_ reference: Reference) -> Bool {
        switch reference.loads {
        case _ where reference.isConditional: true
        case .font, .manifest: true
        // Only a hint to preload is a `link` that names a classic script; what runs it names it as well.
        case .script: reference.element == "link"
        case .style, .module: false
        case .document, .image, .media, .rendition, .segment, .sitemap, .feed, .other:
            reference.element == "link" || reference.element == "meta" && reference.loads == .image
                || ["link", "icons", "screenshots", "ld+json"].contains(reference.attribute)
        }
    }

    /// Returns the role of a reference; a frame is a requisite, because the page around it is incomplete without it.
    private static func role(_ reference: Reference) -> CrawlScope.Role {
        switch reference.kind {
        case _ where reference.isGuess: .guess
        case .requisite, .frame: .requisite
        case .link, .prefetch, .redirect: .link
        }
    }
}

extension Reference {
    /// True for an icon, or an image that a `link` element refers to in the same way.
    fileprivate var isIcon: Bool { element == "link" && loads == .image && kind == .requisite }
}

extension HTTPFields {
    /// The page's Link fields (RFC 8288).
    package var links: [String] { values("Link") }

    /// The page's Refresh field, as browsers read it.
    package var refresh: String? { values("Refresh").first }

    /// The X-Robots-Tag fields, which have the meaning of `meta name=robots` for any media type.
    package var robotsTags: [String] { values("X-Robots-Tag") }

    private func values(_ name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }
}
