internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import Crypto

/// The numbers of a generation's evicted entries: bit `n % 8` of byte `n / 8` is set if entry `n` was evicted.
///
/// It is a file below `evicted` that never changes: another set of entries is another file, whose name the catalogue
/// has. Half a megabyte is enough for the four million entries that a package may have.
struct EvictionBitmap: Sendable, Equatable {
    private var bytes: [UInt8]
    private(set) var count = 0

    /// Creates an empty set.
    ///
    /// - Parameter entries: The number of entries of the generation.
    init(entries: Int) { bytes = [UInt8](repeating: 0, count: Self.size(entries)) }

    private static func size(_ entries: Int) -> Int { (entries + 7) / 8 }

    /// Returns true if an entry was evicted.
    func contains(_ number: UInt32) -> Bool {
        let place = Int(number / 8)
        return place < bytes.count && bytes[place] & 1 << (number % 8) != 0
    }

    /// Adds an entry; a number that no entry has is ignored.
    mutating func insert(_ number: UInt32) {
        let place = Int(number / 8)
        guard place < bytes.count, !contains(number) else { return }
        bytes[place] |= 1 << (number % 8)
        count += 1
    }

    // MARK: The file

    /// Reads the evicted entries of a generation; none if nothing was evicted.
    ///
    /// If their file is missing or damaged, entries without a body count as evicted.
    ///
    /// - Throws: ``CacheError`` if they can't be read.
    static func of(_ generation: Generation, in layout: CacheLayout) throws(CacheError) -> EvictionBitmap {
        guard let evicted = generation.evicted else { return EvictionBitmap(entries: 0) }
        if let found = try read(evicted, entries: generation.resources, in: layout) { return found }
        return try withoutBody(in: layout.generation(generation.folder)).bitmap
    }

    /// Reads a file.
    ///
    /// - Returns: The entries; nil if the file is missing, or isn't the one that the catalogue describes.
    /// - Throws: ``CacheError`` if it can't be read.
    static func read(_ evicted: EvictedEntries, entries: Int, in layout: CacheLayout) throws(CacheError)
        -> EvictionBitmap?
    {
        let opened: Int32?
        do throws(CacheError) {
            opened = try OpenFolder(path: layout.root).folderIfThere(CacheLayout.evictedName)?.file(evicted.file)
        } catch {
            // A link, or something of another kind, isn't ours.
            guard error.number == nil || error.number == ELOOP || error.number == ENOTDIR else { throw error }
            return nil
        }
        guard let descriptor = opened else { return nil }
        defer { close(descriptor) }
        var status = stat()
        let size = size(entries)
        guard fstat(descriptor, &status) == 0, Int(status.st_size) == size else { return nil }
        var found = EvictionBitmap(entries: entries)
        guard found.bytes.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0, at: 0) }) == size else {
            throw .system("cannot read", path: layout.evicted(evicted.file))
        }
        guard Hexadecimal.text(Array(SHA256.hash(data: found.bytes))) == evicted.digest else { return nil }
        found.count = evicted.count
        return found
    }

    /// Returns the entries whose bodies are missing, which is all that remains to be known if their file is lost.
    ///
    /// - Parameter files: The generation.
    /// - Returns: The entries, and the size of their bodies in bytes.
    /// - Throws: ``CacheError`` if the index can't be read, or a body can't be looked for.
    static func withoutBody(in files: GenerationLayout) throws(CacheError) -> (bitmap: EvictionBitmap, bytes: Int64) {
        let index = try GenerationIndex(files)
        let bodies = try files.openFilesIfThere()
        var (found, bytes) = (EvictionBitmap(entries: index.count), Int64(0))
        try index.forEach { resource throws(CacheError) in
            if let member = resource.member, try bodies?.status(of: member) == nil {
                found.insert(resource.number)
                bytes += resource.size
            }
            return true
        }
        return (found, bytes)
    }

    /// Writes the entries to a new file, durably.
    ///
    /// - Parameters:
    ///   - sum: The size of their bodies in bytes.
    ///   - layout: The cache.
    /// - Returns: The description for the catalogue; nil for no entries.
    /// - Throws: ``CacheError`` if it can't be written; the next writer then removes what is left.
    func write(bytes sum: Int64, to layout: CacheLayout) throws(CacheError) -> EvictedEntries? {
        guard count > 0 else { return nil }
        let name = OwnName.bitmap()
        let root = try OpenFolder(path: layout.root)
        try root.make(CacheLayout.evictedName)
        let folder = try root.folder(CacheLayout.evictedName)
        try folder.requireOwn()
        try folder.replace(name, with: bytes, by: try root.folder("staging"), as: OwnName.temporary())
        try Folders.syncNames(folder.path)
        let digest = Hexadecimal.text(Array(SHA256.hash(data: bytes)))
        return EvictedEntries(file: name, digest: digest, count: count, bytes: sum)
    }
}
