internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The making of a cache where there is none, which is undone where nothing comes into it.
struct CacheCreation: Sendable {
    /// Indicates whether there was no cache.
    let isNew: Bool
    private let layout: CacheLayout
    private let isInNewFolder: Bool

    /// Looks at a folder, where nothing is made yet.
    ///
    /// - Throws: ``CacheError`` where it holds no cache that can be used so.
    init(_ layout: CacheLayout, _ access: OfflineCache.Access, isFolderMissing: Bool) throws(CacheError) {
        self.layout = layout
        let found = try FolderKind.of(layout)
        switch found {
        case .cache: try CatalogueSchema.checkHeader(layout.catalogue)
        case .lost:
            // Readers have what was published.
            let isEnough = access == .readOnly && PublishedCatalogue.Mark(layout) != nil
            if access != .repairing, !isEnough { throw CacheError.lostCatalogue(layout) }
        case .vacant: if access != .readWrite { throw CacheError.noCache(layout) }
        }
        isNew = found == .vacant
        isInNewFolder = isNew && isFolderMissing
    }

    /// Tells whether there is no cache, or one that another process is making just now.
    static func mayBeUnderway(_ layout: CacheLayout) throws(CacheError) -> Bool {
        do throws(CacheError) {
            return try FolderKind.of(layout) != .cache
        } catch {
            guard error.code == .noCache else { throw error }
            return true
        }
    }

    /// Removes a new cache that is empty.
    func undo() throws(CacheError) {
        guard isNew else { return }
        do throws(CacheError) {
            let lock = try WriterLock(layout, patience: 0) { _ in }
            try discard()
            lock.release()
        } catch {
            // The process that holds the lock uses the cache.
            guard error.code == .busy else { throw error }
        }
    }

    private func discard() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        try CatalogueChange.removeTransient(layout)
        guard try isUnused(root) else { return }
        // The catalogue first: without it, and without packages, the rest is taken for a new cache that isn't finished.
        let databases = ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "catalogue.json"]
        for name in databases { try root.removeFile(name) }
        for name in ["0", "1", "2", "3", "probe"] { try root.removeFile("reserve/" + name) }
        for name in ["changes", "writer.lock"] { try root.removeFile(name) }
        // A folder that isn't empty has something in it that isn't ours, and stays.
        for name in ["packages", "staging", "downloads", "reserve"] { unlinkat(root.descriptor, name, AT_REMOVEDIR) }
        if isInNewFolder { rmdir(layout.root) }
    }

    private func isUnused(_ root: OpenFolder) throws(CacheError) -> Bool {
        guard root.kind(of: "received.sqlite") == nil else { return false }
        guard try CacheDatabase.read(layout, { try CataloguedPackage.fetchAll($0) }).isEmpty else { return false }
        for name in ["packages", "staging", "downloads", "received"] {
            if let names = try root.folderIfThere(name)?.names(), !names.isEmpty { return false }
        }
        return true
    }
}
