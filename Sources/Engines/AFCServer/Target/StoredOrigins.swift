internal import AFCCache
internal import AFCURL
internal import Synchronization

/// The origins that a cache has resources of, read again when the cache changes.
final class StoredOrigins: Sendable {
    private let store: any ServedCache
    private let known = Mutex<(changes: UInt64, origins: Set<PackagedOrigin>)?>(nil)

    init(_ store: any ServedCache) { self.store = store }

    /// Returns the origins; reads them if the cache has changed, and gives ports to new ones. May block.
    ///
    /// - Parameters:
    ///   - changes: The cache's number of changes.
    ///   - ports: The ports of origins; nil if they have none.
    /// - Returns: The origins; none if the cache can't be read, which the request itself will meet.
    func all(_ changes: UInt64, _ ports: SitePorts?) -> Set<PackagedOrigin> {
        if let origins = known(changes) { return origins }
        guard let summaries = try? store.originSummaries() else { return [] }
        ports?.add(summaries)
        let origins = Set(summaries.compactMap { PackagedOrigin($0) })
        known.withLock { $0 = (changes, origins) }
        return origins
    }

    /// Returns the origins if they are known; nil if they must be read. Doesn't block.
    func known(_ changes: UInt64) -> Set<PackagedOrigin>? {
        known.withLock { $0 }.flatMap { $0.changes == changes ? $0.origins : nil }
    }
}
