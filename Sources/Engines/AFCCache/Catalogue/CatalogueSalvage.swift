internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCURL
internal import GRDB

/// The packages of a cache without its catalogue, reconstructed from the published catalogue, the records in the
/// folders of generations, and the indices.
struct CatalogueSalvage {
    /// A package, with the origins of its current and its previous generation.
    struct Found {
        var package: CataloguedPackage
        var origins: [String: [CataloguedOrigin]] = [:]
        /// The sizes of evicted bodies, by the generation's folder and the entry's number.
        var evicted: [String: [UInt32: Int64]] = [:]
    }

    private(set) var packages: [Found] = []
    private(set) var limits = CacheLimits()

    private let layout: CacheLayout

    /// Reads a cache's folder.
    ///
    /// The caller has the right to change the cache.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - known: The folders that are already in use or recorded for removal.
    /// - Throws: ``CacheError`` if a folder can't be read.
    init(_ layout: CacheLayout, besides known: Set<String> = []) throws(CacheError) {
        self.layout = layout
        let root = try OpenFolder(path: layout.root)
        let staged = try root.folderIfThere("staging")?.names() ?? []
        let left = known.union(staged.compactMap(OwnName.generation(notedBy:)))
        var folders = Set(try FolderKind.generations(in: root).filter { !left.contains($0) })
        guard !folders.isEmpty else { return }
        let area = try root.folder("packages")
        for (row, origins) in Self.rows(layout, area, folders, &limits) {
            guard let row = row.keeping(folders) else { continue }
            for generation in row.generations { folders.remove(generation.folder) }
            packages.append(Found(package: row, origins: [row.current.folder: origins]))
        }
        try addBare(folders.filter { (try? area.folder($0)).flatMap(CatalogueExtract.read) == nil }, area)
        for place in packages.indices { complete(&packages[place]) }
    }

    /// Returns the rows in the published catalogue and the records, for each name the most recent one.
    private static func rows(
        _ layout: CacheLayout,
        _ area: OpenFolder,
        _ folders: Set<String>,
        _ limits: inout CacheLimits
    ) -> [(CataloguedPackage, [CataloguedOrigin])] {
        var rows: [String: (row: CataloguedPackage, origins: [CataloguedOrigin], rank: (Int64, Int))] = [:]
        func consider(_ catalogue: PublishedCatalogue, _ rank: Int) {
            for row in catalogue.packages {
                guard row.keeping(folders) != nil else { continue }
                let newest = row.generations.map(\.id).max() ?? 0
                if let known = rows[row.name], known.rank >= (newest, rank) { continue }
                rows[row.name] = (row, catalogue.origins[row.current.id] ?? [], (newest, rank))
            }
        }
        // If rows have the same generations, the published one was written last.
        for folder in folders.sorted() {
            guard let record = (try? area.folder(folder)).flatMap(CatalogueExtract.read) else { continue }
            if !record.limits.isUnlimited { limits = record.limits }
            consider(record, 0)
        }
        if let published = (try? PublishedCatalogue.read(layout))?.catalogue {
            limits = published.limits
            consider(published, 1)
        }
        return rows.values.sorted { $0.row.name < $1.row.name }.map { ($0.row, $0.origins) }
    }

    // MARK: Generations without a record

    /// Adds generations of which only the index is known, named by their host.
    ///
    /// Two generations that share bodies belong to the same package.
    private mutating func addBare(_ folders: Set<String>, _ area: OpenFolder) throws(CacheError) {
        var bare: [(generation: Generation, inodes: Set<UInt64>, host: String)] = []
        for folder in folders {
            do throws(CacheError) {
                let found = try Bare(layout.generation(folder))
                bare.append((found.generation, found.inodes, found.host))
            } catch {
                // A damaged index provides nothing; one that can't be read at the moment may be readable later.
                guard error.number == nil || error.number == EIO else { throw error }
            }
        }
        bare.sort { ($0.generation.loaded, $0.generation.folder) < ($1.generation.loaded, $1.generation.folder) }
        var groups: [(generations: [Generation], inodes: Set<UInt64>, host: String)] = []
        for (generation, inodes, host) in bare {
            if let place = groups.firstIndex(where: { !$0.inodes.isDisjoint(with: inodes) }) {
                groups[place].generations.append(generation)
                groups[place].inodes.formUnion(inodes)
            } else {
                groups.append(([generation], inodes, host))
            }
        }
        var names = Set(packages.map(\.package.name))
        for group in groups {
            var name = group.host
            var number = 1
            while !names.insert(name).inserted {
                number += 1
                name = "\(group.host)-\(number)"
            }
            guard let current = group.generations.last else { continue }
            var settings = PackageSettings()
            settings.isSeparable = !current.evicted.isEmpty
            packages.append(
                Found(
                    package: CataloguedPackage(
                        name: name,
                        settings: settings,
                        current: current,
                        previous: group.generations.dropLast().last
                    )
                )
            )
        }
    }

    /// A generation, as its index describes it.
    private struct Bare {
        var generation: Generation
        var inodes: Set<UInt64> = []
        var host = ""

        init(_ files: GenerationLayout) throws(CacheError) {
            let folder = try files.open()
            let index = try GenerationIndex(files)
            let bodies = try files.openFilesIfThere()
            let digest = try BodyJudge.digest(of: GenerationLayout.indexName, in: folder) ?? []
            generation = Generation(
                folder: files.folder,
                created: nil,
                loaded: Timestamp(
                    secondsSinceEpoch: try folder.status(of: GenerationLayout.indexName).map { FileTime($0).seconds }
                        ?? 0
                ),
                generator: nil,
                seeds: [],
                resources: index.count,
                bodyBytes: 0,
                sharedBytes: 0,
                latestExpiry: nil,
                indexDigest: Hexadecimal.text(digest)
            )
            var hosts: [String: Int] = [:]
            var isEndless = false
            try index.forEach { resource throws(CacheError) in
                hosts[(try? WebURL(resource.url))?.host ?? "", default: 0] += 1
                guard let member = resource.member else { return true }
                generation.bodyBytes += resource.size
                isEndless = isEndless || resource.expires == nil
                generation.latestExpiry = [generation.latestExpiry, resource.expires].compactMap(\.self).max()
                guard let status = try bodies?.status(of: member) else {
                    // It is unknown whether the body was evicted or lost. An evicted entry is never looked up.
                    generation.evicted.insert(resource.number)
                    return true
                }
                if status.st_nlink > 1 { inodes.insert(UInt64(status.st_ino)) }
                return true
            }
            if isEndless { generation.latestExpiry = nil }
            host = hosts.filter { !$0.key.isEmpty }.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "package"
        }
    }

    // MARK: Values in the index only

    /// Adds the values that rows lack but the index has: the origins of each generation, and the sizes of evicted
    /// bodies.
    private func complete(_ found: inout Found) {
        for generation in found.package.generations {
            let files = layout.generation(generation.folder)
            var evicted: [UInt32: Int64] = [:]
            var origins = OriginCount(seeds: generation.seeds)
            let isRead: Void? = try? GenerationIndex(files).forEach { resource in
                origins.add(resource)
                if generation.evicted.contains(resource.number) { evicted[resource.number] = resource.size }
                return true
            }
            // A damaged index is repaired from its package; until then, the row's own origins are used.
            guard isRead != nil else { continue }
            found.origins[generation.folder] = origins.all
            found.evicted[generation.folder] = evicted
        }
    }

    // MARK: Writing

    /// Writes packages into the catalogue, replacing those with the same names.
    func save(_ chosen: [Found], to db: Database) throws {
        var numbers: [String: Int64] = [:]
        let generations = chosen.flatMap { found in found.package.generations.map { (found, $0) } }
        // The order of numbers says which one was loaded later.
        func order(_ generation: Generation) -> (Int64, Timestamp, String) {
            (generation.id, generation.loaded, generation.folder)
        }
        for (found, generation) in generations.sorted(by: { order($0.1) < order($1.1) }) {
            let folder = generation.folder
            let id = try generation.insert(into: db, origins: found.origins[folder] ?? [])
            numbers[folder] = id
            for (number, bytes) in found.evicted[folder] ?? [:] {
                try db.execute(
                    sql: "INSERT INTO displaced (generation, number, bytes) VALUES (?, ?, ?)",
                    arguments: [id, Int64(number), bytes]
                )
            }
        }
        for var package in chosen.map(\.package) {
            package.current.id = numbers[package.current.folder] ?? 0
            if let previous = package.previous { package.previous?.id = numbers[previous.folder] ?? 0 }
            try package.save(to: db)
        }
    }

    // MARK: Use

    /// Rebuilds the catalogue if it is lost, empty or damaged and there are generations to rebuild it from.
    ///
    /// A damaged catalogue is renamed and kept until garbage is collected.
    ///
    /// - Returns: True if it was rebuilt.
    /// - Throws: ``CacheError`` if the catalogue can't be read for another reason, or nothing can be written.
    static func rebuildWhereUnusable(_ layout: CacheLayout) throws(CacheError) -> Bool {
        let isUnusable = try Self.isUnusable(layout)
        if !isUnusable { guard try CatalogueComparison.differ(layout) else { return false } }
        try FolderKind.prepare(layout)
        let lock = try WriterLock(layout, patience: nil) { _ in }
        // Another process may have rebuilt it in the meantime.
        guard try isUnusable ? Self.isUnusable(layout) : CatalogueComparison.contradict(layout) else { return false }
        let salvage = try CatalogueSalvage(layout)
        try putAside(layout)
        try onDatabase(layout.catalogue) {
            try CacheDatabase.makeWhereMissing(layout.catalogue, drafts: layout.staging)
            let database = try CacheDatabase.openForWriting(layout.catalogue, isDurable: true) { db in
                try CatalogueSchema.check(db, path: layout.catalogue)
            }
            try database.write { db in
                try CatalogueSchema.create(in: db)
                try salvage.limits.save(to: db)
                try salvage.save(salvage.packages, to: db)
            }
            try database.read { try PublishedCatalogue.fetch($0) }.publish(layout)
        }
        _ = try? ChangeCounter.grow(path: layout.changes)
        lock.release()
        return true
    }

    /// Returns true if the catalogue is lost, has no tables, or is damaged, so that it can't be used.
    private static func isUnusable(_ layout: CacheLayout) throws(CacheError) -> Bool {
        switch try FolderKind.of(layout) {
        case .lost: return true
        case .vacant: return false
        case .cache: break
        }
        do throws(CacheError) {
            return try CacheDatabase.read(layout) { db in
                if try CatalogueSchema.check(db, path: layout.catalogue) == 0 { return true }
                return try String.fetchAll(db, sql: "PRAGMA integrity_check(1)") != ["ok"]
            }
        } catch {
            guard error.code == .damaged, error.subject == layout.catalogue else { throw error }
            return true
        }
    }

    private static func putAside(_ layout: CacheLayout) throws(CacheError) {
        let aside = layout.root + "/" + OwnName.damaged()
        // The log first: without its database, nothing reads it.
        for suffix in ["-shm", "-wal", ""] {
            guard rename(layout.catalogue + suffix, aside + suffix) != 0, errno != ENOENT else { continue }
            throw .system("cannot rename", path: layout.catalogue + suffix)
        }
    }

    /// Restores generations that are missing from the catalogue, for example because it was replaced by an older copy.
    ///
    /// These are the generations of packages that the catalogue lacks or whose current generation is gone.
    ///
    /// - Returns: The generations that were restored.
    static func takeBack(by change: CatalogueChange) throws(CacheError) -> [CacheFinding] {
        let known = try change.read { db in
            try Generation.knownFolders(in: db).union(Generation.awaitingRemoval(in: db))
        }
        let found = try lost(in: change.layout, besides: known)
        guard !found.isEmpty else { return [] }
        let salvage = try CatalogueSalvage(change.layout, besides: known)
        try change.commit { db in
            for package in found.map(\.package) { try CataloguedPackage.delete(name: package.name, from: db) }
            try salvage.save(found, to: db)
        }
        return found.map { found in
            CacheFinding(
                kind: .catalogueDamaged,
                path: change.layout.generation(found.package.current.folder).root,
                package: found.package.name,
                message: "this generation was missing from the catalogue"
            )
        }
    }

    /// Returns the packages whose generations are missing from the catalogue.
    static func lost(in layout: CacheLayout, besides known: Set<String>) throws(CacheError) -> [Found] {
        let packages = try CacheDatabase.read(layout) { try CataloguedPackage.fetchAll($0) }
        return try CatalogueSalvage(layout, besides: known).packages.filter { found in
            guard let known = packages.first(where: { $0.name == found.package.name }) else { return true }
            return (try? layout.generation(known.current.folder).open()) == nil
        }
    }
}

extension CataloguedPackage {
    /// Returns the package with those of its generations that exist; nil if none does.
    fileprivate func keeping(_ folders: Set<String>) -> CataloguedPackage? {
        let there = generations.filter { folders.contains($0.folder) }
        guard let first = there.first else { return nil }
        var package = self
        (package.current, package.previous) = (first, there.dropFirst().first)
        return package
    }
}
