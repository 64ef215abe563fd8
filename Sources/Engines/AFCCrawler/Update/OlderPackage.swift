internal import AFCCrawlRules
internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFile
package import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import HTTPTypes

/// The package that a crawl updates: its resources are revalidated, and unchanged bodies are copied.
package struct OlderPackage: Sendable {
    /// The stored state of a resource that may be unchanged.
    struct Resource: Sendable {
        /// The record in the older package.
        var record: ResourceRecord
        /// The index of the member with the body, or nil for a redirect.
        var member: Int?

        /// The request fields that ask whether the resource is unchanged (RFC 9110 §13.1); empty if there are none.
        ///
        /// A resource without a known digest is fetched in full, because its body couldn't be compared.
        var conditions: HTTPFields {
            var fields = HTTPFields()
            guard member != nil, record.sha256 != nil else { return fields }
            // A tag whose bytes weren't UTF-8 isn't known any more.
            if let tag = record.fields.singleValue(of: .eTag), !tag.contains("\u{FFFD}") {
                fields.append(HTTPField(name: .ifNoneMatch, value: tag))
            }
            if let date = record.fields.singleValue(of: .lastModified),
                HTTPDate.distinguishes(date, date: record.fields.singleValue(of: .date))
            {
                fields.append(HTTPField(name: .ifModifiedSince, value: date))
            }
            return fields
        }
    }

    /// The package's path.
    let path: String
    /// The file's identity, which changes if another file replaces it.
    let identity: OpenFile.State
    /// The crawl that produced it, if known.
    let provenance: CrawlProvenance?
    /// The package's contents.
    private let holdings: PackageWriter.Summary
    private let archive: ZipReader
    private let index: PackageIndex

    /// Opens the package.
    ///
    /// - Throws: ``PackagingError`` if the file is not a package that can be loaded, or is encrypted.
    init(path: String) throws(PackagingError) {
        self.path = path
        do throws(FileError) {
            identity = try OpenFile.State(path: path)
        } catch {
            throw PackagingError(unreadable: error)
        }
        do throws(PackageError) {
            let reader = try PackageReader(path: path)
            try reader.requireLoadable()
            archive = reader.archive
            index = reader.index
            provenance = reader.provenance
            holdings = Self.holdings(of: index, packageBytes: identity.size)
        } catch {
            var reason = error.message
            if case .locked = error.code { reason = "it is encrypted; pack the whole site again" }
            throw PackagingError(.olderPackage, subject: path, message: "this package can't be updated: \(reason)")
        }
    }

    /// Checks that this is a package of the site that is crawled, since an update removes what the site doesn't have.
    ///
    /// - Parameter seeds: The start URLs of the crawl.
    /// - Throws: ``PackagingError`` if it began at other hosts, and has nothing of the seeds' origins.
    func requireSite(of seeds: [WebURL]) throws(PackagingError) {
        guard let difference = Self.otherSite(of: index, than: seeds) else { return }
        throw PackagingError(.badOption, subject: path, message: "\(difference); name another file")
    }

    /// Returns a clause about a package of another site than the one that is packed.
    ///
    /// - Parameters:
    ///   - index: The contents of the package.
    ///   - seeds: The start URLs of a crawl, or a folder's base URL; none for a recording.
    /// - Returns: The clause; nil if the package is of the same site, or doesn't say where it began.
    package static func otherSite(of index: PackageIndex, than seeds: [WebURL]) -> String? {
        let began = index.info?.seeds.compactMap { try? WebURL($0) } ?? []
        // A site may have moved from http to https.
        func place(_ url: WebURL) -> String { "\(url.host ?? ""):\(url.port.map { String($0) } ?? "")" }
        // A recording has no start URLs.
        guard let own = began.first?.description ?? index.resources.first?.url.origin else { return nil }
        guard let seed = seeds.first else {
            return began.isEmpty ? nil : "it is a package of \(PrintableText.quoted(own)), not a recording"
        }
        guard Set(began.map(place)).isDisjoint(with: seeds.map(place)),
            !seeds.contains(where: { index.hasResource(beginningWith: $0.origin + "/") })
        else { return nil }
        return "it is a package of another site: of \(PrintableText.quoted(own)), not of "
            + PrintableText.quoted(seed.description)
    }

    /// The name that the package states; nil if it states none.
    package var name: String? { index.info?.name }

    /// The site's page for missing URLs, as a crawl found it; nil if there is none.
    var missingPage: Resource? {
        guard let url = index.fallback?.missing, MissingPageRules.isProbe(url) else { return nil }
        return resource(url)
    }

    /// Returns the rules by which the package's crawl looked for the site's page for missing URLs; nil if it didn't.
    ///
    /// - Parameters:
    ///   - options: The crawl, whose options are those of the package's crawl.
    ///   - provenance: What that crawl left out.
    /// - Returns: The rules, or nil.
    func missingPageRules(_ options: CrawlOptions, _ provenance: CrawlProvenance) -> MissingPageRules? {
        guard options.asksForMissingPage, MissingPageRules.isWhole(options.scope),
            !provenance.skipped.keys.contains(where: { SkipRule(rawValue: $0).map(MissingPageRules.isCut) ?? true })
        else { return nil }
        let pages = options.seeds.compactMap { seed -> WebURL? in
            var url = seed
            for _ in 0..<options.limits.redirects {
                guard let target = redirectTarget(of: url) else { break }
                url = target
            }
            return resource(url)?.member == nil ? nil : url
        }
        return MissingPageRules(startPages: pages)
    }

    /// Returns true if the package lists the URLs that the site doesn't have.
    func lists(_ absent: AbsentURLs) -> Bool {
        let listed = absent.filter { url in
            index.hasResource(beginningWith: url.origin + "/") && index.resource(for: url) == nil
        }
        return listed.bytes == index.absent?.bytes ?? []
    }

    /// The URLs of its resources, sorted.
    var urls: some Sequence<WebURL> { index.resources.lazy.map(\.url) }

    /// The number of resources.
    var count: Int { index.resources.count }

    /// Returns the URL of the resource at an index, in the order of URLs.
    func url(at place: Int) -> WebURL { index.resources[place].url }

    /// Returns the resource at an index, in the order of URLs, or nil if it has no record.
    func resource(at place: Int) -> Resource? { resource(index.resources[place]) }

    /// The indices of its resources in the order of likely changes: the seeds of its crawl, then texts.
    var validationOrder: [Int] {
        let seeds = Set(index.info?.seeds ?? [])
        var orders: [[Int]] = [[], [], []]
        for (place, resource) in index.resources.enumerated() {
            let isText = resource.entry?.mediaType?.hasPrefix("text/") ?? true
            orders[seeds.contains(resource.url.description) ? 0 : isText ? 1 : 2].append(place)
        }
        return orders.flatMap { $0 }
    }

    /// Returns the target of a redirect in the package, or nil if the URL has none.
    func redirectTarget(of url: WebURL) -> WebURL? {
        guard let resource = resource(url), resource.member == nil else { return nil }
        do throws(WebURL.ParseError) {
            return try resource.record.fields.singleValue(of: .location).map { (text) throws(WebURL.ParseError) in
                try WebURL(text, base: url)
            }
        } catch {
            return nil
        }
    }

    /// The package's contents for the report of an update that finds nothing changed.
    var contents: CrawlReport.Holdings {
        CrawlReport.Holdings(
            resources: holdings.resources,
            redirects: holdings.redirects,
            bytes: holdings.bodyBytes,
            urls: index.resources.prefix(CrawlReport.changeLimit).map(\.url)
        )
    }

    /// Returns the resource of a URL, or nil.
    func resource(_ url: WebURL) -> Resource? { index.resource(for: url).flatMap { resource($0) } }

    private func resource(_ found: PackageIndex.Resource) -> Resource? {
        guard let record = found.record ?? found.entry.map({ Self.record(of: $0, url: found.url) }) else { return nil }
        return Resource(record: record, member: found.member)
    }

    /// Returns the package's contents if a new package would differ only in its dates.
    ///
    /// - Parameters:
    ///   - generator: The program and version that would write the new package, with only a manifest and a sidecar.
    ///   - seeds: The start URLs of its crawl.
    ///   - place: The path of the new package.
    /// - Returns: The contents, or nil if a new package must be written.
    package func kept(by generator: String, _ seeds: [WebURL], at place: String) -> PackageWriter.Summary? {
        guard let info = index.info, info.generator == generator, info.seeds == seeds.map(\.description),
            index.baseURL == nil, index.problems.isEmpty, index.userData.isEmpty, index.matchRules == nil,
            index.fallback.map({ $0.application == nil && $0.missing.map(MissingPageRules.isProbe) ?? false }) ?? true
        else { return nil }
        do throws(FileError) {
            return try OpenFile.State(path: place) == identity ? holdings : nil
        } catch {
            return nil
        }
    }

    /// Returns the compressed body of a member, or nil if the package can no longer be read.
    func body(member: Int) -> CrawledBody? { data(member: member).map { CrawledBody($0, in: .older(member: member)) } }

    /// Returns the unchanged data of a member, or nil if it can't be copied.
    func data(member: Int) -> DeflatedBody? {
        do throws(ZipError) {
            return try archive.deflatedBody(of: archive.members[member])
        } catch {
            return nil
        }
    }

    /// Returns the body of a resource, or nil if it is damaged.
    func soundBody(member: Int) -> CrawledBody? {
        checkedText(member: member, limit: 0) == nil ? nil : body(member: member)
    }

    /// Reads and checks a body, so that no damaged one is copied.
    ///
    /// - Parameters:
    ///   - member: The body's member.
    ///   - limit: The largest number of bytes to return.
    /// - Returns: The beginning of the body, or nil if it is damaged or can't be read.
    func checkedText(member: Int, limit: Int) -> [UInt8]? {
        var text: [UInt8] = []
        do throws(ZipError) {
            try archive.forEachChunk(of: archive.members[member]) { chunk throws(ZipError) in
                text.append(contentsOf: chunk.prefix(limit - text.count))
            }
        } catch {
            // The origin still has the body, so it is requested without conditions.
            return nil
        }
        return text
    }

    private static func holdings(of index: PackageIndex, packageBytes: Int64) -> PackageWriter.Summary {
        var summary = PackageWriter.Summary(resources: 0, redirects: 0, bodyBytes: 0, packageBytes: packageBytes)
        for place in index.resources.indices {
            if index.resources[place].entry == nil { summary.redirects += 1 } else { summary.resources += 1 }
            summary.bodyBytes += index.resources[place].record?.size ?? 0
        }
        summary.isUntouched = true
        return summary
    }

    private static func record(of entry: ManifestEntry, url: WebURL) -> ResourceRecord {
        var record = ResourceRecord(url: url)
        record.fields[.lastModified] = entry.lastModified.map { HTTPDate.format($0) }
        record.fields[.contentType] = entry.mediaType
        return record
    }
}
