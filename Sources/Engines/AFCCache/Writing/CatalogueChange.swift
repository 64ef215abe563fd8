internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import GRDB

/// A change of the catalogue in progress: the database, open for as long as this process alone may change the cache.
///
/// The order of each change is that of docs/cache.md: transaction, published catalogue, number, records, removal of what
/// nobody needs.
struct CatalogueChange: Sendable {
    let layout: CacheLayout
    private let reader: CatalogueReader
    private let database: DatabaseQueue

    /// Opens the database; the caller has the right to change the cache.
    init(_ layout: CacheLayout, reader: CatalogueReader) throws(CacheError) {
        (self.layout, self.reader) = (layout, reader)
        try FolderKind.prepare(layout)
        database = try onDatabase(layout.catalogue) {
            try CacheDatabase.makeWhereMissing(layout.catalogue)
            return try CacheDatabase.openForWriting(layout.catalogue, isDurable: true) { db in
                try CatalogueSchema.check(db, path: layout.catalogue)
            }
        }
    }

    /// Closes the database, which is all that can follow.
    func end() {
        // Where a statement is left, the database closes with its last user.
        try? database.close()
    }

    /// Does what a writer couldn't that was killed: readers see its change, and what it left is removed.
    func finishInterrupted() throws(CacheError) {
        // What readers see must stay until they see the change.
        if try publish() { growCounter() }
        try removeLeftovers()
    }

    // MARK: Transactions

    /// Changes the catalogue in one transaction; when this returns, a power cut doesn't undo it.
    func commit<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        let value = try commitSchema { db in
            try Generation.forgetRemoved(from: layout, in: db)
            let value = try body(db)
            try Generation.forgetUnused(in: db)
            return value
        }
        // From here on the change is made, and readers must see it before anything that they may need is removed.
        try publish()
        growCounter()
        // If the log can't be emptied, another process uses it; the process that closes it last empties it.
        try? database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        reader.forget()
        writeRecords()
        // Files that nobody needs are removed by the next writer, so this is no failure of the change.
        try? removeLeftovers()
        return value
    }

    /// Changes the database in one transaction, and nothing else.
    func commitSchema<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try onDatabase(layout.catalogue) { try database.write(body) }
    }

    /// Reads from one state of the catalogue's database, which is the truth for those who change it.
    func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try onDatabase(layout.catalogue) { try database.read(body) }
    }

    /// Gives the database's free pages back.
    func vacuum() throws(CacheError) {
        try onDatabase(layout.catalogue) {
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                try db.checkpoint(.truncate)
            }
        }
    }

    /// Makes readers see what the database has.
    ///
    /// - Returns: True if they saw something else before.
    @discardableResult
    func publish() throws(CacheError) -> Bool { try read { try PublishedCatalogue.fetch($0) }.publish(layout) }

    /// Makes readers look at the catalogue at once; those that miss the number look within a second, so failing is no failure
    /// of the change.
    private func growCounter() { _ = try? ChangeCounter.grow(path: layout.changes) }

    /// Makes all look at the files again, which have changed though the catalogue hasn't.
    func noteNewFiles() {
        reader.forget()
        growCounter()
    }

    /// Writes down which entries were used, so that what is chosen to leave is what is needed least.
    func flushRecency() { reader.flushRecency() }

    // MARK: Packages

    /// The packages, by name, as the database has them.
    func packages() throws(CacheError) -> [CataloguedPackage] { try read { try CataloguedPackage.fetchAll($0) } }

    /// The package of a name.
    ///
    /// - Throws: ``CacheError`` where there is none.
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

    /// Makes a package's previous generation the current one, and the other way round.
    func rollBack(_ name: String) throws(CacheError) -> InstalledPackage {
        var package = try package(name)
        guard let previous = package.previous else {
            throw CacheError(
                .noPrevious,
                subject: layout.root,
                message:
                    "the cache has no previous generation of '\(name)' to return to; load the package that you want"
            )
        }
        (package.current, package.previous) = (previous, package.current)
        try commit { [package] db in try package.save(to: db) }
        return InstalledPackage(package)
    }

    /// Changes what a user decides of a package, and where it came from.
    func update(_ name: String, _ settings: PackageSettings.Change, source: String?) throws(CacheError)
        -> InstalledPackage
    {
        var package = try package(name)
        package.settings = package.settings.applying(settings)
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

    // MARK: Generations

    /// The number that the next new generation gets.
    func nextGeneration() throws(CacheError) -> Int64 {
        try read { db in
            (try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'generation'") ?? 0) + 1
        }
    }

    /// Renames a generation that is whole and synced from `staging` to `packages`.
    func moveIntoPlace(_ folder: String) throws(CacheError) {
        try onDisk { () throws(FileError) in
            try Durable.rename(layout.staged(folder).root, to: layout.generation(folder).root)
        }
    }

    /// Removes files that afcache's writers left behind and that are no longer needed.
    ///
    /// Only this method removes files that the catalogue doesn't know. In `staging` these are files with names that
    /// only afcache gives (``OwnName``). In `packages` they are generations that were noted for removal before they
    /// were added or removed, unless the catalogue knows them: by a note in `staging` for a new one, by a row of the
    /// catalogue for one that was replaced. Everything else there isn't afcache's, and ``CacheCheck`` reports it.
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

    /// Removes what afcache's writers left behind in `staging`, while no generation can be on its way to `packages`.
    static func removeTransient(_ layout: CacheLayout) throws(CacheError) {
        let staging = try OpenFolder(path: layout.root).folder("staging")
        for name in try staging.names() where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Removes catalogues that were put aside.
    func removeDamagedCatalogues() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        for name in try root.names() where OwnName.isDamaged(name) { try root.remove(name) }
    }

    /// Notes that a new generation is to be removed unless the catalogue knows it; durable once `staging` is synced.
    func note(_ generation: String) throws(CacheError) {
        let path = layout.staging + "/" + OwnName.note(for: generation)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("cannot create", path: path) }
        close(descriptor)
    }

    /// Makes the records of all generations say what the catalogue says.
    ///
    /// They count only once the catalogue is lost, so what can't be written now is written with the next change.
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
