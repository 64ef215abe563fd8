internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The files of the catalogue: `catalogue.json`, which is the truth, and `catalogue.copy`, the same bytes, which is
/// read if that one is missing or damaged.
///
/// Readers need no lock, no write permission and no free space. A file is replaced as a whole and never changed.
enum CatalogueFile {
    /// The maximum size of the file in bytes.
    static let byteLimit = 64 << 20

    /// The values that distinguish a file from the one that replaced it.
    struct Mark: Sendable, Equatable {
        private let numbers: [UInt64]
        private let time: FileTime

        fileprivate init(_ status: stat) {
            numbers = [
                UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), UInt64(clamping: status.st_size),
            ]
            time = FileTime(status)
        }

        /// Reads the mark of the current file; nil if there is none.
        init?(_ layout: CacheLayout) {
            var status = stat()
            guard lstat(layout.catalogue, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// A catalogue that was read.
    struct Reading: Sendable {
        var catalogue: Catalogue
        /// The first bytes of the catalogue's digest.
        var stamp: UInt64
        /// The mark of `catalogue.json` if the catalogue was read from there; nil for the copy.
        var mark: Mark?
        /// The error for which the copy was read.
        var damage: CacheError?

        /// Creates a reading that doesn't come from a file.
        init(_ catalogue: Catalogue) { (self.catalogue, stamp) = (catalogue, CatalogueFormat.bytes(catalogue).stamp) }

        fileprivate init(_ catalogue: Catalogue, stamp: UInt64, mark: Mark?) {
            (self.catalogue, self.stamp, self.mark) = (catalogue, stamp, mark)
        }
    }

    /// Reads `catalogue.json` or, if that is missing or damaged, the copy.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - isReplacing: Whether the caller replaces the file, so that a link in its place may be passed over, too.
    /// - Returns: The catalogue, and why it is the copy.
    /// - Throws: ``CacheError`` if neither can be read; it is the one about `catalogue.json`.
    static func current(_ layout: CacheLayout, replacing isReplacing: Bool = false) throws(CacheError) -> Reading {
        let damage: CacheError
        do throws(CacheError) {
            return try read(layout, CacheLayout.catalogueName)
        } catch {
            guard error.code == .damaged || error.number == ENOENT || (isReplacing && error.number == ELOOP) else {
                throw error
            }
            damage = error.number == ENOENT ? CacheError.lostCatalogue(layout) : error
        }
        do throws(CacheError) {
            var reading = try read(layout, CacheLayout.copyName)
            reading.damage = damage
            return reading
        } catch {
            guard error.code == .damaged || error.number == ENOENT || error.number == ELOOP else { throw error }
            throw damage
        }
    }

    /// Returns the current catalogue, or nil if the folder was removed or emptied, so that there is no cache any more.
    ///
    /// - Throws: ``CacheError`` if there is one, or other things are in the folder, and it can't be read.
    static func currentIfThere(_ layout: CacheLayout) throws(CacheError) -> Reading? {
        do throws(CacheError) {
            return try current(layout)
        } catch {
            guard FolderKind.isGone(layout) else { throw error }
            return nil
        }
    }

    /// Reads one of the files.
    ///
    /// - Throws: ``CacheError``, with the number `ENOENT` if it is missing.
    static func read(_ layout: CacheLayout, _ name: String) throws(CacheError) -> Reading {
        let path = layout.root + "/" + name
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("cannot open the catalogue", path: path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CacheError(.damaged, subject: path, message: "this must be a regular file; remove it")
        }
        guard status.st_size <= byteLimit else { throw damaged(path) }
        guard let bytes = contents(descriptor, Int(status.st_size)) else { throw .system("cannot read", path: path) }
        guard let (catalogue, stamp) = try CatalogueFormat.parse(bytes, path: path, in: layout) else {
            throw damaged(path)
        }
        return Reading(catalogue, stamp: stamp, mark: name == CacheLayout.catalogueName ? Mark(status) : nil)
    }

    /// Returns the digest and the version that a file states in its first bytes; nil if it isn't a catalogue, or can't
    /// be read.
    static func head(_ root: OpenFolder, _ name: String) -> CatalogueFormat.Head? {
        guard let descriptor = (try? root.file(name)) ?? nil else { return nil }
        defer { close(descriptor) }
        return contents(descriptor, CatalogueFormat.Head.size).flatMap { CatalogueFormat.Head($0) }
    }

    /// Returns the first bytes of a file; nil if they can't be read.
    static func contents(_ descriptor: Int32, _ size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        guard let count = bytes.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0, at: 0) }) else {
            return nil
        }
        return count == size ? bytes : Array(bytes[..<count])
    }

    private static func damaged(_ path: String) -> CacheError {
        CacheError(.damaged, subject: path, message: "the catalogue is damaged", remedy: .repairCache(nil))
    }
}

/// The record of a generation: what the catalogue says about its package, in the generation's folder.
///
/// A catalogue that is lost with its copy is rebuilt from the records. A record has the format of the catalogue, with
/// one package.
enum CatalogueRecord {
    /// Returns what the record in a generation's folder says of its package: of the current and the previous generation
    /// both of them, of an earlier one that alone.
    ///
    /// Each record has a constant size, and a change of the package writes a constant number of them.
    static func package(_ package: CataloguedPackage, for generation: Generation) -> CataloguedPackage {
        var row = package
        row.older = Array(package.older.prefix(1))
        guard !row.generations.contains(where: { $0.folder == generation.folder }) else { return row }
        (row.current, row.older) = (generation, [])
        return row
    }

    /// Returns the bytes of a package's record.
    static func bytes(_ package: CataloguedPackage, in catalogue: Catalogue) -> [UInt8] {
        var record = Catalogue(packages: [package], limits: catalogue.limits)
        (record.change, record.next) = (catalogue.change, catalogue.next)
        return CatalogueFormat.bytes(record).bytes
    }

    /// Returns the bytes of the record in a generation's folder; nil if there is none, or if it can't be read.
    static func contents(_ generation: OpenFolder) -> [UInt8]? {
        guard let descriptor = (try? generation.file(GenerationLayout.recordName)) ?? nil else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size <= CatalogueFile.byteLimit else { return nil }
        return CatalogueFile.contents(descriptor, Int(status.st_size))
    }

    /// Returns true if the record in a generation's folder says the same about a package and, unless they are nil, about
    /// the limits.
    static func isCurrent(_ generation: OpenFolder, _ package: CataloguedPackage, _ limits: CacheLimits?) -> Bool {
        guard let found = contents(generation).flatMap({ CatalogueFormat.parse($0) }) else { return false }
        return found.packages == [package] && limits.map { $0 == found.limits } ?? true
    }

    /// Writes the record of a generation.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the record.
    ///   - generation: The generation's folder.
    ///   - staging: The folder in which the record is written first.
    /// - Throws: ``CacheError`` if it can't be written, or the folder isn't ours.
    static func write(_ bytes: [UInt8], to generation: OpenFolder, by staging: OpenFolder) throws(CacheError) {
        try generation.requireOwn()
        try generation.replace(GenerationLayout.recordName, with: bytes, by: staging, as: OwnName.temporary())
    }
}
