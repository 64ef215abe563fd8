internal import AFCCaching
internal import AFCFiles
public import AFCHTTP
public import AFCText
internal import GRDB

/// What left the store to make room.
struct Displacement {
    /// For people: names of packages, and how many entries.
    var words: [String] = []
    /// Bodies whose files nobody needs any more.
    var bodies: [Body] = []

    /// A body of a generation.
    struct Body: Hashable {
        var generation: String
        var member: String
    }
}

extension OfflineCache {
    /// How much the store may hold.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func limits() throws(CacheError) -> CacheLimits { try snapshot().catalogue.limits }

    /// Sets how much the store may hold, and makes it hold no more.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - now: The present time.
    ///   - patience: How long to wait for another writer.
    /// - Returns: What left, in words.
    /// - Throws: ``CacheError`` where what is pinned alone is more; the limits are then as they were.
    public func setLimits(_ limits: CacheLimits, now: Timestamp, patience: WriterPatience = WriterPatience())
        async throws(CacheError) -> [String]
    {
        try await writer.changing(patience, isFreeing: true) { () throws(CacheError) in
            let displacement = try self.writer.commit { db in
                try limits.save(to: db)
                return try self.displace(db, limits: limits, keeping: nil, now: now)
            }
            self.removeBodies(of: displacement)
            return self.makeRoomForPackages(now: now) + displacement.words
        }
    }

    /// Makes room within a transaction.
    func displace(_ db: Database, limits: CacheLimits, keeping name: String?, now: Timestamp) throws -> Displacement {
        guard limits != CacheLimits() else { return Displacement() }
        let packages = try CataloguedPackage.fetchAll(db)
        let bytes = packages.reduce(Int64(0)) { $0 + $1.storedBytes } - (limits.bytes ?? .max)
        let entries = packages.reduce(0) { $0 + $1.current.heldEntries } - (limits.entries ?? .max)
        guard bytes > 0 || entries > 0 else { return Displacement() }
        flushRecency()
        var candidates = try DisplacementCandidates(packages, keeping: name, layout: layout, now: now)
        guard let chosen = DisplacementPlan.choose(from: candidates.units, bytes: bytes, entries: entries) else {
            throw CacheError(
                .full,
                subject: path,
                message:
                    "the store's limits leave no room beside what is pinned; raise them, or unpin a package",
                remedy: .raiseLimit
            )
        }
        return try candidates.remove(chosen, from: db)
    }

    /// Removes the files of displaced entries; what can't be removed now is removed by `gc`.
    func removeBodies(of displacement: Displacement) {
        for body in displacement.bodies { try? layout.generation(body.generation).openFiles().removeFile(body.member) }
    }
}

/// What may leave the store, and how it does.
private struct DisplacementCandidates {
    private enum Candidate {
        case previousGeneration(CataloguedPackage)
        case package(CataloguedPackage)
        case entry(CataloguedPackage, number: UInt32, bytes: Int64, body: Displacement.Body)
    }

    private(set) var units: [DisplacementPlan.Unit] = []
    private var candidates: [Candidate] = []

    init(_ packages: [CataloguedPackage], keeping name: String?, layout: CacheLayout, now: Timestamp)
        throws(CacheError)
    {
        for package in packages {
            if let previous = package.previous {
                add(.previousGeneration(package)) { unit in
                    unit.kind = .previousGeneration
                    unit.bytes = package.storedBytes - package.current.heldBytes
                    unit.order = previous.id
                }
            }
            guard !package.isPinned, package.name != name else { continue }
            let files = layout.generation(package.current.folder)
            let recency = RecencyRecorder.read(files, count: package.current.resources)
            let loaded = RecencyRecorder.minutes(package.current.loaded)
            guard package.isSeparable else {
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

    private mutating func add(_ candidate: Candidate, _ change: (inout DisplacementPlan.Unit) -> Void) {
        var unit = DisplacementPlan.Unit(
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
        let gone = package.current.displaced
        try GenerationIndex(files).forEach { resource throws(CacheError) in
            guard let member = resource.member, !gone.contains(resource.number) else { return true }
            let number = Int(resource.number)
            let body = Displacement.Body(generation: files.folder, member: member)
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

    /// How many entries have their bodies in the files of the chosen ones: a body goes with the last of them.
    private func bodyUsers(of chosen: [DisplacementPlan.Unit]) -> [Displacement.Body: Int] {
        var users: [Displacement.Body: Int] = [:]
        for unit in chosen {
            if case .entry(_, _, _, let body) = candidates[unit.id] { users[body] = 0 }
        }
        guard !users.isEmpty else { return users }
        for candidate in candidates {
            if case .entry(_, _, _, let body) = candidate, let count = users[body] { users[body] = count + 1 }
        }
        return users
    }

    mutating func remove(_ chosen: [DisplacementPlan.Unit], from db: Database) throws -> Displacement {
        var displacement = Displacement()
        var entries: [String: Int] = [:]
        var users = bodyUsers(of: chosen)
        for unit in chosen {
            switch candidates[unit.id] {
            case .previousGeneration(let package):
                try db.execute(sql: "UPDATE package SET previous = NULL WHERE name = ?", arguments: [package.name])
                displacement.words.append("the previous generation of '\(package.name)'")
            case .package(let package):
                try CataloguedPackage.delete(name: package.name, from: db)
                displacement.words.append("'\(package.name)'")
            case .entry(let package, let number, let bytes, let body):
                try db.execute(
                    sql: "INSERT INTO displaced (generation, number, bytes) VALUES (?, ?, ?)",
                    arguments: [package.current.id, number, bytes]
                )
                users[body, default: 1] -= 1
                if users[body] == 0 { displacement.bodies.append(body) }
                entries[package.name, default: 0] += 1
            }
        }
        for (name, count) in entries.sorted(by: { $0.key < $1.key }) {
            displacement.words.append("\(count) \(count == 1 ? "entry" : "entries") of '\(name)'")
        }
        return displacement
    }
}
