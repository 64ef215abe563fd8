internal import AFCFiles
internal import AFCText

/// The waiting time for another writer, and a callback for telling the user.
public struct WriterPatience: Sendable {
    /// The number of seconds to wait; nil for no limit.
    public var seconds: Int?
    /// Called once if another process holds the cache, with words that name it.
    public var onWait: @Sendable (String) -> Void

    /// Creates a rule for waiting.
    public init(seconds: Int? = nil, onWait: @escaping @Sendable (String) -> Void = { _ in }) {
        self.seconds = seconds
        self.onWait = onWait
    }
}

/// The only way to change the catalogue: exclusively, with a ``CatalogueChange`` that lasts as long as the lock.
struct CatalogueWriter: Sendable {
    private let layout: CacheLayout
    private let access: DiskCache.Access
    private let reader: CatalogueReader

    /// Creates the writer; nothing is opened before the first change.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - access: The access of this process.
    ///   - reader: The reader that sees changes at once.
    init(_ layout: CacheLayout, access: DiskCache.Access, reader: CatalogueReader) {
        (self.layout, self.access, self.reader) = (layout, access, reader)
    }

    /// Changes the cache exclusively, after removing what killed writers left.
    ///
    /// - Parameters:
    ///   - patience: The waiting time for another writer.
    ///   - isFreeing: Whether the change frees space, so that it may use the disk's reserve.
    ///   - body: Makes the change.
    /// - Returns: The result of the closure.
    /// - Throws: ``CacheError`` if the cache can't be changed, and any error of the closure.
    func changing<Value: Sendable>(
        _ patience: WriterPatience,
        isFreeing: Bool = false,
        _ body: @escaping @Sendable (CatalogueChange) throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        try requireWritable()
        return try await OffPool.run { () throws(CacheError) in
            let lock = try WriterLock(layout, patience: patience.seconds, onWait: patience.onWait)
            if isFreeing { DiskReserve.releaseWhereScarce(layout) }
            try Self.requireCache(layout)
            let change = try CatalogueChange(layout, reader: reader)
            try change.finishInterrupted()
            let value = try body(change)
            DiskReserve.make(layout)
            lock.release()
            return value
        }
    }

    /// Throws if the cache was opened for reading only.
    func requireWritable() throws(CacheError) {
        guard access == .readOnly else { return }
        throw CacheError(.inputOutput, subject: layout.root, message: "the cache was opened for reading only")
    }

    /// Throws unless a folder contains a cache of this version with its catalogue.
    private static func requireCache(_ layout: CacheLayout) throws(CacheError) {
        switch try FolderKind.of(layout) {
        case .cache: return
        case .older: throw CacheError.olderCache(layout)
        case .vacant, .lost: throw CacheError.lostCatalogue(layout)
        }
    }

    /// Writes the catalogue of a new cache.
    ///
    /// - Parameter limits: The limits of the cache.
    /// - Throws: ``CacheError`` if that isn't possible.
    func create(limits: CacheLimits = CacheLimits()) throws(CacheError) {
        // One process does this; the others find it done.
        let lock = try WriterLock(layout, patience: nil) { _ in }
        if try FolderKind.of(layout) == .vacant {
            try CatalogueChange(layout, reader: reader, isNew: true).commit { $0.limits = limits }
        }
        lock.release()
    }
}
