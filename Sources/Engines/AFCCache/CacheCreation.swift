internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The creation of a cache, which can be undone if nothing was put into it.
struct CacheCreation: Sendable {
    /// True if there was no cache.
    let isNew: Bool
    private let layout: CacheLayout
    private let isInNewFolder: Bool

    /// Examines a folder without creating anything.
    ///
    /// - Throws: ``CacheError`` if it contains no cache that can be used with this access.
    init(_ layout: CacheLayout, _ access: DiskCache.Access, isFolderMissing: Bool) throws(CacheError) {
        self.layout = layout
        let found = try FolderKind.of(layout)
        switch found {
        case .cache:
            if let head = CatalogueFile.head(try OpenFolder(path: layout.root), CacheLayout.catalogueName) {
                try CatalogueFormat.require(head.version, path: layout.catalogue, in: layout)
            }
        case .older: if access != .repairing { throw CacheError.olderCache(layout) }
        case .lost: if access != .repairing { throw CacheError.lostCatalogue(layout) }
        case .vacant: if access != .readWrite { throw CacheError.noCache(layout) }
        }
        isNew = found == .vacant
        isInNewFolder = isNew && isFolderMissing
    }

    /// Returns true if there is no cache, or one that another process is creating at the moment.
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
        // A generation that may have been committed is noted in 'staging'. The next writer looks up whether it was, and
        // needs the note for that.
        if let names = try root.folderIfThere("packages")?.names(), !names.isEmpty { return }
        try CatalogueChange.removeTransient(layout)
        guard try isUnused(root) else { return }
        // The catalogue first: without it, and without packages, the rest looks like an unfinished new cache. Its copy
        // goes before it, since a copy alone looks like a lost catalogue.
        for name in [CacheLayout.copyName, CacheLayout.catalogueName] { try root.removeFile(name) }
        for name in ["0", "1", "2", "3", "probe"] { try root.removeFile("reserve/" + name) }
        for name in ["changes", "writer.lock"] { try root.removeFile(name) }
        // A folder that isn't empty contains something that isn't ours, and is kept.
        for name in ["packages", "staging", "downloads", "channels", "reserve", CacheLayout.evictedName] {
            unlinkat(root.descriptor, name, AT_REMOVEDIR)
        }
        if isInNewFolder { rmdir(layout.root) }
    }

    private func isUnused(_ root: OpenFolder) throws(CacheError) -> Bool {
        guard root.kind(of: "received.sqlite") == nil else { return false }
        guard try CatalogueFile.current(layout).catalogue.packages.isEmpty else { return false }
        for name in ["packages", "staging", "downloads", "received", "channels"] {
            if let names = try root.folderIfThere(name)?.names(), !names.isEmpty { return false }
        }
        return true
    }
}
