internal import HTTPCaching
internal import HTTPTypes
internal import PackageFile
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

/// The package that a crawl updates: what origins are asked about again, and whose bodies are taken over as they are.
struct OlderPackage: Sendable {
    /// What is left of a resource that still is as it was.
    struct Resource: Sendable {
        /// The record, as the older package has it.
        var record: ResourceRecord
        /// The index of the member with the body, or nil for a redirect.
        var member: Int?
    }

    /// The package's path.
    let path: String
    /// What is another one where another file has come to the path.
    let identity: FileState
    private let archive: ZipReader
    private let index: PackageIndex

    /// Opens the package.
    ///
    /// - Throws: ``PackagingError`` where it is none that can be loaded, or is encrypted.
    init(path: String) throws(PackagingError) {
        self.path = path
        identity = try FileState.following(path)
        do throws(PackageError) {
            let reader = try PackageReader(path: path)
            try reader.requireLoadable()
            archive = reader.archive
            index = reader.index
        } catch {
            throw PackagingError(.olderPackage, subject: path, message: "can't be updated: \(error.message)")
        }
    }

    /// The URLs of its resources, sorted.
    var urls: some Sequence<WebURL> { index.resources.lazy.map(\.url) }

    /// A resource, or nil.
    func resource(_ url: WebURL) -> Resource? {
        guard let found = index.resource(for: url) else { return nil }
        guard let record = found.record ?? found.entry.map({ Self.record(of: $0, url: url) }) else { return nil }
        return Resource(record: record, member: found.member)
    }

    /// What asks an origin whether a resource still is as it was (RFC 9110 §13.1); empty where nothing can.
    ///
    /// A resource whose digest isn't known is asked for anew, since its body couldn't be told from another.
    func conditions(for resource: Resource) -> HTTPFields {
        var fields = HTTPFields()
        guard resource.member != nil, resource.record.sha256 != nil else { return fields }
        fields[.ifNoneMatch] = resource.record.fields.value(of: .eTag)
        fields[.ifModifiedSince] = resource.record.fields.value(of: .lastModified)
        return fields
    }

    /// What the package holds, where it stands at the output's path already and is what a new one would be but for its dates.
    ///
    /// - Parameters:
    ///   - output: How the new package would be written.
    ///   - seeds: Where its crawl began.
    /// - Returns: What it holds, or nil where a new one is to be written.
    /// - Throws: ``PackagingError`` where the file went away.
    func standing(as output: Packaging.Output, _ seeds: [WebURL]) throws(PackagingError) -> PackageWriter.Summary? {
        guard let info = index.info, info.generator == output.generator, info.seeds == seeds.map(\.description),
            output.dialect == .afcache, output.writesSidecar, !output.writesBaseURL, index.baseURL == nil,
            output.signers.isEmpty, output.password == nil, !output.keepsManifest,
            index.problems.isEmpty, index.userData.isEmpty,
            FileState.exists(output.path), try FileState.following(output.path) == identity
        else { return nil }
        let entries = index.resources.filter { $0.entry != nil }
        var summary = PackageWriter.Summary(
            resources: entries.count,
            redirects: index.resources.count - entries.count,
            bodyBytes: entries.reduce(0) { $0 + ($1.record?.size ?? 0) },
            packageBytes: identity.size
        )
        summary.isUntouched = true
        return summary
    }

    /// The body of a resource, compressed as it is, or nil where the package can't be read any more.
    func body(member: Int) -> CrawledBody? {
        do throws(ZipError) {
            let data = try archive.deflatedBody(of: archive.members[member])
            return CrawledBody(place: .older(member: member), data: data)
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

    private static func record(of entry: ManifestEntry, url: WebURL) -> ResourceRecord {
        var record = ResourceRecord(url: url)
        record.fields[.lastModified] = entry.lastModified.map { HTTPDate.format($0) }
        record.fields[.contentType] = entry.mediaType
        return record
    }
}
