internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCURL

/// The packages of a cache without its catalogue, reconstructed from the records in the folders of generations, and
/// from the indices of those that have none.
struct CatalogueSalvage {
    /// A package.
    struct Found {
        var package: CataloguedPackage
        /// True if there was no record, so that the name is not the package's.
        var isNameless = false
        /// The evicted entries whose file is missing, and the size of their bodies, by the generation's folder.
        var evicted: [String: (bitmap: EvictionBitmap, bytes: Int64)] = [:]
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
        let folders = Set(try FolderKind.generations(in: root).filter { !left.contains($0) })
        guard !folders.isEmpty else { return }
        let records = Records(folders, root)
        limits = records.limits
        var bare = folders.subtracting(records.folders)
        for (package, evicted) in records.packages {
            guard let package = package.keeping(folders) else { continue }
            bare.subtract(package.generations.map(\.folder))
            packages.append(Found(package: package, evicted: evicted))
        }
        try addBare(bare)
        for place in packages.indices { try complete(&packages[place]) }
    }

    /// The records of a cache.
    private struct Records {
        typealias Evicted = [String: (bitmap: EvictionBitmap, bytes: Int64)]

        /// The packages, from the latest record that names each.
        private(set) var packages: [(CataloguedPackage, Evicted)] = []
        /// The folders with a record.
        private(set) var folders: Set<String> = []
        private(set) var limits = CacheLimits()

        init(_ folders: Set<String>, _ root: OpenFolder) {
            typealias Rank = (change: Int64, newest: Int64, isPublished: Int)
            var latest: [String: (row: CataloguedPackage, evicted: Evicted, rank: Rank)] = [:]
            var limitsRank: Rank = (-1, 0, 0)
            var generations: [String: [String: Generation]] = [:]
            func consider(_ rows: [CataloguedPackage], _ evicted: Evicted, _ found: CacheLimits, _ rank: Rank) {
                for row in rows where row.keeping(folders) != nil {
                    var rank = rank
                    rank.newest = row.generations.map(\.id).max() ?? 0
                    for generation in row.generations {
                        generations[row.name, default: [:]][generation.folder] = generation
                    }
                    if let known = latest[row.name], known.rank >= rank { continue }
                    latest[row.name] = (row, evicted, rank)
                }
                if limitsRank < rank { (limits, limitsRank) = (found, rank) }
            }
            for folder in folders.sorted() {
                guard let generation = try? root.folder("packages").folder(folder),
                    let bytes = CatalogueRecord.contents(generation)
                else { continue }
                if let record = CatalogueFormat.parse(bytes) {
                    consider(record.packages, [:], record.limits, (record.change, 0, 0))
                } else if let older = OlderCache.Document(bytes) {
                    consider(older.packages, older.evicted, older.limits, (0, 0, 0))
                } else {
                    continue
                }
                self.folders.insert(folder)
            }
            // What an older cache published for readers is later than its records.
            if let older = CatalogueRecord.contents(root).flatMap({ OlderCache.Document($0) }) {
                consider(older.packages, older.evicted, older.limits, (0, 0, 1))
            }
            packages = latest.values.map { found in
                var row = found.row
                // Records of earlier generations name these alone.
                guard row.settings.retention != nil, row.generations.count > 1 else { return (row, found.evicted) }
                let known = Set(row.generations.map(\.folder))
                let earlier = generations[row.name]?.values.filter {
                    !known.contains($0.folder) && folders.contains($0.folder)
                }
                row.older += (earlier ?? []).sorted { $0.id > $1.id }
                row.trim(now: nil)
                return (row, found.evicted)
            }.sorted { $0.0.name < $1.0.name }
        }
    }

    // MARK: Generations without a record

    /// Adds generations of which only the index is known, named by their host.
    ///
    /// Two generations that share bodies belong to the same package.
    private mutating func addBare(_ folders: Set<String>) throws(CacheError) {
        var bare: [Bare] = []
        for folder in folders {
            do throws(CacheError) {
                bare.append(try Bare(layout.generation(folder)))
            } catch {
                // A damaged index provides nothing; one that can't be read at the moment may be readable later.
                guard error.number == nil || error.number == EIO else { throw error }
            }
        }
        bare.sort {
            ($0.generation.loaded, $0.generation.folder) < ($1.generation.loaded, $1.generation.folder)
        }
        var groups: [(members: [Bare], inodes: Set<UInt64>)] = []
        for found in bare {
            if let place = groups.firstIndex(where: { !$0.inodes.isDisjoint(with: found.inodes) }) {
                groups[place].members.append(found)
                groups[place].inodes.formUnion(found.inodes)
            } else {
                groups.append(([found], found.inodes))
            }
        }
        var names = Set(packages.map(\.package.name))
        for group in groups {
            guard let current = group.members.last else { continue }
            let host = group.members[0].host
            var name = host
            var number = 1
            while !names.insert(name).inserted {
                number += 1
                name = "\(host)-\(number)"
            }
            let kept = [current] + (group.members.dropLast().last.map { [$0] } ?? [])
            var package = CataloguedPackage(name: name, settings: PackageSettings(), current: current.generation)
            package.settings.isSeparable = current.evicted.bitmap.count > 0
            package.older = kept.dropFirst().map(\.generation)
            var found = Found(package: package, isNameless: true)
            for bare in kept where bare.evicted.bitmap.count > 0 {
                found.evicted[bare.generation.folder] = bare.evicted
            }
            packages.append(found)
        }
    }

    /// A generation, as its index describes it.
    private struct Bare {
        var generation: Generation
        var inodes: Set<UInt64> = []
        var host = ""
        /// The entries without a body.
        ///
        /// It is unknown whether they were evicted or lost. An evicted entry is never looked up.
        let evicted: (bitmap: EvictionBitmap, bytes: Int64)

        init(_ files: GenerationLayout) throws(CacheError) {
            let folder = try files.open()
            let index = try GenerationIndex(files)
            let bodies = try files.openFilesIfThere()
            let digest = try BodyJudge.digest(of: GenerationLayout.indexName, in: folder) ?? []
            evicted = try EvictionBitmap.withoutBody(in: files)
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
                if let status = try bodies?.status(of: member), status.st_nlink > 1 {
                    inodes.insert(UInt64(status.st_ino))
                }
                return true
            }
            if isEndless { generation.latestExpiry = nil }
            host = hosts.filter { !$0.key.isEmpty }.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "package"
        }
    }

    // MARK: Values in the index only

    /// Adds what a record lacks but the index has: the origins of a generation, and which entries were evicted if their
    /// file is gone.
    private func complete(_ found: inout Found) throws(CacheError) {
        func completed(_ generation: Generation) throws(CacheError) -> Generation {
            var generation = generation
            let files = layout.generation(generation.folder)
            if generation.origins.isEmpty {
                var origins = OriginCount(seeds: generation.seeds)
                // A damaged index is repaired from its package.
                let isRead: Void? = try? GenerationIndex(files).forEach { resource in
                    origins.add(resource)
                    return true
                }
                if isRead != nil { generation.origins = origins.all }
            }
            if let evicted = generation.evicted,
                try EvictionBitmap.read(evicted, entries: generation.resources, in: layout) == nil
            {
                generation.evicted = nil
                found.evicted[generation.folder] = try? EvictionBitmap.withoutBody(in: files)
            }
            return generation
        }
        found.package.current = try completed(found.package.current)
        for place in found.package.older.indices {
            found.package.older[place] = try completed(found.package.older[place])
        }
    }

    // MARK: Writing

    /// Adds packages to a catalogue, in place of those with the same names.
    ///
    /// The generations get new numbers, whose order says which one was loaded later.
    ///
    /// - Throws: ``CacheError`` if the numbers of evicted entries can't be written.
    func add(_ chosen: [Found], to catalogue: inout Catalogue) throws(CacheError) {
        var numbers: [String: Int64] = [:]
        func order(_ generation: Generation) -> (Int64, Timestamp, String) {
            (generation.id, generation.loaded, generation.folder)
        }
        for generation in chosen.flatMap(\.package.generations).sorted(by: { order($0) < order($1) }) {
            numbers[generation.folder] = catalogue.next
            catalogue.next += 1
        }
        for found in chosen {
            func numbered(_ generation: Generation) throws(CacheError) -> Generation {
                var generation = generation
                generation.id = numbers[generation.folder] ?? 0
                if let evicted = found.evicted[generation.folder] {
                    generation.evicted = try evicted.bitmap.write(bytes: evicted.bytes, to: layout)
                }
                return generation
            }
            var package = found.package
            package.current = try numbered(package.current)
            for place in package.older.indices { package.older[place] = try numbered(package.older[place]) }
            catalogue[package.name] = package
        }
    }

    // MARK: Use

    /// Rebuilds the catalogue if it and its copy are lost or damaged, or are those of an older cache.
    ///
    /// Damaged files are renamed and kept until garbage is collected.
    ///
    /// - Returns: What was rebuilt; empty if that wasn't necessary.
    /// - Throws: ``CacheError`` if the catalogue can't be read for another reason, or nothing can be written.
    static func rebuildWhereUnusable(_ layout: CacheLayout, reader: CatalogueReader) throws(CacheError)
        -> [CacheFinding]
    {
        guard try isUnusable(layout) else { return [] }
        try FolderKind.prepare(layout)
        let lock = try WriterLock(layout, patience: nil) { _ in }
        // Another process may have rebuilt it in the meantime.
        guard try isUnusable(layout) else { return [] }
        let isOlder = try FolderKind.of(layout) == .older
        let salvage = try CatalogueSalvage(layout)
        let names = try OpenFolder(path: layout.root).folder("packages").names()
        guard !isOlder || !salvage.packages.isEmpty || names.isEmpty else {
            throw CacheError(
                .olderCache,
                subject: layout.root,
                message: "the version of afcache that made this cache kept no indices, so its packages can't be "
                    + "restored; load them into a new cache"
            )
        }
        try putAside(layout)
        try ChangeCounter.make(path: layout.changes)
        try CatalogueChange(layout, reader: reader, isNew: true).commit { catalogue throws(CacheError) in
            catalogue.limits = salvage.limits
            try salvage.add(salvage.packages, to: &catalogue)
        }
        lock.release()
        let message =
            isOlder
            ? "the cache is one of an earlier version; its packages were restored from their records, and one that was "
                + "just being removed is back"
            : "the catalogue was lost or damaged, and was rebuilt from the generations"
        return [CacheFinding(kind: .catalogueDamaged, path: layout.catalogue, message: message)]
            + salvage.packages.filter(\.isNameless).map { found in
                CacheFinding(
                    kind: .catalogueDamaged,
                    path: layout.generation(found.package.current.folder).root,
                    package: found.package.name,
                    message: "the package's record is lost, and with it the package's name, settings, source and "
                        + "signers; load it again under its own name, and remove this one"
                )
            }
    }

    /// Returns true if neither the catalogue nor its copy can be used.
    private static func isUnusable(_ layout: CacheLayout) throws(CacheError) -> Bool {
        switch try FolderKind.of(layout) {
        case .lost, .older: return true
        case .vacant: return false
        case .cache: break
        }
        do throws(CacheError) {
            _ = try CatalogueFile.current(layout, replacing: true)
            return false
        } catch {
            guard error.code == .damaged || error.number == ELOOP else { throw error }
            return true
        }
    }

    /// Renames what is in the place of the catalogue and of its copy, and an older cache's database.
    private static func putAside(_ layout: CacheLayout) throws(CacheError) {
        // What an older cache published stays until it is replaced, since it says the most.
        let isOlder = try FolderKind.of(layout) == .older
        let names = isOlder ? [] : [CacheLayout.catalogueName, CacheLayout.copyName]
        // The log first: without its database, nothing reads it.
        for name in names + OlderCache.names.reversed() {
            let aside = layout.root + "/" + OwnName.damaged(name)
            guard rename(layout.root + "/" + name, aside) != 0, errno != ENOENT else { continue }
            throw .system("cannot rename", path: layout.root + "/" + name)
        }
    }

    /// Restores generations that are missing from the catalogue, for example because it was replaced by an older copy.
    ///
    /// These are the generations of packages that the catalogue lacks or whose current generation is gone.
    ///
    /// - Returns: The generations that were restored.
    static func takeBack(by change: CatalogueChange) throws(CacheError) -> [CacheFinding] {
        let (salvage, found) = try lost(from: change.catalogue, in: change.layout)
        guard !found.isEmpty else { return [] }
        try change.commit { catalogue throws(CacheError) in try salvage.add(found, to: &catalogue) }
        return found.map { found in
            CacheFinding(
                kind: .catalogueDamaged,
                path: change.layout.generation(found.package.current.folder).root,
                package: found.package.name,
                message: "this generation was missing from the catalogue"
            )
        }
    }

    /// Returns the packages whose generations are missing from a catalogue.
    ///
    /// - Parameters:
    ///   - catalogue: The catalogue.
    ///   - layout: The cache.
    ///   - noted: Further folders that are not missing.
    /// - Returns: The packages, and the value that can add them to the catalogue.
    /// - Throws: ``CacheError`` if a folder can't be read.
    static func lost(from catalogue: Catalogue, in layout: CacheLayout, besides noted: Set<String> = [])
        throws(CacheError) -> (salvage: CatalogueSalvage, found: [Found])
    {
        let known = catalogue.folders.union(catalogue.removed).union(noted)
        let salvage = try CatalogueSalvage(layout, besides: known)
        let found = salvage.packages.filter { found in
            guard let known = catalogue[found.package.name] else { return true }
            return (try? layout.generation(known.current.folder).open()) == nil
        }
        return (salvage, found)
    }
}

extension CataloguedPackage {
    /// Returns the package with those of its generations that exist; nil if none does.
    fileprivate func keeping(_ folders: Set<String>) -> CataloguedPackage? {
        let there = generations.filter { folders.contains($0.folder) }
        guard let first = there.first else { return nil }
        var package = self
        (package.current, package.older) = (first, Array(there.dropFirst()))
        return package
    }
}
