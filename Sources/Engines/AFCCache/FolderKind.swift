internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The kind of a folder, determined before anything in it is opened or created.
enum FolderKind {
    /// An empty folder, or one with the remains of a killed creation.
    case vacant
    /// A cache with its catalogue, or what is left of it.
    case cache
    /// A cache of an earlier version.
    case older
    /// Generations without a catalogue.
    case lost

    /// Examines a folder without changing anything.
    ///
    /// - Returns: The kind of the folder.
    /// - Throws: ``CacheError`` if it can't be accessed, or contains other things and no cache.
    static func of(_ layout: CacheLayout) throws(CacheError) -> FolderKind {
        var status = stat()
        guard stat(layout.root, &status) == 0 else {
            guard errno == ENOENT else { throw .system("cannot access the folder", path: layout.root) }
            return .vacant
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CacheError(.inputOutput, subject: layout.root, message: "this is not a folder")
        }
        let root = try OpenFolder(path: layout.root)
        if let kind = try kindOfCatalogue(root) { return kind }
        if try !generations(in: root).isEmpty { return .lost }
        if let stranger = try firstStranger(in: root) {
            throw CacheError(
                .noCache,
                subject: layout.root,
                message: "the folder is not a cache and contains '\(stranger)'; use a cache, or a new or empty folder"
            )
        }
        return .vacant
    }

    /// Returns true if a folder that was a cache isn't one any more: it was removed, emptied, or filled with other things.
    static func isGone(_ layout: CacheLayout) -> Bool {
        do throws(CacheError) {
            return try of(layout) == .vacant
        } catch {
            return error.code == .noCache
        }
    }

    /// Creates missing folders of a cache, and refuses folders through which another user could redirect writes.
    ///
    /// As with ssh's files, only the user of this process or root may own them, and nobody else may have write
    /// permission.
    static func prepare(_ layout: CacheLayout) throws(CacheError) {
        try Folders.make(layout.root)
        let root = try OpenFolder(path: layout.root)
        try root.requireOwn()
        for name in ["packages", "staging"] {
            try root.make(name)
            try root.folder(name).requireOwn()
        }
        for name in ["downloads", "received", "channels", CacheLayout.evictedName] {
            try root.folderIfThere(name)?.requireOwn()
        }
    }

    /// Returns the generations in a cache's folder, whether or not the catalogue has them.
    static func generations(in root: OpenFolder) throws(CacheError) -> [String] {
        guard root.kind(of: "packages") == .folder else { return [] }
        let packages = try root.folder("packages")
        var generations: [String] = []
        for name in try packages.names() where OwnName.mayBeGeneration(name) && packages.kind(of: name) == .folder {
            if try packages.folder(name).kind(of: "index") == .file { generations.append(name) }
        }
        return generations
    }

    /// Returns the kind of cache that a folder's catalogue shows; nil if there is no catalogue.
    private static func kindOfCatalogue(_ root: OpenFolder) throws(CacheError) -> FolderKind? {
        let names = [CacheLayout.catalogueName, CacheLayout.copyName]
        let versions = names.compactMap { CatalogueFile.head(root, $0)?.version }
        if versions.contains(where: { $0 >= CatalogueFormat.version }) { return .cache }
        if !versions.isEmpty || OlderCache.isThere(root) { return .older }
        // Damaged files are a cache's if it has its other parts as well, and otherwise another program's.
        guard root.kind(of: "packages") == .folder, root.kind(of: "writer.lock") == .file else { return nil }
        for name in names { if let status = try root.status(of: name), status.st_size > 0 { return .cache } }
        return nil
    }

    /// Returns the name of a file that afcache didn't create, or nil; a new file system's `lost+found` is ignored.
    private static func firstStranger(in root: OpenFolder) throws(CacheError) -> String? {
        for name in try root.names() where name != "lost+found" {
            guard OwnName.isInRoot(name) else { return name }
            // A killed creation leaves empty lock files, a counter with one number, and no catalogue.
            var status = stat()
            let isCatalogue = name == CacheLayout.catalogueName || name == CacheLayout.copyName
            if isCatalogue || name.hasSuffix(".lock") || name.hasSuffix("changes"),
                fstatat(root.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_size > (isCatalogue ? 0 : 64)
            {
                return name
            }
            guard ["packages", "staging", "downloads", "received", "channels"].contains(name) else { continue }
            guard root.kind(of: name) == .folder else { return name }
            guard name == "packages" || name == "staging" else { continue }
            let inside = try root.folder(name).names().first { name == "packages" || !OwnName.isTransient($0) }
            if let inside { return name + "/" + inside }
        }
        return nil
    }
}
