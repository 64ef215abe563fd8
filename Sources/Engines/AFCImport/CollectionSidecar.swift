internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCPackager
internal import AFCText
internal import AFCURL
internal import AFCZip

/// What a WACZ keeps of the package of which it was made: the package's sidecar.
///
/// Records state what responses in an archive can't. They count only for responses with the same status and body.
struct CollectionSidecar {
    let info: PackageInfo
    private let provenance: CrawlProvenance?
    private let match: MatchRules?
    private let fallback: FallbackRules?
    private let absent: AbsentURLs?

    /// Reads the sidecar of a WACZ, whose records go to the store; nil if it has none that can be used.
    ///
    /// - Parameters:
    ///   - zip: The WACZ.
    ///   - store: The store.
    /// - Throws: ``ImportError`` if there is no room.
    init?(in zip: ZipReader, to store: CaptureStore) throws {
        func value(_ name: String, _ limit: Int) -> [UInt8]? {
            zip.member(named: PackageLayout.collectionName(of: name)).flatMap { try? zip.read($0, maxBytes: limit) }
        }
        guard let bytes = value(PackageLayout.info, 1 << 20), let info = try? PackageInfo(bytes),
            let records = zip.member(named: PackageLayout.collectionName(of: PackageLayout.records)),
            records.uncompressedSize <= Int64(PackageLayout.metadataByteLimit)
        else { return nil }
        self.info = info
        provenance = value(PackageLayout.crawl, PackageLayout.crawlByteLimit).flatMap { CrawlProvenance($0) }
        match = value(PackageLayout.match, PackageLayout.matchByteLimit).flatMap { try? MatchRules($0) }
        fallback = value(PackageLayout.fallback, PackageLayout.fallbackByteLimit).flatMap { try? FallbackRules($0) }
        absent = value(PackageLayout.absent, PackageLayout.absentByteLimit).flatMap { try? AbsentURLs($0) }
        do {
            var rest: [UInt8] = []
            try MemberFiles.forEachPiece(of: records, in: zip, PackageLayout.records) { bytes in
                rest += bytes
                guard let end = rest.lastIndex(of: 0x0A) else {
                    guard rest.count <= PackageLayout.lineByteLimit else { throw Unusable() }
                    return
                }
                for line in rest[..<end].split(separator: 0x0A) {
                    try line.withUnsafeBufferPointer { try store.add(stated: try ResourceRecord(line: $0)) }
                }
                rest.removeSubrange(...end)
            }
        } catch is ResourceRecord.Malformation {
            return nil
        } catch is Unusable {
            return nil
        }
    }

    private struct Unusable: Error {}

    /// Returns the description of the package; nil if the archive's responses aren't those of the package.
    func description(of resources: ImportedResources) throws -> Packaging.Description? {
        let counts = try resources.counts()
        guard info.resources == counts.whole, info.redirects == counts.redirects else { return nil }
        var description = Packaging.Description(seeds: info.seeds)
        description.name = info.name
        description.missing = info.missing.flatMap { Int(exactly: $0) }
        description.provenance = provenance
        description.matchRules = match
        let pages = try fallback?.pages.allSatisfy { try resources.contains($0.url) } ?? false
        description.fallback = pages ? fallback : nil
        if let absent, try absent.entries.allSatisfy({ try !resources.contains($0.url) }) {
            description.absent = absent
        }
        return description
    }
}
