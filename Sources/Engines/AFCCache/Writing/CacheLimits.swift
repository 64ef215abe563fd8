internal import AFCText

/// The limits on the size of a cache.
public struct CacheLimits: Sendable, Equatable {
    /// The maximum size of all bodies together, in bytes; nil for no limit.
    public var bytes: Int64?
    /// The maximum number of entries of all current packages; nil for no limit.
    public var entries: Int?

    /// Creates limits.
    public init(bytes: Int64? = nil, entries: Int? = nil) {
        self.bytes = bytes
        self.entries = entries
    }

    /// True if nothing is limited.
    var isUnlimited: Bool { self == CacheLimits() }

    /// Throws unless a package would fit after evicting everything that may be evicted.
    func requireRoom(
        for bytes: Int64,
        entries: Int,
        besides pinned: [CataloguedPackage],
        subject: String
    ) throws(CacheError) {
        let pinnedBytes = pinned.reduce(Int64(0)) { $0 + $1.current.heldBytes }
        let pinnedEntries = pinned.reduce(0) { $0 + $1.current.heldEntries }
        let beside = pinned.isEmpty ? "" : " allows in addition to the pinned packages"
        if let limit = self.bytes, pinnedBytes + bytes > limit {
            throw CacheError(
                .full,
                subject: subject,
                message: "the package has \(bytes) bytes, more than the cache's limit of \(limit)\(beside)",
                remedy: .raiseLimit
            )
        }
        if let limit = self.entries, pinnedEntries + entries > limit {
            throw CacheError(
                .full,
                subject: subject,
                message: "the package has \(entries) entries, more than the cache's limit of \(limit)\(beside)",
                remedy: .raiseLimit
            )
        }
    }
}
