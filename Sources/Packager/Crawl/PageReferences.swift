internal import Discovery
internal import HTTPCaching
internal import HTTPTypes
internal import URLStandard

/// What a response refers to, as the crawl needs it: the seam to Discovery.
enum PageReferences {
    /// Whether references are looked for in a body.
    static func isSearched(_ fields: HTTPFields, _ item: CrawlItem) -> Bool {
        let type = fields.value(of: .contentType).flatMap { MediaType($0)?.essence } ?? ""
        return ReferenceExtractor.isSearched(mediaType: type, destination: item.destination)
    }

    /// Whether a body may have to be read to know what follows, as far as can be told before it is asked for.
    static func mayBeSearched(_ destination: Destination) -> Bool {
        switch destination {
        case .document, .style, .module, .manifest, .sitemap, .feed: true
        case .script, .image, .font, .other: false
        }
    }

    /// The URLs that a response refers to, each once, and why the response itself is left out, if it is.
    static func references(
        in text: [UInt8],
        fields: HTTPFields,
        item: CrawlItem,
        options: CrawlOptions
    ) -> (found: [FoundURL], leftOut: SkipRule?) {
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
                isNofollow: directives.isNofollow || reference.reference.isNofollow
            )
            if let index = strongest[url.key] {
                // A link that one mention allows is allowed.
                found[index].isNofollow = found[index].isNofollow && url.isNofollow
                if url.role < found[index].role {
                    found[index].role = url.role
                    found[index].destination = url.destination
                }
            } else {
                strongest[url.key] = found.count
                found.append(url)
            }
        }
        return (found, options.obeysNoindex && directives.isNoindex ? .noindex : nil)
    }

    /// A frame is a page of its own, and yet the page around it isn't whole without it.
    private static func role(_ kind: Discovery.Reference.Kind) -> CrawlScope.Role {
        switch kind {
        case .requisite, .frame: .requisite
        case .link, .prefetch, .redirect: .link
        }
    }
}
