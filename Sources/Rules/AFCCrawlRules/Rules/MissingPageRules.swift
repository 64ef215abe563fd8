internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
package import AFCURL
package import HTTPTypes

/// The rules by which a crawl finds the page that a site sends for URLs that it doesn't have; docs/reference/crawler.md
/// has them.
package struct MissingPageRules: Equatable, Sendable {
    /// The folder that all start pages have in common, and below which the page answers.
    package let base: WebURL
    /// The invented URLs below the folder that are requested; the page is stored under the first.
    package let probes: [WebURL]

    /// The maximum size of the page, in bytes.
    package static let byteLimit = 4 << 20
    /// The paths of the invented URLs below the folder: with and without an extension, in the folder and below it.
    private static let paths = FallbackRules.inventedPaths

    /// Creates the rules for a crawl's start pages; nil if they are on several origins, or there are none.
    package init?(startPages: some Sequence<WebURL>) {
        var common: [Substring]?
        var origin: WebURL?
        for page in startPages {
            guard page.isHTTP, origin.map({ $0.origin == page.origin }) ?? true else { return nil }
            origin = page
            let folders = page.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
            common = common.map { one in zip(one, folders).prefix { $0 == $1 }.map(\.0) } ?? Array(folders)
        }
        guard let origin, let common else { return nil }
        let path = "/" + common.map { $0 + "/" }.joined()
        guard let base = try? WebURL(path, base: origin), base.origin == origin.origin, base.path == path else {
            return nil
        }
        let probes = Self.paths.compactMap { try? WebURL(base.description + $0) }
        guard probes.count == Self.paths.count else { return nil }
        (self.base, self.probes) = (base, probes)
    }

    /// Returns true if a page for missing URLs is at a URL that only a crawl gives it.
    package static func isProbe(_ url: WebURL) -> Bool { url.query == nil && url.path.hasSuffix("/" + paths[0]) }

    /// Returns true if a URL is below the folder.
    package func covers(_ url: WebURL) -> Bool {
        url.origin == base.origin && url.path.utf8.starts(with: base.path.utf8)
    }

    /// Returns true if a crawl of this scope has all pages below the folder, if no limit cuts it.
    package static func isWhole(_ scope: CrawlScope.Options) -> Bool {
        scope.extent == .host || scope.extent == .prefix || scope.extent == .domain || scope.extent == .any
    }

    /// Returns true if URLs that a rule skips may be pages of the site, so that their absence from the package means
    /// nothing.
    package static func isCut(by rule: SkipRule) -> Bool {
        switch rule {
        case .scheme, .credentials, .urlTooLong, .privateAddress, .scope, .robots, .guessedPage, .unlikelyGuess: false
        case .excluded, .notIncluded, .depth, .robotsUnavailable, .nofollow, .noindex, .repeatedPath, .pathDepth,
            .tooManyParameters, .tooManyAlike, .tooManyHosts, .sessionIDs, .requisiteChain, .maxPages, .maxBytes,
            .maxTime, .maxRedirects, .maxURLs, .otherShard:
            true
        }
    }

    /// Returns true if an answer may be such a page: 404, HTML, and for everybody.
    package static func mayBePage(_ head: FetchHead) -> Bool {
        let type = head.fields.value(of: .contentType).flatMap { MediaType($0)?.essence }
        let isPrivate = head.fields[values: .cacheControl].contains { value in
            value.lowercased().split { $0 == "," || $0 == " " || $0 == "=" }.contains("private")
        }
        return head.status == 404 && (type == "text/html" || type == "application/xhtml+xml") && !isPrivate
    }

    /// Returns the references of such a page; nil if it is no page of the site's own.
    ///
    /// The pages that servers send by default refer to nothing, and say less than this project's own.
    ///
    /// - Parameters:
    ///   - text: The page.
    ///   - fields: The fields of the answer.
    ///   - options: The crawl.
    /// - Returns: The references.
    package func references(in text: [UInt8], fields: HTTPFields, options: CrawlOptions) -> [FoundURL]? {
        var own = HTTPFields()
        own[.contentType] = fields[.contentType]
        let found = FoundURL(probes[0], role: .link, destination: .document)
        let item = CrawlItem(found, id: 0, redirects: 0, chain: 0, referrer: nil)
        let page = PageReferences.references(in: text, fields: own, item: item, options: options)
        return page.found.isEmpty && !Self.hasScript(text) ? nil : page.found
    }

    private static func hasScript(_ text: [UInt8]) -> Bool {
        let name = Array("script".utf8)
        return text.indices.contains { start in
            text[start] == UInt8(ascii: "<") && text.count - start > name.count
                && text[(start + 1)...].prefix(name.count).elementsEqual(name) { $0 | 0x20 == $1 }
        }
    }

    /// Returns the fields of the answer that describe the page, without those that are about the error.
    package static func fields(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        for name in [HTTPField.Name.cacheControl, .expires, .pragma, .age, .eTag, .lastModified, .vary] {
            fields[name] = nil
        }
        return fields
    }
}
