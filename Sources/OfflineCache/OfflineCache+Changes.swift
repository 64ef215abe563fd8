extension OfflineCache {
    /// Opens the number that moves with each change of the store, by any process.
    ///
    /// It is a hint: a writer that is killed at the wrong moment leaves it as it was. ``changeMark()`` knows for sure.
    public func openChangeReader() -> ChangeReader { ChangeReader(path: layout.changes) }

    /// What says whether the store is what it was; asks the catalogue at most once a second.
    ///
    /// - Returns: A number that is another after each change.
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func changeMark() throws(CacheError) -> UInt64 {
        let snapshot = try snapshot()
        return snapshot.change &+ UInt64(bitPattern: snapshot.dataVersion) &* 0x9E37_79B9_7F4A_7C15
    }
}

/// Reads the number that moves with each change of a store; safe to use from any thread.
public final class ChangeReader: Sendable {
    private let counter: ChangeCounter

    init(path: String) { counter = ChangeCounter(path: path) }

    /// The number; one `pread`.
    public var value: UInt64 { counter.value }
}
