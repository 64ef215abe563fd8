internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import GRDB

extension OfflineCache {
    /// Rebuilds the catalogue where it is lost, empty or damaged, and there are generations to rebuild it from.
    ///
    /// A damaged catalogue is put aside, not removed; `gc` removes it.
    ///
    /// - Returns: Whether it was rebuilt.
    /// - Throws: ``CacheError`` where the catalogue can't be read for another reason, or nothing can be written.
    static func rebuildWhereUnusable(_ layout: CacheLayout) throws(CacheError) -> Bool {
        guard try isUnusable(layout) else { return false }
        try FolderKind.prepare(layout)
        let lock = try WriterLock(layout, patience: nil) { _ in }
        // Another process may have done it meanwhile.
        guard try isUnusable(layout) else { return false }
        let salvage = try CatalogueSalvage(layout)
        try putAside(layout)
        do {
            try CacheDatabase.makeWhereMissing(layout.catalogue)
            let database = try CacheDatabase.openForWriting(layout.catalogue, isDurable: true) { db in
                try CatalogueSchema.check(db, path: layout.catalogue)
            }
            try database.write { db in
                try CatalogueSchema.create(in: db)
                try salvage.limits.save(to: db)
                try salvage.save(salvage.packages, to: db)
            }
            try database.read { try PublishedCatalogue.fetch($0) }.publish(layout)
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
        _ = try? ChangeCounter.grow(path: layout.changes)
        lock.release()
        return true
    }

    /// Tells whether the catalogue is lost, has no tables, or is damaged, so that nothing can be done with it.
    private static func isUnusable(_ layout: CacheLayout) throws(CacheError) -> Bool {
        switch try FolderKind.state(layout) {
        case .lost: return true
        case .vacant: return false
        case .cache: break
        }
        do {
            let database = try CacheDatabase.openCatalogue(layout)
            return try database.read { db in
                if try CatalogueSchema.check(db, path: layout.catalogue) == 0 { return true }
                return try String.fetchAll(db, sql: "PRAGMA integrity_check(1)") != ["ok"]
            }
        } catch let error as CacheError {
            guard error.code == .damaged, error.subject == layout.catalogue else { throw error }
            return true
        } catch {
            let error = CacheError(database: error, path: layout.catalogue)
            guard error.code == .damaged else { throw error }
            return true
        }
    }

    private static func putAside(_ layout: CacheLayout) throws(CacheError) {
        let aside = layout.root + "/" + OwnName.damaged()
        // The log first: without its database nothing reads it.
        for suffix in ["-shm", "-wal", ""] {
            guard rename(layout.catalogue + suffix, aside + suffix) != 0, errno != ENOENT else { continue }
            throw .system("cannot rename", path: layout.catalogue + suffix)
        }
    }

    /// Takes generations back that a catalogue has lost sight of, as one does that was replaced by an older copy: those
    /// of packages that it doesn't have, or whose current generation is gone.
    ///
    /// - Returns: What was taken back.
    func takeBackGenerations() throws(CacheError) -> [CacheFinding] {
        let known = try writer.read { db in
            try Generation.knownFolders(in: db).union(Generation.awaitingRemoval(in: db))
        }
        let found = try lostGenerations(besides: known)
        guard !found.isEmpty else { return [] }
        let salvage = try CatalogueSalvage(layout, besides: known)
        try writer.commit { db in
            for package in found.map(\.package) { try CataloguedPackage.delete(name: package.name, from: db) }
            try salvage.save(found, to: db)
        }
        return found.map { found in
            CacheFinding(
                kind: .catalogueDamaged,
                path: layout.generation(found.package.current.folder).root,
                package: found.package.name,
                url: nil,
                message: "this generation was missing from the catalogue"
            )
        }
    }

    /// The generations that the catalogue should have and doesn't.
    func lostGenerations(besides known: Set<String>) throws(CacheError) -> [CatalogueSalvage.Found] {
        let packages = try writer.catalogue()
        return try CatalogueSalvage(layout, besides: known).packages.filter { found in
            guard let known = packages.first(where: { $0.name == found.package.name }) else { return true }
            return (try? layout.generation(known.current.folder).open()) == nil
        }
    }

    /// Removes catalogues that were put aside.
    func removeDamagedCatalogues() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        for name in try root.names() where OwnName.isDamaged(name) { try root.remove(name) }
    }
}
