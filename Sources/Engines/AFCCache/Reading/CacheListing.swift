internal import AFCFiles
public import AFCHTTP
public import AFCPackageFormat
internal import AFCText
public import AFCURL
internal import HTTPTypes

/// A package in the cache.
public struct InstalledPackage: Sendable, Equatable {
    /// Under what name it was loaded.
    public var name: String
    /// The entries and redirects that it has; those that were evicted aren't counted.
    public var resources: Int
    /// The bytes of their bodies.
    public var bodyBytes: Int64
    /// When it was loaded.
    public var loaded: Timestamp
    /// When it was made, where it says so.
    public var created: Timestamp?
    /// What made it, where it says so.
    public var generator: String?
    /// The URLs that its crawl began with.
    public var seeds: [String]
    /// What the user decided of it.
    public var settings = PackageSettings()
    /// When the generation before it was loaded, where there is one to return to.
    public var previousLoaded: Timestamp?
    /// The bytes that it and its previous generation hold together, what they share counted once.
    public var storedBytes: Int64 = 0
    /// Where it came from, for those who ask there again.
    public var source: String?
    /// The keys that signed it.
    public var signers: [String] = []
}

/// What the cache has of one origin.
public struct OriginSummary: Sendable, Equatable {
    /// Scheme, host and port, for example `http://docs.example`.
    public var origin: String
    /// The host.
    public var host: String
    /// How many resources.
    public var resources: Int
    /// The bytes of their bodies.
    public var bytes: Int64
    /// Where to begin: a seed of this origin, or its page with the shortest URL.
    public var start: WebURL?
}

/// A resource in the cache, without its fields.
public struct ResourceSummary: Sendable, Equatable {
    /// The resource.
    public var url: WebURL
    /// Its status.
    public var status: Int
    /// The bytes of its body.
    public var size: Int64
    /// Its media type.
    public var mediaType: String?
    /// When the origin last changed it.
    public var lastModified: Timestamp?
    /// Until when it is fresh.
    public var expires: Timestamp?
    /// The package that brought it.
    public var package: String
}

/// How much a cache holds.
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
    /// The bytes that the cache takes on the disk, a file with several names counted once.
    public var diskBytes: Int64
    /// How much it may hold.
    public var limits: CacheLimits
    /// The version of the cache.
    public var version: Int
}

/// The lists of what a cache has, as one picture of its catalogue shows it.
struct CacheListing {
    private let layout: CacheLayout
    private let snapshot: Snapshot

    init(_ snapshot: Snapshot, in layout: CacheLayout) { (self.snapshot, self.layout) = (snapshot, layout) }

    /// The installed packages, sorted by name.
    var packages: [InstalledPackage] { snapshot.catalogue.packages.map { InstalledPackage($0) } }

    /// The origins, sorted by host.
    var origins: [OriginSummary] {
        var origins: [String: CataloguedOrigin] = [:]
        for origin in snapshot.catalogue.origins.values.joined() {
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

    /// The names of the packages that brought something from a host, sorted.
    func packages(withHost host: String) -> [String] { snapshot.packages(withHost: host).map(\.name).sorted() }

    /// A page of the resources, in the order of their URLs.
    func resources(after: WebURL?, limit: Int) throws(CacheError) -> [ResourceSummary] {
        var cursors: [IndexCursor] = []
        for package in snapshot.packages {
            cursors.append(try IndexCursor(package, after: after?.description, batch: min(limit, 1000)))
        }
        var resources: [ResourceSummary] = []
        while resources.count < limit {
            // The packages come in the order in which they are asked, as in a look-up.
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

    /// The sums of everything; looks at every file.
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
            version: Int(CatalogueSchema.version)
        )
    }
}

/// A place in the index of one package; entries that were evicted are left out.
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
            storedBytes: row.storedBytes,
            source: row.current.source,
            signers: row.current.signers
        )
    }
}
