internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

/// The catalogue of a cache: its packages with the generations that are kept, and its limits.
struct Catalogue: Sendable, Equatable {
    /// The number of the change that made this state; it says which of two states is later, whatever the clock says.
    var change: Int64 = 0
    /// The number of the next new generation.
    ///
    /// Numbers are never reused: they say which generation was loaded later.
    var next: Int64 = 1
    /// The limits of the cache.
    var limits = CacheLimits()
    /// The folders of generations that are no longer needed and may still exist.
    var removed: Set<String> = []
    /// The packages, sorted by the bytes of their names.
    private(set) var packages: [CataloguedPackage] = []

    /// Creates a catalogue of packages whose names differ.
    init(packages: [CataloguedPackage] = [], limits: CacheLimits = CacheLimits()) {
        self.limits = limits
        self.packages = packages.sorted { Self.isBefore($0.name, $1.name) }
        next = (packages.flatMap(\.generations).map(\.id).max() ?? 0) + 1
    }

    /// The package with a name; setting nil removes it.
    subscript(_ name: String) -> CataloguedPackage? {
        get { packages.first { $0.name == name } }
        set {
            let place = packages.firstIndex { !Self.isBefore($0.name, name) } ?? packages.endIndex
            let isKnown = place < packages.endIndex && packages[place].name == name
            packages.replaceSubrange(place..<(place + (isKnown ? 1 : 0)), with: newValue.map { [$0] } ?? [])
            for generation in newValue?.generations ?? [] { next = max(next, generation.id + 1) }
        }
    }

    /// The folders of all generations.
    var folders: Set<String> { Set(packages.flatMap(\.generations).map(\.folder)) }

    /// The size of all bodies in bytes; bodies that generations share count once.
    var storedBytes: Int64 { packages.reduce(0) { $0 + $1.storedBytes } }

    /// The number of entries of all current generations, without evicted ones.
    var heldEntries: Int { packages.reduce(0) { $0 + $1.current.heldEntries } }

    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

/// A package, as the catalogue describes it.
struct CataloguedPackage: Sendable, Equatable {
    var name: String
    var settings: PackageSettings
    var current: Generation
    /// The earlier generations that are kept, the one that a rollback returns to first.
    var older: [Generation] = []

    /// The generation that a rollback returns to.
    var previous: Generation? { older.first }

    /// The current generation, then the older ones.
    var generations: [Generation] { [current] + older }

    /// The size on disk in bytes; bodies that generations share count once.
    var storedBytes: Int64 {
        let byAge = generations.sorted { $0.id < $1.id }
        let held = byAge.reduce(0) { $0 + $1.heldBytes }
        return max(current.heldBytes, held - byAge.dropFirst().reduce(0) { $0 + $1.sharedBytes })
    }
}

extension CataloguedPackage {
    /// The generations with the times by which they are told apart, the oldest first.
    ///
    /// The time of a generation is when it was made or, if another one has the same, when it was loaded; of several that
    /// were loaded within a second, the later ones have the seconds that follow.
    var times: [(generation: Generation, time: Timestamp)] {
        let byAge = generations.sorted { $0.id < $1.id }
        let made = Dictionary(grouping: byAge) { $0.created }
        var times: [Timestamp: Generation] = [:]
        for generation in byAge {
            let created = generation.created.flatMap { made[$0]?.count == 1 ? $0 : nil }
            var time = created ?? generation.loaded
            while times[time] != nil { time = time + 1 }
            times[time] = generation
        }
        return times.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
    }

    /// Forgets the earlier generations that the package's settings don't keep; those that were current last come first.
    ///
    /// - Parameter now: The current time; nil to forget none by age.
    mutating func trim(now: Timestamp?) {
        switch settings.retention {
        case nil: older = Array(older.prefix(1))
        case .versions(let count): older = Array(older.prefix(count - 1))
        case .seconds(let seconds):
            // A generation was current until the one before it in the list was loaded, at the latest.
            let all = generations
            let kept = older.indices.filter { place in
                guard place > 0, let now else { return true }
                return all[place].loaded + seconds >= now
            }
            older = kept.prefix(PackageSettings.Retention.versionLimit - 1).map { older[$0] }
        }
    }
}

/// One loaded version of a package, as the catalogue describes it.
struct Generation: Sendable, Equatable {
    var id: Int64 = 0
    var folder: String
    var created: Timestamp?
    var loaded: Timestamp
    var generator: String?
    var seeds: [String]
    var resources: Int
    /// The size of all bodies together, in bytes.
    var bodyBytes: Int64
    /// The size of the bodies that share their files with the generation before, in bytes.
    var sharedBytes: Int64
    /// The time when the last entry expires; nil if one never expires or doesn't say.
    var latestExpiry: Timestamp?
    /// The number of URLs that weren't found when the package was crawled, without guesses; nil if it doesn't say.
    var missing: Int?
    /// The SHA-256 of the index.
    var indexDigest: String
    /// The source of the package, for later updates from there.
    var source: String?
    /// The keys that signed the package.
    var signers: [String] = []
    /// The entries that were evicted; nil for none.
    var evicted: EvictedEntries?
    /// The origins, sorted.
    var origins: [CataloguedOrigin] = []

    /// What readers are told about where it is from.
    var provenance: ProvenanceFacts {
        ProvenanceFacts(created: created, signers: signers, latestExpiry: latestExpiry, missing: missing)
    }
    /// The size of the bodies that aren't evicted, in bytes.
    var heldBytes: Int64 { bodyBytes - (evicted?.bytes ?? 0) }
    /// The number of entries that aren't evicted.
    var heldEntries: Int { resources - (evicted?.count ?? 0) }
}

/// The evicted entries of a generation, as the catalogue describes them.
struct EvictedEntries: Sendable, Equatable {
    /// The name of the file with their numbers, which never changes; see ``EvictionBitmap``.
    var file: String
    /// The SHA-256 of the file.
    var digest: String
    /// The number of the entries.
    var count: Int
    /// The size of their bodies together, in bytes.
    var bytes: Int64
}

/// The part of a generation that belongs to one origin.
struct CataloguedOrigin: Sendable, Equatable {
    var origin: String
    var host: String
    var resources = 0
    var bytes: Int64 = 0
    var start: String?
}
