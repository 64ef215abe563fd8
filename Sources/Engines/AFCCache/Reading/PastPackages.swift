package import AFCCaching
package import AFCHTTP
package import AFCPackageFormat
import AFCPlatform
internal import AFCText
package import AFCURL
internal import Synchronization

/// Stored packages of which earlier versions are kept; docs/reference/time-travel.md.
package protocol KeepsVersions: OfflineAnswering {
    /// Returns the versions of a resource, the oldest first.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The versions that are served for their times; those in damaged generations are left out.
    /// - Throws: ``CacheError`` if the catalogue can't be read, or a generation although it isn't damaged.
    func versions(of url: WebURL) throws(CacheError) -> [ResourceVersion]

    /// Returns all packages as they were at a time: of each, the last version until then, or else the first one.
    ///
    /// - Parameter time: The time.
    /// - Returns: The packages.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func packages(at time: Timestamp) throws(CacheError) -> PastPackages

    /// Returns where the package of a version is from; nil if the package was removed meanwhile.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func provenance(of version: ResourceVersion) throws(CacheError) -> ProvenanceFacts?

    /// Returns true if some package has a version of a time.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func hasVersion(of time: Timestamp) throws(CacheError) -> Bool

    /// Returns true if the user wants several versions of a package with something from a host to be kept.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func keepsVersions(ofHost host: String) throws(CacheError) -> Bool

    /// Returns what ``keepsVersions(ofHost:)`` does if that takes no wait for a disk; nil if it would.
    func keepsVersionsAtOnce(ofHost host: String) -> Bool?
}

/// One version of a resource.
package struct ResourceVersion: Sendable, Equatable {
    /// The time by which the version is told apart.
    package var time: Timestamp
    /// The name of the package.
    package var package: String
    /// The status of the response.
    package var status: Int
    /// The SHA-256 of the body as hexadecimal digits; nil for none.
    package var digest: String?
    /// The stated preferences about use by machines; empty for none.
    package var usage: String
    /// True for the version that is served to whoever asks for no other one.
    package var isCurrent: Bool
}

/// The packages of a cache as they were at a time.
package final class PastPackages: OfflineAnswering {
    private let responses: StoredResponses
    private let snapshot: Snapshot
    private let layout: CacheLayout
    private let times: [String: Timestamp]

    fileprivate init(_ packages: [OpenPackage], _ times: [String: Timestamp], _ layout: CacheLayout) {
        (self.layout, self.times) = (layout, times)
        snapshot = Snapshot(mounted: Mounts().added(to: packages))
        responses = StoredResponses(layout, CatalogueReader(mounted: snapshot), nil, verifiesBodies: false)
    }

    /// Returns the time of the version of a package.
    package func time(of package: String) -> Timestamp? { times[package] }

    private var listing: CacheListing { CacheListing(snapshot, in: layout) }

    package func packages() -> [InstalledPackage] { listing.packages }

    package func origins() -> [OriginSummary] { listing.origins }

    package func packages(withHost host: String) -> [String] { listing.packages(withHost: host) }

    package func packages(withOrigin origin: String) -> [String] { listing.packages(withOrigin: origin) }

    package func origins(beside origin: String) -> [String] { listing.origins(beside: origin) }

    package func resources(after: WebURL?, limit: Int) throws(CacheError) -> [ResourceSummary] {
        try listing.resources(after: after, limit: limit)
    }

    package func changeMark() -> UInt64 { 0 }

    package func requireServable() {}

    package func openChangeReader() -> ChangeReader? { nil }

    package func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: LookUp
    ) throws(CacheError) -> CacheAnswer? { try responses.respond(to: request, now: now, policy: policy, lookUp) }

    package func contains(_ url: WebURL) throws(CacheError) -> Bool { try !candidates(url).isEmpty }

    fileprivate func candidates(_ url: WebURL) throws(CacheError) -> [StoredCandidate] {
        try responses.candidates(for: url)
    }
}

/// The views of a cache at other times that were used last.
final class PastViews: Sendable {
    /// The state of the catalogue, and the folders of the chosen generations.
    struct Key: Equatable {
        var change: Int64
        var folders: [String]
    }

    /// The generations of all packages with their times, in a state of the catalogue.
    struct Times: Sendable {
        var change: Int64
        var stamp: UInt64
        var rows: [(row: CataloguedPackage, times: [(generation: Generation, time: Timestamp)])]
        var all: Set<Timestamp>
    }

    private static let limit = 4
    private let views = Mutex<[(key: Key, view: PastPackages)]>([])
    private let known = Mutex<Times?>(nil)

    /// Returns the generations of a snapshot with their times.
    fileprivate func times(in snapshot: Snapshot) -> Times {
        known.withLock { known in
            if let known, known.change == snapshot.catalogue.change, known.stamp == snapshot.stamp { return known }
            let rows = snapshot.catalogue.packages.map { (row: $0, times: $0.times) }
            let all = Set(rows.flatMap { $0.times.map(\.time) })
            let new = Times(change: snapshot.catalogue.change, stamp: snapshot.stamp, rows: rows, all: all)
            known = new
            return new
        }
    }

    fileprivate func view(of key: Key) -> PastPackages? {
        views.withLock { views in
            guard let place = views.firstIndex(where: { $0.key == key }) else { return nil }
            views.append(views.remove(at: place))
            return views.last?.view
        }
    }

    fileprivate func add(_ view: PastPackages, of key: Key) {
        views.withLock { views in
            // Settings, times and evicted entries of another state may differ.
            views.removeAll { $0.key.change != key.change }
            views.append((key, view))
            if views.count > Self.limit { views.removeFirst() }
        }
    }
}

extension DiskCache: KeepsVersions {
    package func versions(of url: WebURL) throws(CacheError) -> [ResourceVersion] {
        var histories: [History] = []
        var count = 0
        for (row, times) in past.times(in: try reader.snapshot()).rows where History.mayHave(url, row) {
            count += times.count
            // So many that no reader could wait for them.
            guard count <= History.lookUpLimit else { break }
            histories.append(try History(of: url, in: row, times, layout))
        }
        let times = Set(histories.flatMap { $0.states.map(\.time) })
        let current = histories.compactMap(\.current).max { $0.isServedAfter($1) }
        return times.sorted().compactMap { time in
            // Of several packages, only the one that is served at that time has a version of then.
            let states = histories.compactMap { $0.state(at: time) }
            guard let served = states.filter(\.hasResponse).max(by: { $0.isServedAfter($1) }), served.time == time,
                let response = served.response
            else { return nil }
            return ResourceVersion(
                time: time,
                package: served.package,
                status: response.status,
                digest: response.sha256,
                usage: StatedUsage(response.fields).combined.known.text,
                isCurrent: served.id == current?.id
            )
        }
    }

    /// What the generations of a package answer for a URL.
    private struct History {
        /// One of them.
        struct State {
            var time: Timestamp
            var package: String
            var priority: Int
            var id: Int64
            var response: StoredResponse?
            var lastModified: Timestamp?

            var hasResponse: Bool { response != nil }

            /// Returns true if another one is served instead of this one: by priority, then the newer, then the later.
            func isServedAfter(_ other: State) -> Bool {
                let (own, others) = (
                    lastModified?.secondsSinceEpoch ?? .min, other.lastModified?.secondsSinceEpoch ?? .min
                )
                return (priority, own, id) < (other.priority, others, other.id)
            }
        }

        /// The generations, the oldest first.
        var states: [State] = []
        /// The current one, if it answers.
        var current: State?

        /// The most generations of all packages together in which a URL is looked up.
        static let lookUpLimit = 4_000

        /// Returns true if a package has something of a URL's host.
        static func mayHave(_ url: WebURL, _ row: CataloguedPackage) -> Bool {
            row.generations.contains { $0.origins.contains { $0.host == url.host } }
        }

        /// Looks a URL up in each generation.
        init(
            of url: WebURL,
            in row: CataloguedPackage,
            _ times: [(generation: Generation, time: Timestamp)],
            _ layout: CacheLayout
        ) throws(CacheError) {
            for (generation, time) in times {
                let candidate = try Self.candidate(url, row, generation, layout)
                let state = State(
                    time: time,
                    package: row.name,
                    priority: row.settings.priority,
                    id: generation.id,
                    response: candidate?.response,
                    lastModified: candidate?.packagedLastModified
                )
                states.append(state)
                if generation.id == row.current.id, state.hasResponse { current = state }
            }
        }

        /// Looks a URL up in one generation; one that is damaged, or was just removed, answers nothing.
        private static func candidate(
            _ url: WebURL,
            _ row: CataloguedPackage,
            _ generation: Generation,
            _ layout: CacheLayout
        ) throws(CacheError) -> StoredCandidate? {
            do throws(CacheError) {
                let package = try OpenPackage(row, at: generation, in: layout)
                return try PastPackages([package], [:], layout).candidates(url).first
            } catch {
                // A lack of descriptors or memory says nothing about the generation.
                guard error.number == nil || error.number == ENOENT || error.number == EIO else { throw error }
                return nil
            }
        }

        /// Returns the generation of a time, which may answer nothing.
        func state(at time: Timestamp) -> State? { states.last { $0.time <= time } ?? states.first }
    }

    package func packages(at time: Timestamp) throws(CacheError) -> PastPackages {
        let all = past.times(in: try reader.snapshot())
        let chosen = all.rows.map { row, times in
            let place = times.lastIndex { $0.time <= time } ?? 0
            return (row: row, generation: times[place].generation, time: times[place].time)
        }
        let key = PastViews.Key(change: all.change, folders: chosen.map(\.generation.folder))
        if let known = past.view(of: key) { return known }
        let packages = try chosen.map { one throws(CacheError) in
            try OpenPackage(one.row, at: one.generation, in: layout)
        }
        let times = Dictionary(chosen.map { ($0.row.name, $0.time) }, uniquingKeysWith: { one, _ in one })
        let view = PastPackages(packages, times, layout)
        past.add(view, of: key)
        return view
    }

    /// Returns a package as it was at a time.
    ///
    /// - Parameters:
    ///   - name: The name of the package.
    ///   - time: The time; nil for the current version. Before the first version, that is returned.
    /// - Returns: The generation.
    /// - Throws: ``CacheError`` if there is no such package, or the catalogue can't be read.
    package func generation(of name: String, at time: Timestamp?) throws(CacheError) -> CurrentGeneration {
        guard let row = try reader.snapshot().catalogue.packages.first(where: { $0.name == name }) else {
            throw CacheError(
                .noPackage,
                subject: layout.root,
                message: "there is no package \(PrintableText.quoted(name)) in the cache"
            )
        }
        let times = row.times
        let chosen = time.map { time in times.last { $0.time <= time } ?? times[0] }
        return CurrentGeneration(try OpenPackage(row, at: chosen?.generation ?? row.current, in: layout))
    }

    package func provenance(of version: ResourceVersion) throws(CacheError) -> ProvenanceFacts? {
        let rows = past.times(in: try reader.snapshot()).rows
        let times = rows.first { $0.row.name == version.package }?.times
        return times?.first { $0.time == version.time }?.generation.provenance
    }

    package func hasVersion(of time: Timestamp) throws(CacheError) -> Bool {
        past.times(in: try reader.snapshot()).all.contains(time)
    }

    package func keepsVersions(ofHost host: String) throws(CacheError) -> Bool {
        try reader.snapshot().keepsVersions(ofHost: host)
    }

    package func keepsVersionsAtOnce(ofHost host: String) -> Bool? {
        reader.snapshotAtOnce()?.keepsVersions(ofHost: host)
    }
}

extension Snapshot {
    /// Returns true if the user wants several versions of a package with something from a host to be kept.
    fileprivate func keepsVersions(ofHost host: String) -> Bool {
        packages(withHost: host).contains { $0.row.settings.retention != nil && $0.row.generations.count > 1 }
    }
}
