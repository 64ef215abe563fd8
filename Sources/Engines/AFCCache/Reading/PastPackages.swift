package import AFCCaching
package import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import Synchronization

/// Stored packages of which earlier versions are kept; docs/reference/time-travel.md.
package protocol KeepsVersions: OfflineAnswering {
    /// Returns the versions of a resource, the oldest first.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The versions; of several with the same time, that of the package which would be served.
    /// - Throws: ``CacheError`` if a generation can't be read.
    func versions(of url: WebURL) throws(CacheError) -> [ResourceVersion]

    /// Returns all packages as they were at a time: of each, the last version until then, or else the first one.
    ///
    /// - Parameter time: The time.
    /// - Returns: The packages.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func packages(at time: Timestamp) throws(CacheError) -> PastPackages

    /// Returns true if some package has a version of a time.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func hasVersion(of time: Timestamp) throws(CacheError) -> Bool

    /// Returns true if the user wants several versions of a package with something from a host to be kept.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    func keepsVersions(ofHost host: String) throws(CacheError) -> Bool
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
    private static let limit = 4
    private let views = Mutex<[(folders: [String], view: PastPackages)]>([])

    fileprivate func view(of folders: [String]) -> PastPackages? {
        views.withLock { views in
            guard let place = views.firstIndex(where: { $0.folders == folders }) else { return nil }
            views.append(views.remove(at: place))
            return views.last?.view
        }
    }

    fileprivate func add(_ view: PastPackages, of folders: [String]) {
        views.withLock { views in
            views.removeAll { $0.folders == folders }
            views.append((folders, view))
            if views.count > Self.limit { views.removeFirst() }
        }
    }
}

extension DiskCache: KeepsVersions {
    package func versions(of url: WebURL) throws(CacheError) -> [ResourceVersion] {
        let rows = try reader.snapshot().catalogue.packages
        var versions: [Timestamp: (priority: Int, version: ResourceVersion)] = [:]
        for row in rows {
            for (generation, time) in row.times where generation.origins.contains(where: { $0.host == url.host }) {
                let known = versions[time]
                if let known, known.priority >= row.settings.priority { continue }
                let package = try OpenPackage(row, at: generation, in: layout)
                let view = PastPackages([package], [:], layout)
                guard let response = try view.candidates(url).first?.response else { continue }
                let version = ResourceVersion(
                    time: time,
                    package: row.name,
                    status: response.status,
                    digest: response.sha256
                )
                versions[time] = (row.settings.priority, version)
            }
        }
        return versions.values.map(\.version).sorted { $0.time < $1.time }
    }

    package func packages(at time: Timestamp) throws(CacheError) -> PastPackages {
        let rows = try reader.snapshot().catalogue.packages
        let chosen = rows.map { row in
            let times = row.times
            let place = times.lastIndex { $0.time <= time } ?? 0
            return (row: row, generation: times[place].generation, time: times[place].time)
        }
        let folders = chosen.map(\.generation.folder)
        if let known = past.view(of: folders) { return known }
        let packages = try chosen.map { one throws(CacheError) in
            try OpenPackage(one.row, at: one.generation, in: layout)
        }
        let times = Dictionary(chosen.map { ($0.row.name, $0.time) }, uniquingKeysWith: { one, _ in one })
        let view = PastPackages(packages, times, layout)
        past.add(view, of: folders)
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

    package func hasVersion(of time: Timestamp) throws(CacheError) -> Bool {
        try reader.snapshot().catalogue.packages.contains { row in row.times.contains { $0.time == time } }
    }

    package func keepsVersions(ofHost host: String) throws(CacheError) -> Bool {
        try reader.snapshot().packages(withHost: host).contains {
            $0.row.settings.retention != nil && $0.row.generations.count > 1
        }
    }
}
