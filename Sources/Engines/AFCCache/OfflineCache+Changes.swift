public import AFCText

extension OfflineCache {
    /// Opens the number that moves with each change of the store, by any process.
    ///
    /// It is a hint: a writer that is killed at the wrong moment leaves it as it was. ``changeMark()`` knows for sure.
    public func openChangeReader() -> ChangeReader {
        ChangeReader(packages: layout.changes, received: layout.received.changes)
    }

    /// What says whether the store is what it was; looks at the catalogue at most once a second.
    ///
    /// - Returns: A number that is another after each change.
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func changeMark() throws(CacheError) -> UInt64 {
        let snapshot = try snapshot()
        // Opened anew, as the file may not have been there when the reader was opened.
        let received = ChangeCounter(path: layout.received.changes)
        return snapshot.change &+ snapshot.stamp &* 0x9E37_79B9_7F4A_7C15
            &+ received.value &* 0xC2B2_AE3D_27D4_EB4F
    }
}

/// Reads the number that moves with each change of a store; safe to use from any thread.
public final class ChangeReader: Sendable {
    private let packages: ChangeCounter
    private let received: ChangeCounter

    init(packages: String, received: String) {
        self.packages = ChangeCounter(path: packages)
        self.received = ChangeCounter(path: received)
    }

    /// The number; two small reads.
    public var value: UInt64 { packages.value &+ received.value << 24 }
}
