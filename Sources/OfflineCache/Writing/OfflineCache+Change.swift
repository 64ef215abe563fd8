internal import GRDB
internal import ZipArchive

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
    func changing<Value: Sendable>(
        _ patience: WriterPatience,
        _ body: @escaping @Sendable () throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        try await OffPool.run { () throws(CacheError) in
            guard self.access != .readOnly else {
                throw CacheError(.inputOutput, subject: self.path, message: "the store was opened for reading only")
            }
            let lock = try WriterLock(self.layout, patience: patience.seconds, onWait: patience.onWait)
            try self.removeLeftovers()
            let value = try body()
            _ = consume lock
            return value
        }
    }

    /// Changes the catalogue in one transaction; when this returns, a power cut doesn't undo it.
    func commit<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        let value: Value
        do {
            value = try database.write { db in
                try Generation.forgetGone(from: layout, in: db)
                let value = try body(db)
                try Generation.forgetUnused(in: db)
                return value
            }
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
        // From here on the change is made. Readers that miss the number ask SQLite within a second, and files that nobody
        // needs are removed by the next writer, so neither failing is a failure of the change.
        _ = try? ChangeCounter.grow(path: layout.changes)
        // An empty log lets the store be read where nothing can be written, for example in an image that is made of it.
        // Where a reader keeps it from being emptied, it is in use, and emptied by whoever closes it last.
        try? database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        forgetSnapshot()
        try? removeLeftovers()
        return value
    }

    /// The packages, by name.
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
