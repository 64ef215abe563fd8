internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// The resources of a package, in the form for the index and the catalogue.
struct GenerationContents {
    private let package: PackageReader
    /// The time when the package was made, for responses without Date.
    let date: Timestamp

    init(_ package: PackageReader, now: Timestamp) {
        self.package = package
        date = package.date(orElse: now)
    }

    /// Returns a resource in the form for the index.
    ///
    /// - Parameters:
    ///   - number: The index of the resource in the package.
    ///   - resource: The resource.
    ///   - member: The member with its body, or nil for a redirect.
    ///   - digest: The SHA-256 of the body; empty for a redirect.
    /// - Returns: The resource.
    func indexed(
        _ number: Int,
        _ resource: PackageIndex.Resource,
        _ member: ZipMember?,
        digest: [UInt8]
    ) -> IndexedResource {
        IndexedResource(
            url: resource.url.description,
            number: UInt32(number),
            status: resource.record?.status ?? 200,
            member: member?.name,
            size: member?.uncompressedSize ?? 0,
            lastModified: resource.entry?.lastModified,
            expires: resource.expiry,
            received: resource.record?.fetched ?? date,
            fields: PackageIndex.responseFields(of: resource, packageDate: date),
            requestFields: resource.requestFields,
            digest: digest
        )
    }
}

/// What the catalogue says about a package's resources together.
struct ContentSummary {
    private var counts: OriginCount
    private var latest: Timestamp?
    private var isEndless = false

    init(seeds: [String]) { counts = OriginCount(seeds: seeds) }

    /// Adds a resource; its size is nil if it has no body.
    mutating func add(_ resource: PackageIndex.Resource, size: Int64?) {
        counts.add(
            resource.url,
            status: resource.record?.status ?? 200,
            size: size,
            type: resource.entry?.mediaType ?? resource.record?.fields[.contentType]
        )
        guard size != nil else { return }
        if let expiry = resource.expiry { latest = max(latest ?? expiry, expiry) } else { isEndless = true }
    }

    /// Adds the resources of another summary; the order makes no difference.
    mutating func add(_ other: ContentSummary) {
        counts.add(other.counts)
        isEndless = isEndless || other.isEndless
        latest = [latest, other.latest].compactMap(\.self).max()
    }

    /// The time when the last body expires; nil if one never expires or doesn't say.
    var latestExpiry: Timestamp? { isEndless ? nil : latest }

    /// The resources of each origin.
    var origins: [CataloguedOrigin] { counts.all }
}

/// Counts the resources of each origin, and finds the page with which a reader would begin: a seed, else the start page
/// or an index, else the page with the shortest URL.
struct OriginCount {
    private let seeds: Set<String>
    private var origins: [String: (origin: CataloguedOrigin, rank: StartRank?)] = [:]

    init(seeds: [String]) { self.seeds = Set(seeds) }

    /// Adds a resource; its size is nil if it has no body.
    mutating func add(_ url: WebURL, status: Int, size: Int64?, type: String?) {
        let key = url.origin
        var known = origins[key] ?? (CataloguedOrigin(origin: key, host: url.host ?? ""), nil)
        known.origin.resources += 1
        known.origin.bytes += size ?? 0
        let text = url.description
        let isPage = type?.hasPrefix("text/html") == true || Self.isUntypedPage(url, type) || size == nil
        let isSeed = seeds.contains(text)
        let rank = StartRank(url, isSeed: isSeed)
        if isSeed || isPage && status < 400, known.rank.map({ rank < $0 }) ?? true {
            known.origin.start = text
            known.rank = rank
        }
        origins[key] = known
    }

    /// Returns true if the name of a resource without a useful type is a page's.
    private static func isUntypedPage(_ url: WebURL, _ type: String?) -> Bool {
        guard type ?? "application/octet-stream" == "application/octet-stream" else { return false }
        return url.path.hasSuffix("/") || MediaType(suffixOf: url.path)?.essence == "text/html"
    }

    /// Adds the resources of another count; the order makes no difference.
    mutating func add(_ other: OriginCount) {
        for (key, added) in other.origins {
            guard var known = origins[key] else {
                origins[key] = added
                continue
            }
            known.origin.resources += added.origin.resources
            known.origin.bytes += added.origin.bytes
            if let rank = added.rank, known.rank.map({ rank < $0 }) ?? true {
                known.origin.start = added.origin.start
                known.rank = rank
            }
            origins[key] = known
        }
    }

    /// Adds a resource; one with an invalid URL is skipped.
    mutating func add(_ resource: IndexedResource) {
        guard let url = try? WebURL(resource.url) else { return }
        add(
            url,
            status: resource.status,
            size: resource.member == nil ? nil : resource.size,
            type: resource.fields[.contentType]
        )
    }

    /// The origins, sorted.
    var all: [CataloguedOrigin] { origins.values.map(\.origin).sorted { $0.origin < $1.origin } }
}

/// The rank of a page as the start page of its origin; the lowest one is chosen.
struct StartRank: Comparable {
    /// The names of pages that lead to the others in their folder.
    private static let indexNames: Set<String> = [
        "", "index.html", "index.htm", "index.xhtml", "index.php", "default.html", "default.htm", "home.html",
    ]
    private static let longestIndexName = 12

    private let ranks: (Int, Int, Int, Int, Int)
    private let text: String

    init(_ url: WebURL, isSeed: Bool) {
        text = url.description
        let path = url.path.utf8
        let depth = path.count { $0 == UInt8(ascii: "/") }
        let name = path.suffix(
            from: path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.endIndex
        )
        let isIndex =
            name.count <= Self.longestIndexName && Self.indexNames.contains(String(Substring(name)).lowercased())
            && url.query == nil
        ranks = (isSeed ? 0 : 1, isIndex && depth <= 1 ? 0 : 1, depth, isIndex ? 0 : 1, text.utf8.count)
    }

    static func < (left: StartRank, right: StartRank) -> Bool {
        left.ranks == right.ranks ? left.text < right.text : left.ranks < right.ranks
    }

    static func == (left: StartRank, right: StartRank) -> Bool { left.ranks == right.ranks && left.text == right.text }
}
