internal import AFCCache
internal import AFCMemory
internal import AFCURL
internal import Synchronization

/// The versions of resources that were looked up last, since each look-up reads all generations of a package.
final class VersionMemory: Sendable {
    private struct Key: Hashable {
        var url: WebURL
        var changes: UInt64
    }

    private static let byteLimit = 1 << 20
    private static let viewLimit = 4

    private let table = Mutex(CostTable<Key, [ResourceVersion]>(limit: byteLimit, prefersNew: true))
    private let views = Mutex<[(view: PastPackages, origins: StoredOrigins)]>([])

    /// Returns the versions of a resource.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - changes: The change number of the cache; nil if it has none, so that nothing is kept.
    ///   - find: Looks the versions up.
    /// - Returns: The versions.
    /// - Throws: The error of the closure.
    func all(of url: WebURL, changes: UInt64?, _ find: () throws -> [ResourceVersion]) throws -> [ResourceVersion] {
        guard let changes else { return try find() }
        let key = Key(url: url, changes: changes)
        if let known = table.withLock({ $0.use(key) }) { return known }
        let found = try find()
        let cost = 256 + 160 * found.count + url.description.utf8.count
        table.withLock { _ = $0.insert(found, for: key, cost: cost) }
        return found
    }

    /// Returns the origins of packages at another time.
    func origins(of view: PastPackages) -> StoredOrigins {
        views.withLock { views in
            if let known = views.first(where: { $0.view === view }) { return known.origins }
            let origins = StoredOrigins(view)
            views.append((view, origins))
            if views.count > Self.viewLimit { views.removeFirst() }
            return origins
        }
    }
}
