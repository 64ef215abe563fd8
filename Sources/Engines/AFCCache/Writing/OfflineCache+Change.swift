internal import AFCFiles
internal import AFCText
internal import AFCZip
internal import GRDB

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

extension OfflineCache {
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
                throw CacheError(.inputOutput, subject: self.path, message: "the store was opened for reading only")
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
        guard try CacheFolder.state(layout) == .cache else { throw CacheError.lostCatalogue(layout) }
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
        forgetSnapshot()
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
        throw CacheError(.noPackage, subject: path, message: "the store has no package '\(name)'; \(others)")
    }
}
