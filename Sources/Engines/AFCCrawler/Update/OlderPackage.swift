internal import AFCCrawlRules
internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import HTTPTypes

/// The package that a crawl updates: what origins are asked about again, and whose bodies are taken over as they are.
package struct OlderPackage: Sendable {
    /// What is left of a resource that still is as it was.
    struct Resource: Sendable {
        /// The record, as the older package has it.
        var record: ResourceRecord
        /// The index of the member with the body, or nil for a redirect.
        var member: Int?

        /// What asks an origin whether the resource still is as it was (RFC 9110 §13.1); empty where nothing can.
        ///
        /// A resource whose digest isn't known is asked for anew, since its body couldn't be told from another.
        var conditions: HTTPFields {
            var fields = HTTPFields()
            guard member != nil, record.sha256 != nil else { return fields }
            if let tag = record.fields.value(of: .eTag) { fields.append(HTTPField(name: .ifNoneMatch, value: tag)) }
            if let date = record.fields.value(of: .lastModified) {
                fields.append(HTTPField(name: .ifModifiedSince, value: date))
            }
            return fields
        }
    }

    /// The package's path.
    let path: String
    /// What is another one where another file has come to the path.
    let identity: OpenFile.State
    /// Which crawl brought it, where that is known.
    let provenance: CrawlProvenance?
    /// What it holds.
    private let holdings: PackageWriter.Summary
    private let archive: ZipReader
    private let index: PackageIndex

    /// Opens the package.
    ///
    /// - Throws: ``PackagingError`` where it is none that can be loaded, or is encrypted.
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
            throw PackagingError(.olderPackage, subject: path, message: "can't be updated: \(error.message)")
        }
    }

    /// The URLs of its resources, sorted.
    var urls: some Sequence<WebURL> { index.resources.lazy.map(\.url) }

    /// How many resources it has.
    var count: Int { index.resources.count }

    /// The URL of the resource at a place among all, sorted by URL.
    func url(at place: Int) -> WebURL { index.resources[place].url }

    /// The resource at a place among all, sorted by URL, or nil where nothing is known of it.
    func resource(at place: Int) -> Resource? { resource(index.resources[place]) }

    /// The places of its resources, in the order in which changes are likely: what a crawl began with, then texts.
    var validationOrder: [Int] {
        let seeds = Set(index.info?.seeds ?? [])
        var orders: [[Int]] = [[], [], []]
        for (place, resource) in index.resources.enumerated() {
            let isText = resource.entry?.mediaType?.hasPrefix("text/") ?? true
            orders[seeds.contains(resource.url.description) ? 0 : isText ? 1 : 2].append(place)
        }
        return orders.flatMap { $0 }
    }

    /// Where a redirect that the package has leads, or nil where the URL has none.
    func redirectTarget(of url: WebURL) -> WebURL? {
        guard let resource = resource(url), resource.member == nil else { return nil }
        do throws(WebURL.ParseError) {
            return try resource.record.fields.value(of: .location).map { (text) throws(WebURL.ParseError) in
                try WebURL(text, base: url)
            }
        } catch {
            return nil
        }
    }

    /// What a report says of it where everything in it is as it was.
    var contents: CrawlReport.Holdings {
        CrawlReport.Holdings(
            resources: holdings.resources,
            redirects: holdings.redirects,
            bytes: holdings.bodyBytes,
            urls: index.resources.prefix(CrawlReport.changeLimit).map(\.url)
        )
    }

    /// A resource, or nil.
    func resource(_ url: WebURL) -> Resource? { index.resource(for: url).flatMap { resource($0) } }

    private func resource(_ found: PackageIndex.Resource) -> Resource? {
        guard let record = found.record ?? found.entry.map({ Self.record(of: $0, url: found.url) }) else { return nil }
        return Resource(record: record, member: found.member)
    }

    /// What the package holds, where it is what a new one would be but for its dates.
    ///
    /// - Parameters:
    ///   - generator: The program and its version that would write the new one, with nothing but a manifest and a sidecar.
    ///   - seeds: Where its crawl began.
    ///   - place: The path of the new one.
    /// - Returns: What it holds, or nil where a new one is to be written.
    package func standing(by generator: String, _ seeds: [WebURL], at place: String) -> PackageWriter.Summary? {
        guard let info = index.info, info.generator == generator, info.seeds == seeds.map(\.description),
            index.baseURL == nil, index.problems.isEmpty, index.userData.isEmpty
        else { return nil }
        do throws(FileError) {
            return try OpenFile.State(path: place) == identity ? holdings : nil
        } catch {
            return nil
        }
    }

    /// The body of a resource, compressed as it is, or nil where the package can't be read any more.
    func body(member: Int) -> CrawledBody? { data(member: member).map { CrawledBody($0, in: .older(member: member)) } }

    /// The data of a member as it is, or nil where it can't be copied.
    func data(member: Int) -> DeflatedBody? {
        do throws(ZipError) {
            return try archive.deflatedBody(of: archive.members[member])
        } catch {
            return nil
        }
    }

    /// The body of a resource, unless it is damaged.
    func soundBody(member: Int) -> CrawledBody? {
        checkedText(member: member, limit: 0) == nil ? nil : body(member: member)
    }

    /// Reads a body, so that none is taken over which is damaged.
    ///
    /// - Parameters:
    ///   - member: The body's member.
    ///   - limit: How much of it is wanted.
    /// - Returns: The beginning of the body, or nil where it is damaged or can't be read.
    func checkedText(member: Int, limit: Int) -> [UInt8]? {
        var text: [UInt8] = []
        do throws(ZipError) {
            try archive.forEachChunk(of: archive.members[member]) { chunk throws(ZipError) in
                text.append(contentsOf: chunk.prefix(limit - text.count))
            }
        } catch {
            // The origin has the body still: it is asked for without conditions.
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
