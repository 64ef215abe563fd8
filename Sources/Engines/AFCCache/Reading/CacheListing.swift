internal import AFCFiles
public import AFCHTTP
public import AFCPackageFormat
internal import AFCText
public import AFCURL
internal import HTTPTypes

/// An installed package.
public struct InstalledPackage: Sendable, Equatable {
    /// The name of the package in the cache.
    public var name: String
    /// The number of entries and redirects, without evicted ones.
    public var resources: Int
    /// The size of their bodies together, in bytes.
    public var bodyBytes: Int64
    /// The time when the package was loaded.
    public var loaded: Timestamp
    /// The time when the package was made, if it says so.
    public var created: Timestamp?
    /// The program that made the package, if it says so.
    public var generator: String?
    /// The URLs that its crawl began with.
    public var seeds: [String]
    /// The user's settings for the package.
    public var settings = PackageSettings()
    /// The time when the previous generation was loaded, if there is one.
    public var previousLoaded: Timestamp?
    /// The times by which the kept generations are told apart, the current one too, the oldest first.
    public var versions: [Timestamp] = []
    /// The size of all generations together, in bytes; shared bodies count once.
    public var storedBytes: Int64 = 0
    /// The source of the package, for later updates from there.
    public var source: String?
    /// The keys that signed the package.
    public var signers: [String] = []
    /// The time when the last entry expires; nil if one never expires or doesn't say.
    public var latestExpiry: Timestamp?
    /// The number of URLs that weren't found when the package was crawled, without guesses; nil if it doesn't say.
    public var missing: Int?
    /// What readers are told about where the package is from.
    package var provenance = ProvenanceFacts()
}

/// The part of the cache that belongs to one origin.
public struct OriginSummary: Sendable, Equatable {
    /// The scheme, host and port, for example `http://docs.example`.
    public var origin: String
    /// The host.
    public var host: String
    /// The number of resources.
    public var resources: Int
    /// The size of their bodies together, in bytes.
    public var bytes: Int64
    /// The page to begin with: a seed of this origin, or its page with the shortest URL.
    public var start: WebURL?
}

/// A resource in the cache, without its fields.
public struct ResourceSummary: Sendable, Equatable {
    /// The URL of the resource.
    public var url: WebURL
    /// The status of the response.
    public var status: Int
    /// The size of the body, in bytes.
    public var size: Int64
    /// The media type of the body.
    public var mediaType: String?
    /// The time when the origin last changed the resource.
    public var lastModified: Timestamp?
    /// The time until which the response is fresh.
    public var expires: Timestamp?
    /// The package that contains the resource.
    public var package: String
}

/// The totals of a cache.
public struct CacheInfo: Sendable, Equatable {
    /// The number of packages.
    public var packages: Int
    /// The number of entries and redirects of the current packages, and of received responses.
    public var entries: Int
    /// The size of all bodies in bytes; bodies that two generations share count once.
    public var bodyBytes: Int64
    /// The number of entries that were received from origins.
    public var received = 0
    /// The size of the received bodies together, in bytes.
    public var receivedBytes: Int64 = 0
    /// The number of bytes that the cache takes on disk; a file with several names counts once.
    public var diskBytes: Int64
    /// The limits of the cache.
    public var limits: CacheLimits
    /// The version of the cache.
    public var version: Int
}

/// Lists of a cache's contents, from one snapshot of its catalogue.
struct CacheListing {
    private let layout: CacheLayout
    private let snapshot: Snapshot

    init(_ snapshot: Snapshot, in layout: CacheLayout) { (self.snapshot, self.layout) = (snapshot, layout) }

    /// The installed packages, sorted by name.
    var packages: [InstalledPackage] { snapshot.catalogue.packages.map { InstalledPackage($0) } }

    /// The origins, sorted by host.
    var origins: [OriginSummary] {
        var origins: [String: CataloguedOrigin] = [:]
        for origin in snapshot.catalogue.packages.flatMap(\.current.origins) {
            guard var known = origins[origin.origin] else {
                origins[origin.origin] = origin
                continue
            }
            known.resources += origin.resources
            known.bytes += origin.bytes
            known.start = [known.start, origin.start].compactMap(\.self).min()
            origins[origin.origin] = known
        }
        return origins.values.sorted { ($0.host, $0.origin) < ($1.host, $1.origin) }.map { origin in
            OriginSummary(
                origin: origin.origin,
                host: origin.host,
                resources: origin.resources,
                bytes: origin.bytes,
                start: origin.start.flatMap { try? WebURL($0) }
            )
        }
    }

    /// Returns the names of the packages that contain something from a host, sorted.
    func packages(withHost host: String) -> [String] { snapshot.packages(withHost: host).map(\.name).sorted() }

    /// Returns the names of the packages that contain something from an origin, sorted.
    func packages(withOrigin origin: String) -> [String] {
        snapshot.catalogue.packages.filter { package in
            package.current.origins.contains { $0.origin == origin }
        }.map(\.name).sorted()
    }

    /// Returns the origins that are in a package with an origin, sorted, the origin itself too.
    func origins(beside origin: String) -> [String] {
        var found: Set<String> = []
        for package in snapshot.catalogue.packages {
            let origins = package.current.origins.map(\.origin)
            if origins.contains(origin) { found.formUnion(origins) }
        }
        return found.sorted()
    }

    /// Returns a page of the resources, in the order of their URLs.
    func resources(after: WebURL?, limit: Int) throws(CacheError) -> [ResourceSummary] {
        var cursors: [IndexCursor] = []
        for package in snapshot.packages {
            cursors.append(try IndexCursor(package, after: after?.description, batch: min(limit, 1000)))
        }
        var resources: [ResourceSummary] = []
        while resources.count < limit {
            // The packages are in the order in which a look-up tries them.
            var best: (place: Int, resource: IndexedResource)?
            for (place, cursor) in cursors.enumerated() {
                guard let next = cursor.first else { continue }
                guard let known = best else {
                    best = (place, next)
                    continue
                }
                let isSame = next.url == known.resource.url
                let isEqual = isSame && cursor.package.priority == cursors[known.place].package.priority
                let isBefore = !isSame && next.url.utf8.lexicographicallyPrecedes(known.resource.url.utf8)
                if isBefore || (isEqual && Snapshot.isNewer(next, than: known.resource)) { best = (place, next) }
            }
            guard let best else { break }
            resources.append(try ResourceSummary(best.resource, package: cursors[best.place].package.name, in: layout))
            for place in cursors.indices where cursors[place].first?.url == best.resource.url {
                try cursors[place].advance()
            }
        }
        return resources
    }

    /// Returns the totals; accesses every file.
    func info(_ received: ReceivedTotals) -> CacheInfo {
        let packages = snapshot.catalogue.packages
        return CacheInfo(
            packages: packages.count,
            entries: packages.reduce(received.responses) { $0 + $1.current.heldEntries },
            bodyBytes: packages.reduce(received.bytes) { $0 + $1.storedBytes },
            received: received.responses,
            receivedBytes: received.bytes,
            diskBytes: layout.usage,
            limits: snapshot.catalogue.limits,
            version: Int(CatalogueFormat.version)
        )
    }
}

/// A position in the index of one package, which skips evicted entries.
private struct IndexCursor {
    let package: OpenPackage
    private let index: GenerationIndex
    private let batch: Int
    private var number: Int
    private var pending: ArraySlice<IndexedResource> = []

    init(_ package: OpenPackage, after: String?, batch: Int) throws(CacheError) {
        self.package = package
        self.batch = batch
        index = try package.files.index()
        number = 0
        if let after { number = try index.firstNumber(after: after) }
        try fill()
    }

    var first: IndexedResource? { pending.first }

    mutating func advance() throws(CacheError) {
        pending = pending.dropFirst()
        if pending.isEmpty { try fill() }
    }

    private mutating func fill() throws(CacheError) {
        var found: [IndexedResource] = []
        var last = number
        let (package, batch) = (package, batch)
        try index.forEach(from: number) { resource in
            last += 1
            if !package.isEvicted(resource.number) { found.append(resource) }
            return found.count < batch
        }
        number = last
        pending = found[...]
    }
}

extension ResourceSummary {
    fileprivate init(_ resource: IndexedResource, package: String, in layout: CacheLayout) throws(CacheError) {
        guard let url = try? WebURL(resource.url) else { throw GenerationIndex.damaged(layout.root) }
        self.init(
            url: url,
            status: resource.status,
            size: resource.size,
            mediaType: resource.fields[.contentType],
            lastModified: resource.lastModified,
            expires: resource.expires,
            package: package
        )
    }
}

extension InstalledPackage {
    init(_ row: CataloguedPackage) {
        self.init(
            name: row.name,
            resources: row.current.heldEntries,
            bodyBytes: row.current.heldBytes,
            loaded: row.current.loaded,
            created: row.current.created,
            generator: row.current.generator,
            seeds: row.current.seeds,
            settings: row.settings,
            previousLoaded: row.previous?.loaded,
            versions: row.times.map(\.time),
            storedBytes: row.storedBytes,
            source: row.current.source,
            signers: row.current.signers,
            latestExpiry: row.current.latestExpiry,
            missing: row.current.missing,
            provenance: row.current.provenance
        )
    }
}
