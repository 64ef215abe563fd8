internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

/// Makes room in a cache with limits, in the change that needs it.
struct RoomMaker {
    /// A body of a generation.
    struct Body: Hashable {
        var generation: String
        var member: String
    }

    /// The items that were removed from the cache.
    struct Departures {
        /// The items in words: names of packages, and numbers of entries.
        var words: [String] = []
        /// The bodies whose files are no longer needed.
        var bodies: [Body] = []
    }

    private let change: CatalogueChange
    private let received: ReceivedArea
    private let now: Timestamp

    init(_ change: CatalogueChange, received: ReceivedArea, now: Timestamp) {
        (self.change, self.received, self.now) = (change, received, now)
    }

    /// Sets the limits, evicts until the cache fits, and returns the evicted items in words.
    ///
    /// - Throws: ``CacheError`` if it doesn't fit afterwards. Unless the code is `full`, the limits are set.
    func set(_ limits: CacheLimits) throws(CacheError) -> [String] {
        let words = try change(limits, keeping: nil) { $0.limits = limits }
        return try evictReceived() + words
    }

    /// Changes the catalogue and makes room in the same change, without evicting a given package.
    ///
    /// - Returns: The evicted items in words, and the error for which received responses still exceed the limits: the
    ///   change is made, and the next received response causes their eviction.
    func commit(
        _ limits: CacheLimits,
        keeping name: String?,
        _ body: (inout Catalogue) throws(CacheError) -> Void
    ) throws(CacheError) -> (evicted: [String], failure: CacheError?) {
        let words = try change(limits, keeping: name, body)
        do throws(CacheError) {
            return (try evictReceived() + words, nil)
        } catch {
            return (words, error)
        }
    }

    private func change(
        _ limits: CacheLimits,
        keeping name: String?,
        _ body: (inout Catalogue) throws(CacheError) -> Void
    ) throws(CacheError) -> [String] {
        let departures = try change.commit { catalogue throws(CacheError) in
            try body(&catalogue)
            return try makeRoom(&catalogue, limits, keeping: name)
        }
        // Garbage collection removes what can't be removed now.
        for body in departures.bodies {
            try? change.layout.generation(body.generation).openFiles().removeFile(body.member)
        }
        return departures.words
    }

    /// Removes received responses for which the limits leave no room, and returns them in words.
    private func evictReceived() throws(CacheError) -> [String] {
        let count = try received.makeRoom(now: now)
        return count == 0 ? [] : ["\(count) received \(count == 1 ? "response" : "responses")"]
    }

    private func makeRoom(
        _ catalogue: inout Catalogue,
        _ limits: CacheLimits,
        keeping name: String?
    ) throws(CacheError) -> Departures {
        guard !limits.isUnlimited else { return Departures() }
        let bytes = catalogue.storedBytes - (limits.bytes ?? .max)
        let entries = catalogue.heldEntries - (limits.entries ?? .max)
        guard bytes > 0 || entries > 0 else { return Departures() }
        change.flushRecency()
        let candidates = try EvictionCandidates(catalogue.packages, keeping: name, layout: change.layout, now: now)
        guard let chosen = EvictionPlan.choose(from: candidates.units, bytes: bytes, entries: entries) else {
            throw CacheError(
                .full,
                subject: change.layout.root,
                message: "the cache's limits leave no room next to the pinned packages; raise them or unpin a package",
                remedy: .raiseLimit
            )
        }
        return try candidates.remove(chosen, from: &catalogue)
    }
}

/// The units that may be evicted, and how to evict them.
private struct EvictionCandidates {
    private enum Candidate {
        case earlierGeneration(CataloguedPackage, folder: String)
        case package(CataloguedPackage)
        case entry(CataloguedPackage, number: UInt32, bytes: Int64, body: RoomMaker.Body)
    }

    private(set) var units: [EvictionPlan.Unit] = []
    private var candidates: [Candidate] = []
    /// The entries that were evicted before, by the package's name.
    private var evicted: [String: EvictionBitmap] = [:]
    private let layout: CacheLayout

    init(_ packages: [CataloguedPackage], keeping name: String?, layout: CacheLayout, now: Timestamp)
        throws(CacheError)
    {
        self.layout = layout
        for package in packages {
            addEarlier(of: package)
            guard !package.settings.isPinned, package.name != name else { continue }
            let files = layout.generation(package.current.folder)
            let recency = RecencyRecorder.read(files, count: package.current.resources)
                .map { RecencyRecorder.plausible($0, at: now) }
            let loaded = RecencyRecorder.plausible(RecencyRecorder.minutes(package.current.loaded), at: now)
            guard package.settings.isSeparable else {
                add(.package(package)) { unit in
                    unit.bytes = package.current.heldBytes
                    unit.entries = package.current.heldEntries
                    unit.isExpired = package.current.latestExpiry.map { $0 <= now } ?? false
                    unit.lastUse = max(loaded, recency.max() ?? 0)
                    unit.order = package.current.id
                }
                continue
            }
            try addEntries(of: package, files, recency: recency, loaded: loaded, now: now)
        }
    }

    /// Adds the earlier generations, each with what its removal frees after that of the older ones.
    private mutating func addEarlier(of package: CataloguedPackage) {
        var rest = package
        for generation in package.older.sorted(by: { $0.id < $1.id }) {
            let bytes = rest.storedBytes
            rest.older.removeAll { $0.id == generation.id }
            add(.earlierGeneration(package, folder: generation.folder)) { unit in
                unit.kind = .previousGeneration
                unit.bytes = bytes - rest.storedBytes
                unit.order = generation.id
            }
        }
    }

    private mutating func add(_ candidate: Candidate, _ change: (inout EvictionPlan.Unit) -> Void) {
        var unit = EvictionPlan.Unit(
            kind: .package,
            id: candidates.count,
            bytes: 0,
            entries: 0,
            isExpired: false,
            lastUse: 0,
            order: 0
        )
        change(&unit)
        candidates.append(candidate)
        units.append(unit)
    }

    private mutating func addEntries(
        of package: CataloguedPackage,
        _ files: GenerationLayout,
        recency: [UInt32],
        loaded: UInt32,
        now: Timestamp
    ) throws(CacheError) {
        let gone = try EvictionBitmap.of(package.current, in: layout)
        evicted[package.name] = gone
        try GenerationIndex(files).forEach { resource throws(CacheError) in
            guard let member = resource.member, !gone.contains(resource.number) else { return true }
            let number = Int(resource.number)
            let body = RoomMaker.Body(generation: files.folder, member: member)
            add(.entry(package, number: resource.number, bytes: resource.size, body: body)) { unit in
                unit.kind = .entry
                unit.bytes = resource.size
                unit.entries = 1
                unit.isExpired = resource.expires.map { $0 <= now } ?? false
                unit.lastUse = number < recency.count && recency[number] > 0 ? recency[number] : loaded
                unit.order = package.current.id
            }
            return true
        }
    }

    /// Returns, for each body, the number of entries that use its file: it is removed with the last of them.
    private func bodyUsers(of chosen: [EvictionPlan.Unit]) -> [RoomMaker.Body: Int] {
        var users: [RoomMaker.Body: Int] = [:]
        for unit in chosen {
            if case .entry(_, _, _, let body) = candidates[unit.id] { users[body] = 0 }
        }
        guard !users.isEmpty else { return users }
        for candidate in candidates {
            if case .entry(_, _, _, let body) = candidate, let count = users[body] { users[body] = count + 1 }
        }
        return users
    }

    /// Removes units from the catalogue, and writes the numbers of evicted entries.
    func remove(_ chosen: [EvictionPlan.Unit], from catalogue: inout Catalogue) throws(CacheError)
        -> RoomMaker.Departures
    {
        var departures = RoomMaker.Departures()
        var entries: [String: (bitmap: EvictionBitmap, count: Int, bytes: Int64)] = [:]
        var users = bodyUsers(of: chosen)
        for unit in chosen {
            switch candidates[unit.id] {
            case .earlierGeneration(let package, let folder):
                catalogue[package.name]?.older.removeAll { $0.folder == folder }
                departures.words.append("an earlier version of '\(package.name)'")
            case .package(let package):
                catalogue[package.name] = nil
                departures.words.append("'\(package.name)'")
            case .entry(let package, let number, let bytes, let body):
                users[body, default: 1] -= 1
                if users[body] == 0 { departures.bodies.append(body) }
                var known = entries.removeValue(forKey: package.name)
                if known == nil {
                    let empty = EvictionBitmap(entries: package.current.resources)
                    let before = package.current.evicted == nil ? empty : evicted[package.name] ?? empty
                    known = (before, 0, package.current.evicted?.bytes ?? 0)
                }
                known?.bitmap.insert(number)
                known?.count += 1
                known?.bytes += bytes
                entries[package.name] = known
            }
        }
        for (name, found) in entries.sorted(by: { $0.key < $1.key }) {
            catalogue[name]?.current.evicted = try found.bitmap.write(bytes: found.bytes, to: layout)
            departures.words.append("\(found.count) \(found.count == 1 ? "entry" : "entries") of '\(name)'")
        }
        return departures
    }
}
