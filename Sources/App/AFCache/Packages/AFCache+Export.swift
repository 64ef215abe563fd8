internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
public import Foundation
internal import HTTPTypes

extension AFCache {
    /// A stored response that may become part of an exported package.
    public struct ExportCandidate: Sendable, Equatable {
        /// The URL of the resource.
        public let url: URL
        /// The status of the response.
        public let status: Int
        /// The media type of the body, in lower case and without parameters; nil if it isn't known.
        public let mediaType: String?
        /// The size of the stored body in bytes.
        public let bytes: Int64
        /// The package that it belongs to; nil if it was received from its origin, or stored by the program.
        public let package: String?
    }
}

extension AFCache {
    /// The number of URLs from which on a cache isn't exported.
    private static let exportLimit = 1_000_000

    /// Writes what is stored on disk as a package, which any cache can install.
    ///
    /// Mounted packages are part of it. Of each URL, the most recent response is taken, unless it is a part of a body
    /// (206) or was invalidated. Fields about one client and credentials are left out, as in each package, and so is what
    /// only memory has. Bodies have no content coding in a package.
    ///
    /// - Parameters:
    ///   - file: The package's file, which is replaced as a whole.
    ///   - isIncluded: A closure that selects responses; all by default.
    /// - Returns: The number of resources and redirects in the package.
    /// - Throws: ``Failure`` if the cache can't be read, a response changes meanwhile, or the file can't be written; the
    ///   file is then unchanged.
    @discardableResult
    public func exportPackage(
        to file: URL,
        where isIncluded: @escaping @Sendable (ExportCandidate) -> Bool = { _ in true }
    ) async throws -> Int {
        try await Failure.of {
            await ready()
            let source = try await blocking { cache in
                var urls = Set(try cache.store.receivedURLs(limit: Self.exportLimit))
                var last: WebURL?
                while urls.count < Self.exportLimit {
                    let page = try cache.store.resources(after: last, limit: 1000)
                    guard let end = page.last else { break }
                    urls.formUnion(page.map(\.url))
                    last = end.url
                }
                guard urls.count < Self.exportLimit else {
                    throw CacheError(
                        .full,
                        subject: file.path,
                        message: "the cache has \(Self.exportLimit) URLs or more, and a package can't have that many"
                    )
                }
                var source = ExportSource(store: cache.store, limit: cache.configuration.largestData)
                for url in urls.sorted() {
                    guard let response = try source.candidate(url) else { continue }
                    if isIncluded(ExportCandidate(url, response)) {
                        source.chosen.append(.init(url: url, isRedirect: source.record(url, response).isRedirect))
                    }
                }
                return source
            }
            var options = PackageWriter.Options(created: now, generator: "AFCache")
            options.absent = try await blocking { cache in try cache.store.absentURLs() }
            let summary = try await PackageWriter.write(source, to: file.path, options: options)
            return summary.resources + summary.redirects
        }
    }
}

extension AFCache.ExportCandidate {
    fileprivate init(_ url: WebURL, _ candidate: StoredCandidate) {
        let response = candidate.response
        self.init(
            url: URL(url),
            status: response.status,
            mediaType: response.fields[.contentType].flatMap { MediaType($0) }?.essence,
            bytes: response.size,
            package: candidate.packageName
        )
    }
}

extension StoredCandidate {
    fileprivate var packageName: String? { if case .package(let name) = origin { name } else { nil } }
}

/// The responses to export, which are read from the cache when they are written.
private struct ExportSource: ResourceSource {
    struct Chosen: Sendable {
        var url: WebURL
        var isRedirect: Bool
    }

    let store: DiskCache
    /// The most bytes of a body whose content coding is removed.
    let limit: Int
    var chosen: [Chosen] = []

    init(store: DiskCache, limit: Int) { (self.store, self.limit) = (store, limit) }

    /// Returns the response of a URL that a package may have.
    func candidate(_ url: WebURL) throws(CacheError) -> StoredCandidate? {
        try store.candidates(for: url).first { candidate in
            !candidate.response.isInvalidated && (200...599).contains(candidate.response.status)
                && candidate.response.status != 206 && candidate.response.status != 304
        }
    }

    func record(_ url: WebURL, _ candidate: StoredCandidate) -> ResourceRecord {
        let response = candidate.response
        var record = ResourceRecord(
            url: url,
            status: response.status,
            fields: response.fields,
            requestFields: response.requestFields ?? HTTPFields(),
            fetched: response.received
        )
        record.keepPackedFields()
        let usage = StatedUsage(response.fields)
        (record.robotsUsage, record.pageUsage) = (usage.robots, usage.page)
        return record
    }

    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        for one in chosen where !one.isRedirect { try body(one.url) }
    }

    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        for one in chosen { try body(try resource(one)) }
    }

    private func resource(_ one: Chosen) throws(PackageError) -> PackageWriter.Resource {
        do {
            guard let candidate = try candidate(one.url) else { throw changed(one.url) }
            var record = record(one.url, candidate)
            guard record.isRedirect == one.isRedirect else { throw changed(one.url) }
            guard !record.isRedirect else {
                return PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false)
            }
            let response = candidate.response
            let entry = ManifestEntry(
                url: one.url,
                lastModified: response.fields[.lastModified].flatMap { HTTPDate.parse($0, now: response.received) },
                expires: record.expiry,
                mediaType: response.fields[.contentType].flatMap { MediaType($0) }?.description
            )
            let stored = try store.body(of: candidate)
            let coding = candidate.packageName == nil ? response.fields[.contentEncoding] : nil
            // What isn't in a file of its own, as in a mounted package, is read into memory.
            guard stored.isFile || stored.size <= Int64(limit) else { throw URLError(.dataLengthExceedsMaximum) }
            var bytes = stored.isFile ? nil : try stored.contents(upTo: limit)
            if let coding, coding.lowercased() != "identity" {
                guard let coded = try stored.contents(upTo: limit) else {
                    throw URLError(.dataLengthExceedsMaximum)
                }
                let data = try BodyCoding.decode(Data(coded), response.fields, upTo: limit)
                bytes = Array(data)
                record.coding = coding
            }
            return PackageWriter.Resource(
                record: record,
                entry: entry,
                body: bytes.map { .bytes($0) } ?? .file(path: stored.path),
                isCompressible: true
            )
        } catch let error as PackageError {
            throw error
        } catch {
            throw PackageError(
                .inputOutput,
                subject: one.url.description,
                message: "cannot read the stored response: \(error)"
            )
        }
    }

    private func changed(_ url: WebURL) -> PackageError {
        PackageError(.inputOutput, subject: url.description, message: "the stored response has changed; export again")
    }
}
