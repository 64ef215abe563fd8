/// The link relations of `link` elements and `Link` header fields.
public enum LinkRelation {
    /// Relations of requisites, which a page needs.
    private static let requisites: Set<String> = [
        "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image",
        "mask-icon",
        "fluid-icon", "manifest", "preload", "modulepreload",
        // Translations for scripts of Mozilla's projects: a list of files, or a file of each language.
        "resource", "localization",
    ]
    private static let prefetches: Set<String> = ["prefetch", "prerender"]
    /// Relations of documents that a reader may want.
    ///
    /// Relations such as `dns-prefetch`, `preconnect` and `pingback` are not among them.
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
    /// The media types by which browsers and readers find feeds (https://www.rssboard.org/rss-autodiscovery).
    private static let feeds: Set<String> = ["application/rss+xml", "application/atom+xml", "application/rdf+xml"]

    /// Returns the strongest kind that a list of relations gives, or nil for none.
    ///
    /// - Parameters:
    ///   - rel: The value of `rel`: relations separated by white space, in any case.
    ///   - type: The value of `type`; a style sheet in a language other than CSS isn't loaded.
    /// - Returns: The kind, or nil for none.
    public static func kind(rel: String, type: String?) -> Reference.Kind? {
        kind(rel.lowercasedTokens, type: type)
    }

    /// Returns the kind for separate relations in lower case.
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

    /// Returns true if browsers load the address immediately; icons and web app manifests wait until the page is read.
    static func isLoadedAtOnce(_ relations: [String]) -> Bool {
        relations.contains { prefetches.contains($0) || ["stylesheet", "preload", "modulepreload"].contains($0) }
    }

    /// Returns the destination of an address whose relations give it a kind.
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
            case "resource", "localization": return .other
            case _ where images.contains(relation): return .image
            default: break
            }
        }
        let type = type?.prefix { $0 != ";" }.lowercased()
        return feeds.contains(type?.trimmedASCII ?? "") ? .feed : .document
    }
}
