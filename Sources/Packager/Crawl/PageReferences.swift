internal import Discovery
internal import HTTPCaching
internal import HTTPTypes
internal import URLStandard

/// What a response refers to, as the crawl needs it: the seam to Discovery.
enum PageReferences {
    struct Reference: Sendable, Equatable {
        var url: WebURL
        var role: CrawlScope.Role
    }

    /// Whether references are looked for in bodies of the type.
    static func isSearched(_ type: MediaType?) -> Bool {
        type.map { ReferenceExtractor.isSearched(mediaType: $0.essence) } ?? false
    }

    /// A frame is a page of its own, and yet the page around it isn't whole without it.
    private static func role(_ kind: Discovery.Reference.Kind) -> CrawlScope.Role {
        switch kind {
        case .requisite, .frame: .requisite
        case .link, .prefetch, .redirect: .link
        }
    }

    /// The URLs that a body refers to, each with how.
    static func references(in text: [UInt8], head: FetchHead, url: WebURL) -> [Reference] {
        guard let type = head.fields[.contentType].flatMap({ MediaType($0) }) else { return [] }
        let found = ReferenceExtractor.references(
            in: text,
            mediaType: type.essence,
            charset: type.parameter("charset"),
            url: url
        )
        return found.references.filter { !$0.reference.isInert }.map { Reference(url: $0.url, role: role($0.kind)) }
    }
}
