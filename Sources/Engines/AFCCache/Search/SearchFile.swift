internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The file in a generation's folder that contains its search index.
///
/// It can be made again from the bodies at any time, so nothing depends on it, and it is removed with the generation.
enum SearchFile {
    /// Copies a finished index into a generation's folder.
    ///
    /// The caller has the right to change the cache.
    ///
    /// - Throws: ``CacheError`` if that fails; an earlier index is then unchanged, and the draft is removed by the next
    ///   writer.
    static func store(_ path: String, for generation: String, in layout: CacheLayout) throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        let (staging, packages) = (try root.folder("staging"), try root.folder("packages"))
        let folder = try packages.folder(generation)
        try folder.requireOwn()
        let draft = OwnName.temporary()
        do throws(CacheError) {
            try copy(path, to: draft, in: staging)
            guard
                renameat(staging.descriptor, draft, folder.descriptor, GenerationLayout.searchName) == 0,
                Descriptor.sync(folder.descriptor)
            else { throw .system("cannot write", path: folder.path + "/" + GenerationLayout.searchName) }
        } catch {
            try? staging.remove(draft)
            throw error
        }
    }

    /// Removes the index of a generation, if it has one and that is possible.
    static func remove(from generation: String, in layout: CacheLayout) {
        let folder = try? OpenFolder(path: layout.root).folder("packages").folder(generation)
        try? folder?.removeFile(GenerationLayout.searchName)
    }

    private static func copy(_ path: String, to draft: String, in staging: OpenFolder) throws(CacheError) {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { throw .system("cannot open", path: path) }
        defer { close(source) }
        let target = staging.path + "/" + draft
        guard let descriptor = try staging.file(draft, O_WRONLY | O_CREAT | O_EXCL) else {
            throw .system("cannot create", path: target, number: ENOENT)
        }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        var room = DiskRoom()
        var offset: Int64 = 0
        while true {
            guard let count = Descriptor.read(source, into: buffer, at: offset) else {
                throw .system("cannot read", path: path)
            }
            guard count > 0 else { break }
            guard room.admits(count, to: descriptor) else { throw .diskFull(path: target) }
            guard Descriptor.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor) else {
                throw .system("cannot write", path: target)
            }
            offset += Int64(count)
        }
        // Whoever may read the packages may search them.
        guard fchmod(descriptor, 0o644) == 0, Descriptor.sync(descriptor) else {
            throw .system("cannot write", path: target)
        }
    }
}
