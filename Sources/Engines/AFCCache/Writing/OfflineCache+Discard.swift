internal import AFCFiles
import AFCPlatform
public import AFCText
internal import AFCZip

extension OfflineCache {
    /// Removes the store again where this value made it and nothing was put into it, so that what was refused leaves
    /// nothing.
    ///
    /// Only names that a new store has are removed, and folders only where they are empty. Where another process uses the
    /// store, or something arrived, it stays.
    ///
    /// - Throws: ``CacheError`` where the store can't be looked at, or something can't be removed.
    public func discardIfUnused() async throws(CacheError) {
        guard isNew, access == .readWrite else { return }
        try await OffPool.run { () throws(CacheError) in
            do throws(CacheError) {
                let lock = try WriterLock(self.layout, patience: 0) { _ in }
                try self.discard()
                lock.release()
            } catch {
                // The process that holds the lock uses the store.
                guard error.code == .busy else { throw error }
            }
        }
    }

    private func discard() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        try writer.removeTransient()
        guard try isUnused(root) else { return }
        // The catalogue first: without it, and without packages, the rest is taken for a new store that isn't finished.
        let databases = ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "catalogue.json"]
        for name in databases { try root.removeFile(name) }
        for name in ["0", "1", "2", "3", "probe"] { try root.removeFile("reserve/" + name) }
        for name in ["changes", "writer.lock"] { try root.removeFile(name) }
        // A folder that isn't empty has something in it that isn't ours, and stays.
        for name in ["packages", "staging", "downloads", "reserve"] { unlinkat(root.descriptor, name, AT_REMOVEDIR) }
        if isInNewFolder { rmdir(layout.root) }
    }

    /// Tells whether nothing is in the store.
    private func isUnused(_ root: OpenFolder) throws(CacheError) -> Bool {
        guard root.kind(of: "received.sqlite") == nil, try writer.catalogue().isEmpty else { return false }
        for name in ["packages", "staging", "downloads", "received"] {
            if let names = try root.folderIfThere(name)?.names(), !names.isEmpty { return false }
        }
        return true
    }
}
