package import AFCDiscovery
internal import AFCHTTP
internal import AFCURL
package import HTTPTypes

/// What a response refers to, as the crawl needs it: the seam to Discovery.
package enum PageReferences {
    /// Whether references are looked for in a body.
    package static func isSearched(_ fields: HTTPFields, _ item: CrawlItem) -> Bool {
        let type = fields.value(of: .contentType).flatMap { MediaType($0)?.essence } ?? ""
        return ReferenceExtractor.isSearched(mediaType: type, destination: item.destination)
    }

    /// Whether a body may have to be read to know what follows, as far as can be told before it is asked for.
    package static func mayBeSearched(_ destination: Destination) -> Bool {
        switch destination {
        case .document, .style, .module, .manifest, .sitemap, .feed: true
        case .script, .image, .font, .other: false
        }
    }

    /// The references of a response.
    package struct Page {
        /// The URLs, each once.
        package var found: [FoundURL] = []
        /// The reason why the response itself is left out, if it is.
        package var leftOut: SkipRule?
        /// For which limits some of what it refers to is left out.
        package var cuts: Set<DiscoveryCut> = []
        /// Indicates whether it is a page that names no icon.
        package var asksForIcon = false
        /// Indicates whether it is a page that seems to need scripts.
        package var needsScripts = false
    }

    /// Finds what a response refers to, as the user's rules have it.
    package static func references(
        in text: [UInt8],
        fields: HTTPFields,
        item: CrawlItem,
        options: CrawlOptions
    ) -> Page {
        let type = fields.value(of: .contentType).flatMap { MediaType($0) }
        let body = ReferenceExtractor.references(
            in: text,
            mediaType: type?.essence ?? "",
            charset: type?.parameter("charset"),
            url: item.url,
            destination: item.destination,
            productToken: options.productToken
        )
        let own = PageDirectives(robotsTag: fields.robotsTags, productToken: options.productToken)
        let directives = own.union(PageDirectives(isNofollow: body.isNofollow, isNoindex: body.isNoindex))
        let headers = HeaderReferences.references(link: fields.links, refresh: fields.refresh, url: item.url)
        var strongest: [URLKey: Int] = [:]
        var found: [FoundURL] = []
        for reference in headers + body.references where !reference.reference.isInert {
            let url = FoundURL(
                options.queryRules.applied(to: reference.url, as: role(reference.kind)),
                role: role(reference.kind),
                destination: reference.reference.loads,
                isNofollow: directives.isNofollow || reference.reference.isNofollow,
                isOptional: isOptional(reference.reference)
            )
            if let index = strongest[url.key] {
                // A link that one mention allows is allowed.
                found[index].isNofollow = found[index].isNofollow && url.isNofollow
                found[index].isOptional = found[index].isOptional && url.isOptional
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
        let isPage = ["text/html", "application/xhtml+xml"].contains(type?.essence.lowercased() ?? "")
        page.asksForIcon = isPage && !body.references.contains { $0.reference.isIcon }
        let mentions = body.references
        page.needsScripts =
            isPage
            && ScriptNeed.isLikely(
                text,
                hasScripts: mentions.contains { $0.reference.isScript },
                hasLinks: mentions.contains { $0.kind == .link && $0.reference.element == "a" }
            )
        return page
    }

    /// Tells whether a page is the same without it for most readers: icons, fonts, which others stand in for, and hints
    /// at what may be needed; what is needed indeed is mentioned again.
    private static func isOptional(_ reference: Reference) -> Bool {
        switch reference.loads {
        case .font, .manifest: true
        case .style, .script, .module: false
        case .document, .image, .sitemap, .feed, .other:
            reference.element == "link" || ["link", "icons", "screenshots"].contains(reference.attribute)
        }
    }

    /// A frame is a page of its own, and yet the page around it isn't whole without it.
    private static func role(_ kind: AFCDiscovery.Reference.Kind) -> CrawlScope.Role {
        switch kind {
        case .requisite, .frame: .requisite
        case .link, .prefetch, .redirect: .link
        }
    }
}

extension Reference {
    /// Indicates whether it is an icon, or a picture that is hinted at in the same way.
    fileprivate var isIcon: Bool { element == "link" && loads == .image && kind == .requisite }
}

extension HTTPFields {
    /// What a page's Link fields say (RFC 8288).
    package var links: [String] { values("Link") }

    /// Where a page leads by itself, as browsers read it.
    package var refresh: String? { values("Refresh").first }

    /// What `meta name=robots` says in a page, for any type.
    package var robotsTags: [String] { values("X-Robots-Tag") }

    private func values(_ name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }
}
