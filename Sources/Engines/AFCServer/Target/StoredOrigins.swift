internal import AFCCache
internal import AFCURL
internal import Synchronization

/// The origins that a cache has resources of, read again when the cache changes.
final class StoredOrigins: Sendable {
    private let store: any ServedCache
    private let known = Mutex<(changes: UInt64, origins: Set<PackagedOrigin>)?>(nil)

    init(_ store: any ServedCache) { self.store = store }

    /// Returns the origins.
    ///
    /// - Parameter changes: The cache's number of changes.
    /// - Returns: The origins; none if the cache can't be read, which the request itself will meet.
    func all(_ changes: UInt64) -> Set<PackagedOrigin> {
        if let known = known.withLock({ $0 }), known.changes == changes { return known.origins }
        guard let summaries = try? store.originSummaries() else { return [] }
        let origins = Set(summaries.compactMap { (try? WebURL($0.origin + "/")).flatMap { PackagedOrigin($0) } })
        known.withLock { $0 = (changes, origins) }
        return origins
    }
}
