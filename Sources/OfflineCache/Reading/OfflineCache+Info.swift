/// How much a store holds.
public struct StoreInfo: Sendable, Equatable {
    /// How many packages.
    public var packages: Int
    /// The entries and redirects of the current packages.
    public var entries: Int
    /// The bytes of all bodies, those that two generations share counted once.
    public var bodyBytes: Int64
    /// The bytes that the store takes on the disk, a file with several names counted once.
    public var diskBytes: Int64
    /// How much it may hold.
    public var limits: StoreLimits
    /// The version of the store.
    public var version: Int
}

extension OfflineCache {
    /// Counts what the store holds; looks at every file.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func info() throws(CacheError) -> StoreInfo {
        let packages = try catalogue()
        return StoreInfo(
            packages: packages.count,
            entries: packages.reduce(0) { $0 + $1.current.heldEntries },
            bodyBytes: packages.reduce(Int64(0)) { $0 + $1.storedBytes },
            diskBytes: Folders.usage(layout.root),
            limits: try limits(),
            version: Int(CatalogueSchema.version)
        )
    }
}
