internal import AFCFiles
public import AFCText

/// How much a store holds.
public struct CacheInfo: Sendable, Equatable {
    /// How many packages.
    public var packages: Int
    /// The entries and redirects of the current packages, and the received responses.
    public var entries: Int
    /// The bytes of all bodies, those that two generations share counted once.
    public var bodyBytes: Int64
    /// How many of the entries were received from origins.
    public var received = 0
    /// The bytes of their bodies.
    public var receivedBytes: Int64 = 0
    /// The bytes that the store takes on the disk, a file with several names counted once.
    public var diskBytes: Int64
    /// How much it may hold.
    public var limits: CacheLimits
    /// The version of the store.
    public var version: Int
}

extension OfflineCache {
    /// Counts what the store holds; looks at every file.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func info() throws(CacheError) -> CacheInfo {
        let packages = try snapshot().catalogue.packages
        let totals = try received.totals()
        return CacheInfo(
            packages: packages.count,
            entries: packages.reduce(totals.responses) { $0 + $1.current.heldEntries },
            bodyBytes: packages.reduce(totals.bytes) { $0 + $1.storedBytes },
            received: totals.responses,
            receivedBytes: totals.bytes,
            diskBytes: diskUsage,
            limits: try limits(),
            version: Int(CatalogueSchema.version)
        )
    }

    /// The bytes that the store takes on the disk, without those that are given up when the disk is full.
    var diskUsage: Int64 { Folders.usage(layout.root) - Folders.usage(layout.reserve) }
}
