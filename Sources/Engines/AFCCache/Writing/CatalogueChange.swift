internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import GRDB

/// A change of the catalogue in progress, with its database open while only this process may change the cache.
///
/// Each change follows the order in docs/cache.md: transaction, published catalogue, change counter, records, removal
/// of unneeded files.
struct CatalogueChange: Sendable {
    let layout: CacheLayout
    private let reader: CatalogueReader
    private let database: DatabaseQueue

    /// Opens the database.
    ///
    /// The caller has the right to change the cache.
    init(_ layout: CacheLayout, reader: CatalogueReader) throws(CacheError) {
        (self.layout, self.reader) = (layout, reader)
        try FolderKind.prepare(layout)
        database = try onDatabase(layout.catalogue) {
            try CacheDatabase.makeWhereMissing(layout.catalogue, drafts: layout.staging)
            return try CacheDatabase.openForWriting(layout.catalogue, isDurable: true) { db in
                try CatalogueSchema.check(db, path: layout.catalogue)
            }
        }
    }

    /// Closes the database and ends the change.
    func end() {
        // If a statement is still open, its end closes the database.
        try? database.close()
    }

    /// Completes the change of a killed writer: publishes it, and removes leftovers.
    func finishInterrupted() throws(CacheError) {
        // Files that readers see must be kept until they see the change.
        if try publish() { growCounter() }
        try removeLeftovers()
    }

    // MARK: Transactions

    /// Changes the catalogue in one transaction.
    ///
    /// When this returns, the change survives a power failure.
    func commit<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        let value = try commitSchema { db in
            try Generation.forgetRemoved(from: layout, in: db)
            let value = try body(db)
            try Generation.forgetUnused(in: db)
            return value
        }
        // The change is committed. Publish it before removing anything that readers of the old state may need.
        try publish()
        growCounter()
        // If the log can't be emptied, another process is using it; the process that closes it last empties it.
        try? database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        reader.forget()
        writeRecords()
        // The next writer removes files that are no longer needed, so an error here doesn't fail the change.
        try? removeLeftovers()
        return value
    }

    /// Changes the database in one transaction, without publishing.
    func commitSchema<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try onDatabase(layout.catalogue) { try database.write(body) }
    }

    /// Reads one state of the catalogue's database, which is authoritative for writers.
    func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try onDatabase(layout.catalogue) { try database.read(body) }
    }

    /// Shrinks the database by its free pages, as far as the disk has room for that.
    func shrink() throws(CacheError) { try FreedPages.release(from: database, path: layout.catalogue) }

    /// Publishes the content of the database to readers.
    ///
    /// - Returns: True if the published catalogue was different.
    @discardableResult
    func publish() throws(CacheError) -> Bool { try read { try PublishedCatalogue.fetch($0) }.publish(layout) }

    /// Makes readers examine the catalogue at once.
    ///
    /// Readers that miss the number do so within a second, so an error here doesn't fail the change.
    private func growCounter() { _ = try? ChangeCounter.grow(path: layout.changes) }

    /// Makes all readers reopen the files, which have changed although the catalogue hasn't.
    func noteNewFiles() {
        reader.forget()
        growCounter()
    }

    /// Writes uses of entries to disk, so that eviction selects the least recently used ones.
    func flushRecency() { reader.flushRecency() }

    // MARK: Packages

    /// Returns the packages in the database, by name.
    func packages() throws(CacheError) -> [CataloguedPackage] { try read { try CataloguedPackage.fetchAll($0) } }

    /// Returns the package with a name.
    ///
    /// - Throws: ``CacheError`` if there is none.
    func package(_ name: String) throws(CacheError) -> CataloguedPackage {
        let packages = try packages()
        if let package = packages.first(where: { $0.name == name }) { return package }
        let others =
            packages.isEmpty ? "it holds none" : "it holds \(packages.map { "'\($0.name)'" }.joined(separator: ", "))"
        throw CacheError(.noPackage, subject: layout.root, message: "the cache has no package '\(name)'; \(others)")
    }

    /// Removes a package.
    func remove(_ name: String) throws(CacheError) -> InstalledPackage {
        let package = try package(name)
        try commit { db in try CataloguedPackage.delete(name: name, from: db) }
        return InstalledPackage(package)
    }

    /// Swaps a package's current and previous generation.
    func rollBack(_ name: String) throws(CacheError) -> InstalledPackage {
        var package = try package(name)
        guard let previous = package.previous else {
            throw CacheError(
                .noPrevious,
                subject: layout.root,
                message:
                    "the cache has no previous generation of '\(name)' to return to; load the package you want"
            )
        }
        (package.current, package.previous) = (previous, package.current)
        try commit { [package] db in try package.save(to: db) }
        return InstalledPackage(package)
    }

    /// Changes the settings and the source of a package.
    func update(_ name: String, _ settings: PackageSettings.Change, source: String?) throws(CacheError)
        -> InstalledPackage
    {
        var package = try package(name)
        package.settings = package.settings.applying(settings)
        try Self.requireRoom(for: package.settings.userData, of: name)
        package.current.source = source ?? package.current.source
        try commit { [package] db in
            try package.save(to: db)
            try db.execute(
                sql: "UPDATE generation SET source = ? WHERE id = ?",
                arguments: [package.current.source, package.current.id]
            )
        }
        return InstalledPackage(package)
    }

    /// Checks that the user data of a package isn't too much to be read with the catalogue each time.
    private static func requireRoom(for userData: [String: String], of name: String) throws(CacheError) {
        let limit = PackageSettings.userDataLimit
        guard userData.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > limit else { return }
        throw CacheError(
            .full,
            subject: name,
            message: "the user data of a package may have \(limit) bytes; keep larger data elsewhere"
        )
    }

    // MARK: Generations

    /// Returns the number of the next new generation.
    func nextGeneration() throws(CacheError) -> Int64 {
        try read { db in
            (try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'generation'") ?? 0) + 1
        }
    }

    /// Renames a complete and synced generation from `staging` to `packages`.
    func moveIntoPlace(_ folder: String) throws(CacheError) {
        try onDisk { () throws(FileError) in
            try Durable.rename(layout.staged(folder).root, to: layout.generation(folder).root)
        }
    }

    /// Removes unneeded files that afcache's writers left behind.
    ///
    /// Only this method removes files that the catalogue doesn't have. In `staging`, these are files with names that
    /// only afcache gives (``OwnName``). In `packages`, they are generations that were recorded for removal before they
    /// were added or removed, unless the catalogue has them. The record is a note in `staging` for a new generation,
    /// and a row in the catalogue for a replaced one. All other files there aren't afcache's, and ``CacheCheck``
    /// reports them.
    func removeLeftovers() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        let (packages, staging) = (try root.folder("packages"), try root.folder("staging"))
        let names = try staging.names()
        let (known, leaving) = try read { db in
            (try Generation.knownFolders(in: db), try Generation.awaitingRemoval(in: db))
        }
        for name in leaving.union(names.compactMap(OwnName.generation(notedBy:))) where !known.contains(name) {
            try packages.remove(name)
        }
        for name in names where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Removes what afcache's writers left in `staging`, at a time when no generation is being moved to `packages`.
    static func removeTransient(_ layout: CacheLayout) throws(CacheError) {
        let staging = try OpenFolder(path: layout.root).folder("staging")
        for name in try staging.names() where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Removes damaged catalogues that were put aside.
    func removeDamagedCatalogues() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        for name in try root.names() where OwnName.isDamaged(name) { try root.remove(name) }
    }

    /// Writes a note to remove a new generation unless the catalogue has it; durable once `staging` is synced.
    func note(_ generation: String) throws(CacheError) {
        let path = layout.staging + "/" + OwnName.note(for: generation)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("cannot create", path: path) }
        close(descriptor)
    }

    /// Updates the records of all generations from the catalogue.
    ///
    /// They are used only if the catalogue is lost, so records that can't be written now are written with the next
    /// change.
    func writeRecords() {
        guard let catalogue = try? read({ try PublishedCatalogue.fetch($0) }),
            let root = try? OpenFolder(path: layout.root), let staging = try? root.folder("staging"),
            let packages = try? root.folder("packages")
        else { return }
        for package in catalogue.packages {
            let origins = catalogue.origins[package.current.id] ?? []
            let bytes = CatalogueExtract.bytes(package, origins, limits: catalogue.limits)
            for generation in package.generations {
                guard let folder = try? packages.folder(generation.folder) else { continue }
                try? CatalogueExtract.write(bytes, to: folder, by: staging)
            }
        }
    }
}
