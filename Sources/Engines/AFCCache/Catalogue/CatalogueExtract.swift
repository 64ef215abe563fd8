internal import AFCFiles
import AFCPlatform
internal import GRDB

/// What the catalogue says of a package, kept in the folders of its generations: a catalogue that is lost is rebuilt from it.
///
/// It has the form of the published catalogue, with one package.
enum CatalogueExtract {
    /// What is written for a package.
    static func bytes(
        _ package: CataloguedPackage,
        _ origins: [CataloguedOrigin],
        limits: CacheLimits
    ) -> [UInt8] {
        PublishedCatalogue(packages: [package], origins: [package.current.id: origins], limits: limits).serialized.bytes
    }

    /// Reads the record of a generation; nil where there is none, or one that can't be read.
    ///
    /// Without it the index tells what it can, so a record that is damaged is as good as none.
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

    /// Writes a record into a generation that is being made, or replaces the one that is there, unless it says the same.
    ///
    /// - Parameters:
    ///   - bytes: The record.
    ///   - generation: The generation's folder.
    ///   - staging: Where it is written first.
    /// - Throws: ``CacheError`` where it can't be written, or the folder isn't ours.
    static func write(_ bytes: [UInt8], to generation: OpenFolder, by staging: OpenFolder) throws(CacheError) {
        guard contents(generation) != bytes else { return }
        try generation.requireOwn()
        try generation.replace(GenerationLayout.recordName, with: bytes, by: staging, as: OwnName.temporary())
    }
}
