/// What a `link` element's `rel`, or a `Link` header's, makes of its address.
public enum LinkRelation {
    /// Needed, whatever the document looks like without it.
    private static let requisites: Set<String> = [
        "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image",
        "mask-icon",
        "fluid-icon", "manifest", "preload", "modulepreload",
    ]
    private static let prefetches: Set<String> = ["prefetch", "prerender"]
    /// Documents that a reader may want; `dns-prefetch`, `preconnect`, `pingback` and the like are none.
    private static let links: Set<String> = [
        "next", "prev", "previous", "first", "start", "last", "up", "contents", "toc", "index", "chapter", "section",
        "subsection", "appendix", "glossary", "copyright", "license", "help", "author", "search", "bookmark",
        "canonical",
        "alternate", "shortlink", "amphtml", "privacy-policy", "terms-of-service", "sitemap",
    ]
    private static let images: Set<String> = [
        "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon",
        "fluid-icon",
    ]
    /// The types of feeds, by which browsers and readers find them (https://www.rssboard.org/rss-autodiscovery).
    private static let feeds: Set<String> = ["application/rss+xml", "application/atom+xml", "application/rdf+xml"]

    /// The strongest kind that a list of relations gives, or nil for none.
    ///
    /// - Parameters:
    ///   - rel: The value of `rel`: relations with white space between them, in any case.
    ///   - type: The value of `type`; a style sheet in another language than CSS isn't loaded.
    /// - Returns: The kind, or nil for none.
    public static func kind(rel: String, type: String?) -> Reference.Kind? {
        kind(rel.lowercasedTokens, type: type)
    }

    /// The same for relations that are told apart already, in lower case.
    static func kind(_ relations: [String], type: String?) -> Reference.Kind? {
        let type = String(type?.prefix { $0 != ";" } ?? "").trimmedASCII.lowercased()
        let isForeignStyle = !type.isEmpty && type != "text/css"
        for relation in relations where requisites.contains(relation) {
            if relation != "stylesheet" || !isForeignStyle { return .requisite }
        }
        if relations.contains(where: prefetches.contains) { return .prefetch }
        if relations.contains("stylesheet") { return nil }
        return relations.contains(where: links.contains) ? .link : nil
    }

    /// Whether a browser loads the address when it meets the element; icons and web app manifests come when the page is read.
    static func isLoadedAtOnce(_ relations: [String]) -> Bool {
        relations.contains { prefetches.contains($0) || ["stylesheet", "preload", "modulepreload"].contains($0) }
    }

    /// What the address is loaded as, where the relations give it a kind at all.
    ///
    /// - Parameters:
    ///   - relations: The relations in lower case.
    ///   - type: The value of `type`.
    ///   - destination: The value of `as`.
    /// - Returns: The destination.
    static func loads(_ relations: [String], type: String?, as destination: String?) -> Destination {
        for relation in relations {
            switch relation {
            case "stylesheet": return .style
            case "manifest": return .manifest
            case "modulepreload":
                let preload = Destination(preload: destination)
                return preload == .style || preload == .image ? preload : .module
            case "preload", "prefetch": return Destination(preload: destination)
            case "sitemap": return .sitemap
            case _ where images.contains(relation): return .image
            default: break
            }
        }
        let type = type?.prefix { $0 != ";" }.lowercased()
        return feeds.contains(type?.trimmedASCII ?? "") ? .feed : .document
    }
}
