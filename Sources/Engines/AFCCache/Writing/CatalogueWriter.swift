internal import AFCFiles
internal import AFCText
internal import GRDB

/// How long a writer waits for another, and whom it tells.
public struct WriterPatience: Sendable {
    /// How many seconds to wait; nil for as long as it takes.
    public var seconds: Int?
    /// Called once where another process holds the cache, with words that name it.
    public var onWait: @Sendable (String) -> Void

    /// Creates a rule for waiting.
    public init(seconds: Int? = nil, onWait: @escaping @Sendable (String) -> Void = { _ in }) {
        self.seconds = seconds
        self.onWait = onWait
    }
}

/// The one way to change the catalogue: alone, and with a ``CatalogueChange`` that lasts as long as the right to it.
struct CatalogueWriter: Sendable {
    private let layout: CacheLayout
    private let access: OfflineCache.Access
    private let reader: CatalogueReader

    /// Creates the writer; nothing is opened before the first change.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - access: What this process may do with it.
    ///   - reader: Who sees a change at once.
    init(_ layout: CacheLayout, access: OfflineCache.Access, reader: CatalogueReader) {
        (self.layout, self.access, self.reader) = (layout, access, reader)
    }

    /// Does something that changes the cache, alone, after what killed writers left is removed.
    ///
    /// - Parameters:
    ///   - patience: How long to wait for another writer.
    ///   - isFreeing: Whether it makes room, so that it may use the disk's last bytes.
    ///   - body: What is done.
    /// - Returns: What the closure returns.
    /// - Throws: ``CacheError`` where the cache can't be changed, and what the closure throws.
    func changing<Value: Sendable>(
        _ patience: WriterPatience,
        isFreeing: Bool = false,
        _ body: @escaping @Sendable (CatalogueChange) throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        try requireWritable()
        return try await OffPool.run { () throws(CacheError) in
            let lock = try WriterLock(layout, patience: patience.seconds, onWait: patience.onWait)
            if isFreeing { DiskReserve.releaseWhereScarce(layout) }
            // An empty database would be made in the place of one that was lost.
            guard try FolderKind.of(layout) == .cache else { throw CacheError.lostCatalogue(layout) }
            let value = try open { change throws(CacheError) in
                try change.finishInterrupted()
                return try body(change)
            }
            DiskReserve.make(layout)
            lock.release()
            return value
        }
    }

    /// Throws where the cache was opened for reading only.
    func requireWritable() throws(CacheError) {
        guard access == .readOnly else { return }
        throw CacheError(.inputOutput, subject: layout.root, message: "the cache was opened for reading only")
    }

    /// Makes the tables of a new cache, or brings an older one forward; then readers see the catalogue.
    ///
    /// A reader, who can't do that, finds out whether it can do without.
    func prepare() throws(CacheError) {
        guard access != .readOnly else { return try CatalogueMigration.requireReadable(layout) }
        // One process does it; the others find it done.
        let lock = try WriterLock(layout, patience: nil) { _ in }
        try open { change throws(CacheError) in _ = try change.publish() }
        lock.release()
    }

    private func open<Value>(_ body: (CatalogueChange) throws(CacheError) -> Value) throws(CacheError) -> Value {
        let change = try CatalogueChange(layout, reader: reader)
        // Nothing but one file is left of a database that is closed.
        defer { change.end() }
        try CatalogueMigration(change).run()
        return try body(change)
    }
}
