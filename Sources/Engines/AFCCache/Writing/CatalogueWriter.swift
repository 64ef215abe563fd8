internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import AFCZip
internal import GRDB
internal import Synchronization

/// How long a writer waits for another, and whom it tells.
public struct WriterPatience: Sendable {
    /// How many seconds to wait; nil for as long as it takes.
    public var seconds: Int?
    /// Called once where another process holds the store, with words that name it.
    public var onWait: @Sendable (String) -> Void

    /// Creates a rule for waiting.
    public init(seconds: Int? = nil, onWait: @escaping @Sendable (String) -> Void = { _ in }) {
        self.seconds = seconds
        self.onWait = onWait
    }
}

/// The one way to change the catalogue: alone, in transactions, published to readers before anything is removed.
///
/// The database is open only while this process has the right to change it. The order of each change is that of
/// docs/store.md: transaction, published catalogue, number, records, removal of what nobody needs.
final class CatalogueWriter: Sendable {
    let layout: CacheLayout
    private let access: OfflineCache.Access
    private let reader: CatalogueReader
    private let database = Mutex<DatabaseQueue?>(nil)

    /// Creates the writer; nothing is opened before the first change.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - access: What this process may do with it.
    ///   - reader: Who sees a change at once.
    init(_ layout: CacheLayout, access: OfflineCache.Access, reader: CatalogueReader) {
        (self.layout, self.access, self.reader) = (layout, access, reader)
    }

    // MARK: Changes

    /// Does something that changes the store, alone, after what killed writers left is removed.
    ///
    /// - Parameters:
    ///   - patience: How long to wait for another writer.
    ///   - isFreeing: Whether it makes room, so that it may use the disk's last bytes.
    ///   - body: What is done.
    /// - Returns: What the closure returns.
    /// - Throws: ``CacheError`` where the store can't be changed, and what the closure throws.
    func changing<Value: Sendable>(
        _ patience: WriterPatience,
        isFreeing: Bool = false,
        _ body: @escaping @Sendable () throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        try await OffPool.run { () throws(CacheError) in
            guard self.access != .readOnly else {
                throw CacheError(
                    .inputOutput,
                    subject: self.layout.root,
                    message: "the store was opened for reading only"
                )
            }
            let lock = try WriterLock(self.layout, patience: patience.seconds, onWait: patience.onWait)
            if isFreeing { DiskReserve.releaseWhereScarce(self.layout) }
            let value = try self.withDatabase(body)
            DiskReserve.make(self.layout)
            lock.release()
            return value
        }
    }

    private func withDatabase<Value>(_ body: () throws(CacheError) -> Value) throws(CacheError) -> Value {
        // An empty database would be made in the place of one that was lost.
        guard try FolderKind.state(layout) == .cache else { throw CacheError.lostCatalogue(layout) }
        try openDatabase()
        defer { closeDatabase() }
        // A writer may have been killed before readers could see its change: what they see must stay until they do.
        if try publish() { growCounter() }
        try removeLeftovers()
        return try body()
    }

    /// Changes the catalogue in one transaction; when this returns, a power cut doesn't undo it.
    func commit<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        let value: Value
        do {
            value = try openedDatabase().write { db in
                try Generation.forgetRemoved(from: layout, in: db)
                let value = try body(db)
                try Generation.forgetUnused(in: db)
                return value
            }
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
        // From here on the change is made, and readers must see it before anything that they may need is removed.
        try publish()
        growCounter()
        // If the log can't be emptied, another process uses it; the process that closes it last empties it.
        try? openedDatabase().writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        reader.forget()
        writeRecords()
        // Files that nobody needs are removed by the next writer, so this is no failure of the change.
        try? removeLeftovers()
        return value
    }

    /// Makes readers see what the database has.
    ///
    /// - Returns: Whether they saw something else before.
    @discardableResult
    func publish() throws(CacheError) -> Bool { try read { try PublishedCatalogue.fetch($0) }.publish(layout) }

    /// Makes readers look at the catalogue at once; those that miss the number look within a second, so failing is no failure
    /// of the change.
    private func growCounter() { _ = try? ChangeCounter.grow(path: layout.changes) }

    /// The packages, by name, as the database has them.
    func catalogue() throws(CacheError) -> [CataloguedPackage] { try read { try CataloguedPackage.fetchAll($0) } }

    /// The package of a name.
    ///
    /// - Throws: ``CacheError`` where there is none.
    func catalogued(_ name: String) throws(CacheError) -> CataloguedPackage {
        let packages = try catalogue()
        if let package = packages.first(where: { $0.name == name }) { return package }
        let others =
            packages.isEmpty ? "it holds none" : "it holds \(packages.map { "'\($0.name)'" }.joined(separator: ", "))"
        throw CacheError(.noPackage, subject: layout.root, message: "the store has no package '\(name)'; \(others)")
    }

    // MARK: The database

    private static func openForWriting(_ layout: CacheLayout) throws -> DatabaseQueue {
        try FolderKind.prepare(layout)
        try CacheDatabase.makeWhereMissing(layout.catalogue)
        return try CacheDatabase.openForWriting(layout.catalogue, isDurable: true) { db in
            try CatalogueSchema.check(db, path: layout.catalogue)
        }
    }

    /// Opens the catalogue's database for the change that this process has the right to make.
    func openDatabase() throws(CacheError) {
        do {
            let opened = try Self.openForWriting(layout)
            database.withLock { $0 = opened }
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
    }

    /// Closes it, so that nothing but one file is left of it.
    func closeDatabase() { database.withLock { $0 = nil } }

    /// The catalogue's database, open for writing.
    func openedDatabase() throws(CacheError) -> DatabaseQueue {
        guard let opened = database.withLock({ $0 }) else {
            throw CacheError(.inputOutput, subject: layout.root, message: "the catalogue isn't open for a change")
        }
        return opened
    }

    /// Reads from one state of the catalogue's database, which is the truth for those who change it.
    func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        do {
            if let opened = database.withLock({ $0 }) { return try opened.read(body) }
            return try CacheDatabase.openCatalogue(layout).read(body)
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
    }

    // MARK: Generations

    /// Renames a generation that is whole and synced from `staging` to `packages`.
    func moveIntoPlace(_ folder: String) throws(CacheError) {
        let target = layout.generation(folder).root
        do throws(ZipError) {
            try onFile { () throws(FileError) in try Durable.rename(layout.staged(folder).root, to: target) }
        } catch {
            throw CacheError(.inputOutput, subject: target, message: error.message)
        }
    }

    /// Removes files that afcache's writers left behind and that are no longer needed.
    ///
    /// Only this method removes files that the catalogue doesn't know. In `staging` these are files with names that
    /// only afcache gives (``OwnName``). In `packages` they are generations that were noted for removal before they
    /// were added or removed, unless the catalogue knows them: by a note in `staging` for a new one, by a row of the
    /// catalogue for one that was replaced. Everything else there isn't afcache's, and ``verify(isQuick:)`` reports it.
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
    func removeTransient() throws(CacheError) {
        let staging = try OpenFolder(path: layout.root).folder("staging")
        for name in try staging.names() where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Notes that a new generation is to be removed unless the catalogue knows it; durable once `staging` is synced.
    func note(_ generation: String) throws(CacheError) {
        let path = layout.staging + "/" + OwnName.note(for: generation)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("cannot make", path: path) }
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

    /// The number that the next new generation gets.
    func nextGeneration() throws(CacheError) -> Int64 {
        try read { db in
            (try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'generation'") ?? 0) + 1
        }
    }
}

extension Generation {
    /// The folders of the generations that the catalogue knows.
    static func knownFolders(in db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT folder FROM generation")
    }

    private static let removalPrefix = "leaving:"

    /// Notes that a folder is no longer needed, in the transaction that forgets it.
    static func noteRemoval(_ folder: String, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO setting (name, value) VALUES (?, 0)",
            arguments: [removalPrefix + folder]
        )
    }

    /// The folders that are no longer needed, and may still be there.
    static func awaitingRemoval(in db: Database) throws -> Set<String> {
        let names = try String.fetchAll(db, sql: "SELECT name FROM setting WHERE name GLOB 'leaving:*'")
        return Set(names.map { String($0.dropFirst(removalPrefix.count)) }.filter(OwnName.mayBeGeneration))
    }

    /// Forgets the notes of folders that are gone.
    static func forgetRemoved(from layout: CacheLayout, in db: Database) throws {
        let leaving = try awaitingRemoval(in: db)
        guard !leaving.isEmpty else { return }
        let packages = try OpenFolder(path: layout.root).folder("packages")
        for folder in leaving where packages.kind(of: folder) == nil {
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [removalPrefix + folder])
        }
    }
}
