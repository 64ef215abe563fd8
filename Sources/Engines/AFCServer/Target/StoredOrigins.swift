internal import AFCCache
internal import AFCURL
internal import Synchronization

/// The origins that a cache has resources of, read again when the cache changes.
final class StoredOrigins: Sendable {
    private let store: any OfflineAnswering
    /// The most origins that are found for one, more than an import map has room for.
    private static let foundLimit = 32
    /// The most origins for which the result is kept.
    private static let keptLimit = 4096

    private let known = Mutex<(changes: UInt64, origins: Set<PackagedOrigin>)?>(nil)
    private let importable = Mutex<(changes: UInt64, origins: [PackagedOrigin: [PackagedOrigin]])>((0, [:]))
    private let neighborhood = Mutex<(changes: UInt64, site: WebURL, Neighborhood)?>(nil)

    /// What is in one package with a site.
    struct Neighborhood: Sendable {
        /// The origins, that of the site too.
        var origins: Set<PackagedOrigin> = []
        /// The names of the packages.
        var packages: Set<String> = []
    }

    init(_ store: any OfflineAnswering) { self.store = store }

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
        guard let summaries = try? store.origins() else { return [] }
        ports?.add(summaries)
        let origins = Set(summaries.compactMap { PackagedOrigin($0) })
        known.withLock { $0 = (changes, origins) }
        return origins
    }

    /// Returns the origins if they are known, without blocking; nil if they must be read.
    func known(_ changes: UInt64) -> Set<PackagedOrigin>? {
        known.withLock { $0 }.flatMap { $0.changes == changes ? $0.origins : nil }
    }

    /// Returns the packaged origins that have an address in a form, without blocking; nil if they must be read.
    func known(_ form: LinkForm, _ changes: UInt64) -> Set<PackagedOrigin>? {
        guard form.kind.isOfServer else { return [] }
        guard let site = form.oneSite else { return known(changes) }
        return knownNeighborhood(of: site, changes)?.origins
    }

    /// Returns the packaged origins that have an address in a form.
    ///
    /// May block.
    func all(_ form: LinkForm, _ changes: UInt64, _ ports: SitePorts?) -> Set<PackagedOrigin> {
        guard form.kind.isOfServer else { return [] }
        guard let site = form.oneSite else { return all(changes, ports) }
        return neighborhood(of: site, changes).origins
    }

    /// Returns what is in one package with a site, of which the site learns nothing new.
    ///
    /// May block.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - changes: The cache's number of changes.
    /// - Returns: The origins and packages; none if the cache can't be read, which the request itself will meet.
    func neighborhood(of site: WebURL, _ changes: UInt64) -> Neighborhood {
        if let known = knownNeighborhood(of: site, changes) { return known }
        guard let own = PackagedOrigin(site), let origins = try? store.origins(beside: own.text),
            let names = try? store.packages(withOrigin: own.text)
        else { return Neighborhood() }
        let found = Neighborhood(origins: Set(origins.compactMap { PackagedOrigin($0) }), packages: Set(names))
        neighborhood.withLock { $0 = (changes, site, found) }
        return found
    }

    /// Returns what is in one package with a site if it is known, without blocking; nil if it must be read.
    func knownNeighborhood(of site: WebURL, _ changes: UInt64) -> Neighborhood? {
        neighborhood.withLock { $0 }.flatMap { $0.changes == changes && $0.site == site ? $0.2 : nil }
    }

    /// Returns the origin of a page, and those that a package has beside it, of which the page learns nothing new.
    ///
    /// May block.
    ///
    /// - Parameters:
    ///   - page: The page's URL.
    ///   - changes: The cache's number of changes.
    /// - Returns: The origins, that of the page first.
    func importable(by page: WebURL, _ changes: UInt64) -> [PackagedOrigin] {
        guard let own = PackagedOrigin(page) else { return [] }
        let kept = importable.withLock { $0.changes == changes ? $0.origins[own] : nil }
        if let kept { return kept }
        let beside = (try? store.origins(beside: own.text)) ?? []
        let others = beside.lazy.compactMap { PackagedOrigin($0) }.filter { $0 != own }
        let found = [own] + others.prefix(Self.foundLimit - 1)
        importable.withLock { state in
            if state.changes != changes || state.origins.count >= Self.keptLimit { state = (changes, [:]) }
            state.origins[own] = found
        }
        return found
    }
}
