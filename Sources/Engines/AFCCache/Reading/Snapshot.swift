internal import AFCFiles
internal import AFCPackageFormat
internal import Synchronization

/// A snapshot of the catalogue: the current generation of each package, opened when first needed.
final class Snapshot: Sendable {
    /// The packages in the order in which a look-up tries them: higher priority first, then those loaded later.
    let packages: [OpenPackage]
    /// The number in `changes` when the snapshot was taken.
    let change: UInt64
    /// The catalogue of the snapshot.
    let catalogue: Catalogue
    /// The first bytes of the catalogue's digest.
    let stamp: UInt64

    /// The evicted entries of the current generations, by the names of their files.
    let bitmaps: [String: EvictionBitmap]
    /// The packages that this process has mounted beside those of the cache, and the number of times that it changed
    /// them.
    let mounts: Mounts

    private let installed: [OpenPackage]
    private let byHost: [String: [OpenPackage]]

    /// Takes a snapshot, and keeps the files that an older one has open.
    init(
        _ reading: CatalogueFile.Reading,
        _ bitmaps: [String: EvictionBitmap],
        from old: Snapshot?,
        layout: CacheLayout,
        memory: IndexMemory,
        mounts: Mounts,
        change: UInt64
    ) {
        self.change = change
        self.bitmaps = bitmaps
        self.mounts = mounts
        catalogue = reading.catalogue
        stamp = reading.stamp
        let known = Dictionary(
            // In a rebuilt catalogue, or in another cache at this path, the same row numbers may belong to other
            // generations.
            (old?.packages ?? []).map { ($0.generation.folder, $0.files) },
            uniquingKeysWith: { one, _ in one }
        )
        installed = reading.catalogue.packages.map { row in
            OpenPackage(
                row,
                files: known[row.current.folder]
                    ?? GenerationFiles(layout.generation(row.current.folder), memory: memory),
                evicted: row.current.evicted.flatMap { bitmaps[$0.file] }
            )
        }
        packages = mounts.added(to: installed)
        byHost = Self.byHost(packages)
    }

    /// Creates the same snapshot with other mounted packages.
    init(_ old: Snapshot, _ mounts: Mounts) {
        (change, bitmaps, catalogue, stamp) = (old.change, old.bitmaps, old.catalogue, old.stamp)
        (installed, self.mounts) = (old.installed, mounts)
        packages = mounts.added(to: installed)
        byHost = Self.byHost(packages)
    }

    /// Creates the snapshot of mounted packages, which never changes.
    ///
    /// - Parameter mounted: The packages in the order in which a look-up tries them.
    init(mounted: [OpenPackage]) {
        (packages, installed, mounts) = (mounted, mounted, Mounts())
        (change, stamp, bitmaps) = (0, 0, [:])
        catalogue = Catalogue(packages: mounted.map(\.row))
        byHost = Self.byHost(mounted)
    }

    private static func byHost(_ packages: [OpenPackage]) -> [String: [OpenPackage]] {
        var byHost: [String: [OpenPackage]] = [:]
        for package in packages {
            for host in Set(package.generation.origins.map(\.host)) { byHost[host, default: []].append(package) }
        }
        return byHost
    }

    /// Returns the packages with something from a host, in the order in which a look-up tries them.
    func packages(withHost host: String) -> [OpenPackage] { byHost[host] ?? [] }

    /// The result of a look-up.
    struct Found {
        /// The key under which it is stored.
        var key: ResourceKey
        var resource: IndexedResource
        var package: OpenPackage
    }

    /// Returns the response to serve for a resource: by highest priority, then the newest, then the one loaded last.
    func find(_ key: ResourceKey) throws(CacheError) -> Found? {
        guard let candidates = byHost[key.host] else { return nil }
        var best: Found?
        for package in candidates {
            if let best, package.priority < best.package.priority { break }
            guard let found = try package.find(key) else { continue }
            // Candidates come in the order of loading, the last first, so the first of equal ones is kept.
            let isNewer = best.map { Self.isNewer(found, than: $0.resource) } ?? true
            if isNewer { best = Found(key: key, resource: found, package: package) }
        }
        return best
    }

    /// Returns true if finding a host's responses takes no wait for a disk.
    func isInMemory(_ host: String) -> Bool { packages(withHost: host).allSatisfy(\.files.isInMemory) }

    /// Returns true if a resource that wasn't found may have a response under an equivalent spelling of its URL.
    func mayHaveEquivalent(_ key: ResourceKey) -> Bool {
        EquivalentSpelling.normal(key.text) != nil
            || packages(withHost: key.host).contains { $0.files.mayHaveOddSpellings }
    }

    /// Returns true if the first of two responses of one URL is the one to serve.
    static func isNewer(_ one: IndexedResource, than other: IndexedResource) -> Bool {
        guard let date = one.lastModified else { return false }
        guard let otherDate = other.lastModified else { return true }
        return date > otherDate
    }
}

/// The packages that a process has mounted beside those of a cache.
struct Mounts: Sendable {
    /// The packages; their generations have the lowest numbers, so that they count as loaded before all others.
    private(set) var packages: [OpenPackage] = []
    /// The number of changes.
    private(set) var changes: UInt64 = 0

    /// The number of the next generation.
    var next: Int64 { Int64.min + Int64(changes) }

    /// Adds a package, in place of one with the same name.
    mutating func add(_ package: OpenPackage) {
        packages.removeAll { $0.name == package.name }
        packages.append(package)
        changes += 1
    }

    /// Removes a package.
    ///
    /// - Returns: False if there is none with the name.
    mutating func remove(_ name: String) -> Bool {
        guard let place = packages.firstIndex(where: { $0.name == name }) else { return false }
        packages.remove(at: place)
        changes += 1
        return true
    }

    /// Returns these and the installed packages in the order in which a look-up tries them; an installed one takes the
    /// place of a mounted one with the same name.
    func added(to installed: [OpenPackage]) -> [OpenPackage] {
        let names = Set(installed.map(\.name))
        return (installed + packages.filter { !names.contains($0.name) }).sorted { one, other in
            (one.priority, one.generation.id) > (other.priority, other.generation.id)
        }
    }
}

/// A package in a snapshot of the catalogue.
struct OpenPackage: Sendable {
    let row: CataloguedPackage
    let files: GenerationFiles
    private let evicted: EvictionBitmap?

    init(_ row: CataloguedPackage, files: GenerationFiles, evicted: EvictionBitmap? = nil) {
        (self.row, self.files, self.evicted) = (row, files, evicted)
    }

    /// Opens a package as it was in another generation, whose index isn't copied into memory.
    init(_ row: CataloguedPackage, at generation: Generation, in layout: CacheLayout) throws(CacheError) {
        var row = row
        row.current = generation
        row.older = []
        self.init(
            row,
            files: GenerationFiles(layout.generation(generation.folder), memory: IndexMemory(limit: 0)),
            evicted: generation.evicted == nil ? nil : try EvictionBitmap.of(generation, in: layout)
        )
    }

    var name: String { row.name }
    var priority: Int { row.settings.priority }
    var generation: Generation { row.current }

    /// Returns the package's response for a resource, or nil if it has none or it was evicted.
    func find(_ key: ResourceKey) throws(CacheError) -> IndexedResource? {
        guard let found = try files.index().find(key), !isEvicted(found.number) else { return nil }
        return found
    }

    /// Returns true if an entry was evicted.
    func isEvicted(_ number: UInt32) -> Bool { evicted?.contains(number) ?? false }
}

/// The folder of a generation, whose index is opened when first needed.
final class GenerationFiles: Sendable {
    let layout: GenerationLayout
    let recency: RecencyRecorder
    private let memory: IndexMemory
    private let opened = Mutex<GenerationIndex?>(nil)
    private let bodies = Mutex<OpenFolder?>(nil)
    private let spellings = Mutex<OddSpellings?>(nil)
    private let rules = Mutex<GenerationRules?>(nil)
    /// The members of a mounted package; nil for a generation in a cache.
    let mounted: MountedMembers?

    init(_ layout: GenerationLayout, memory: IndexMemory = IndexMemory()) {
        self.layout = layout
        self.memory = memory
        recency = RecencyRecorder(layout)
        mounted = nil
    }

    /// Creates the files of a mounted package.
    init(_ mounted: MountedMembers, _ index: GenerationIndex, _ rules: GenerationRules) {
        layout = GenerationLayout(store: mounted.path, area: "", folder: "")
        memory = IndexMemory()
        recency = RecencyRecorder(layout)
        self.mounted = mounted
        opened.withLock { $0 = index }
        self.rules.withLock { $0 = rules }
    }

    func index() throws(CacheError) -> GenerationIndex {
        try opened.withLock { opened throws(CacheError) in
            if let index = opened { return index }
            let index = try GenerationIndex(layout, memory: memory)
            opened = index
            return index
        }
    }

    /// True if the index is in memory.
    var isInMemory: Bool { opened.withLockIfAvailable { $0?.isInMemory ?? false } ?? false }

    /// True if some URL isn't in the normal form, or if that isn't known yet.
    var mayHaveOddSpellings: Bool { spellings.withLockIfAvailable { $0.map { !$0.isEmpty } ?? true } ?? true }

    /// Opens the file of a body if that takes no wait for a disk; nil if it would wait or fails.
    func openBodyAtOnce(_ member: String) -> Int32? { (bodies.withLockIfAvailable { $0 } ?? nil)?.fileAtOnce(member) }

    /// Opens the file of a body.
    ///
    /// - Returns: The file's descriptor, or nil if it doesn't exist.
    /// - Throws: ``CacheError`` if it can't be opened, isn't a regular file, or is behind a link.
    func openBody(_ member: String) throws(CacheError) -> Int32? {
        try bodies.withLock { bodies throws(CacheError) -> OpenFolder in
            if let folder = bodies { return folder }
            let folder = try layout.openFiles()
            bodies = folder
            return folder
        }.file(member)
    }

    /// Returns the package's rules for parameters; reads them once.
    func matchRules() throws(CacheError) -> MatchRules? { try generationRules().rules }

    /// Returns the package's rule for a path if that takes no wait for a disk; `isKnown` is false if it would wait.
    func matchRuleAtOnce(for path: String) -> (isKnown: Bool, rule: MatchRules.Rule?) {
        guard let known = rules.withLockIfAvailable({ $0 }), let known else { return (false, nil) }
        return (true, known.rules?.rule(for: path))
    }

    /// Returns the package's fallbacks for navigations; reads them once.
    func fallback() throws(CacheError) -> FallbackRules? { try generationRules().fallback }

    /// Returns the URLs that the package's site doesn't have; reads them once.
    func absent() throws(CacheError) -> AbsentURLs? { try generationRules().absent }

    private func generationRules() throws(CacheError) -> GenerationRules {
        try rules.withLock { rules throws(CacheError) -> GenerationRules in
            if let rules { return rules }
            let read = GenerationRules(try layout.open())
            rules = read
            return read
        }
    }

    /// Returns the URLs that are not in the normal form; reads them once, when a look-up finds nothing.
    func oddSpellings() throws(CacheError) -> OddSpellings {
        let index = try index()
        return try spellings.withLock { spellings throws(CacheError) in
            if let spellings { return spellings }
            let read = try OddSpellings(index)
            spellings = read
            return read
        }
    }
}

extension Snapshot {
    /// Writes down when entries were last used.
    func flushRecency() { for package in packages { package.files.recency.flush() } }
}
