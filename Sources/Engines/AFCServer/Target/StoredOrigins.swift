internal import AFCCache
internal import AFCURL
internal import Synchronization

/// The origins that a cache has resources of, read again when the cache changes.
final class StoredOrigins: Sendable {
    private let store: any ServedCache
    /// The most origins that are compared for one.
    private static let comparedLimit = 256
    /// The most origins that are found for one, more than an import map has room for.
    private static let foundLimit = 32
    /// The most origins for which the result is kept.
    private static let keptLimit = 4096

    private let known = Mutex<(changes: UInt64, origins: Set<PackagedOrigin>)?>(nil)
    private let importable = Mutex<(changes: UInt64, origins: [PackagedOrigin: [PackagedOrigin]])>((0, [:]))

    init(_ store: any ServedCache) { self.store = store }

    /// Returns the origins; reads them if the cache has changed, and gives ports to new ones.
    ///
    /// May block.
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

    /// Returns the origins if they are known, without blocking; nil if they must be read.
    func known(_ changes: UInt64) -> Set<PackagedOrigin>? {
        known.withLock { $0 }.flatMap { $0.changes == changes ? $0.origins : nil }
    }

    /// Returns the origin of a page, and those that a package has beside it, of which the page learns nothing new.
    ///
    /// May block.
    ///
    /// - Parameters:
    ///   - page: The page's URL.
    ///   - changes: The cache's number of changes.
    ///   - packaged: The packaged origins.
    /// - Returns: The origins, that of the page first.
    func importable(by page: WebURL, _ changes: UInt64, _ packaged: Set<PackagedOrigin>) -> [PackagedOrigin] {
        guard let own = PackagedOrigin(page) else { return [] }
        let kept = importable.withLock { $0.changes == changes ? $0.origins[own] : nil }
        if let kept { return kept }
        let names = Set((try? store.packageNames(origin: own.text)) ?? [])
        var found = [own]
        let others = packaged.filter { $0 != own }.sorted { $0.text < $1.text }
        for origin in others.prefix(Self.comparedLimit) where found.count < Self.foundLimit {
            let theirs = (try? store.packageNames(origin: origin.text)) ?? []
            if theirs.contains(where: names.contains) { found.append(origin) }
        }
        importable.withLock { state in
            if state.changes != changes || state.origins.count >= Self.keptLimit { state = (changes, [:]) }
            state.origins[own] = found
        }
        return found
    }
}
