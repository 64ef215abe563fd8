internal import AFCFiles
import AFCPlatform
internal import GRDB

/// The catalogue's record of a package, kept in the folders of its generations.
///
/// A lost catalogue is rebuilt from these records.
///
/// A record has the format of the published catalogue, with one package.
enum CatalogueExtract {
    /// Returns the record of a package.
    static func bytes(
        _ package: CataloguedPackage,
        _ origins: [CataloguedOrigin],
        limits: CacheLimits
    ) -> [UInt8] {
        PublishedCatalogue(packages: [package], origins: [package.current.id: origins], limits: limits).serialized.bytes
    }

    /// Reads the record of a generation; nil if there is none, or if it can't be read.
    ///
    /// Without a record, the index provides what it can, so a damaged record is treated like a missing one.
    static func read(_ generation: OpenFolder) -> PublishedCatalogue? {
        guard let bytes = contents(generation) else { return nil }
        return try? PublishedCatalogue.parse(bytes, path: generation.path)?.0
    }

    private static func contents(_ generation: OpenFolder) -> [UInt8]? {
        guard let descriptor = try? generation.file(GenerationLayout.recordName) else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size <= PublishedCatalogue.byteLimit else { return nil }
        return PublishedCatalogue.contents(descriptor, Int(status.st_size))
    }

    /// Writes the record of a generation, unless it has the same content already.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the record.
    ///   - generation: The generation's folder.
    ///   - staging: The folder in which the record is written first.
    /// - Throws: ``CacheError`` if it can't be written, or the folder isn't ours.
    static func write(_ bytes: [UInt8], to generation: OpenFolder, by staging: OpenFolder) throws(CacheError) {
        guard contents(generation) != bytes else { return }
        try generation.requireOwn()
        try generation.replace(GenerationLayout.recordName, with: bytes, by: staging, as: OwnName.temporary())
    }
}
