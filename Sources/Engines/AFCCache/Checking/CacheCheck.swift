internal import AFCFiles
import AFCPlatform
internal import AFCText

/// Compares a cache with what was loaded, without changing anything.
struct CacheCheck {
    private let layout: CacheLayout

    init(_ layout: CacheLayout) { self.layout = layout }

    /// Compares everything except received responses.
    func verify(isQuick: Bool = false) throws(CacheError) -> VerifyReport {
        var report = VerifyReport()
        report.findings += try catalogueFindings()
        report.findings += Self.findings(try damagedRecords())
        for package in try CatalogueFile.current(layout).catalogue.packages {
            report.packages += 1
            for generation in package.generations {
                let check = try GenerationCheck(
                    package: package.name,
                    generation,
                    in: layout,
                    isQuick: isQuick
                )
                let now = try CatalogueFile.current(layout).catalogue.packages
                guard now.contains(where: { $0.generations.contains { $0.id == generation.id } }) else { continue }
                report.generations += 1
                report.bodies += check.bodies
                report.bytes += check.bytes
                report.findings += check.findings
            }
        }
        report.findings += try strangers()
        return report
    }

    /// Finds missing or damaged files of a package's current generation, as far as the files' metadata shows that.
    func damage(of name: String) throws(CacheError) -> [CacheFinding] {
        let packages = try CatalogueFile.current(layout).catalogue.packages
        guard let package = packages.first(where: { $0.name == name }) else { return [] }
        let check = try GenerationCheck(
            package: name,
            package.current,
            in: layout,
            isQuick: true,
            readsChanged: true
        )
        return check.findings.filter { [.bodyMissing, .bodyDamaged, .indexDamaged].contains($0.kind) }
    }

    /// Returns the problems of the catalogue and of its backups.
    ///
    /// A copy that is missing or older isn't one: the next change writes it.
    private func catalogueFindings() throws(CacheError) -> [CacheFinding] {
        var lines: [(path: String, line: String)] = []
        do throws(CacheError) {
            let reading = try CatalogueFile.current(layout)
            if let damage = reading.damage { lines.append((damage.subject, damage.message)) }
            lines += try damagedBitmaps(reading.catalogue)
        } catch {
            guard error.code == .damaged else { throw error }
            lines.append((error.subject, error.message))
        }
        do throws(CacheError) {
            _ = try CatalogueFile.read(layout, CacheLayout.copyName)
        } catch {
            guard error.number != ENOENT else { return Self.findings(lines) }
            guard error.code == .damaged || error.number == ELOOP else { throw error }
            lines.append((error.subject, error.message))
        }
        return Self.findings(lines)
    }

    private static func findings(_ lines: [(path: String, line: String)]) -> [CacheFinding] {
        lines.map { path, line in CacheFinding(kind: .catalogueDamaged, path: path, message: line) }
    }

    /// Returns the files with the numbers of evicted entries that are missing or damaged.
    func damagedBitmaps(_ catalogue: Catalogue) throws(CacheError) -> [(path: String, line: String)] {
        var found: [(path: String, line: String)] = []
        for generation in catalogue.packages.flatMap(\.generations) {
            guard let evicted = generation.evicted,
                try EvictionBitmap.read(evicted, entries: generation.resources, in: layout) == nil,
                // A writer may have replaced it in the meantime.
                try CatalogueFile.current(layout).catalogue.packages.flatMap(\.generations).contains(generation)
            else { continue }
            let message =
                "the list of evicted entries is missing or damaged; repairing the cache makes it again from the "
                + "bodies that are there"
            found.append((layout.evicted(evicted.file), message))
        }
        return found
    }

    /// Returns the records of generations from which a lost catalogue couldn't be rebuilt.
    ///
    /// One that is missing isn't damaged: a full disk may have no room for it.
    func damagedRecords() throws(CacheError) -> [(path: String, line: String)] {
        var found: [(path: String, line: String)] = []
        for generation in try CatalogueFile.current(layout).catalogue.packages.flatMap(\.generations) {
            guard let folder = try layout.generation(generation.folder).openIfThere(),
                folder.kind(of: GenerationLayout.recordName) != nil,
                CatalogueRecord.contents(folder).flatMap({ CatalogueFormat.parse($0) }) == nil
            else { continue }
            let path = folder.path + "/" + GenerationLayout.recordName
            found.append((path, "the package's record is damaged; repairing the cache writes it again"))
        }
        return found
    }

    /// Returns the files in the cache's folder that aren't part of the cache.
    ///
    /// The order of the look-ups makes sure that a generation that is added or removed in the meantime is never taken
    /// for a stranger.
    func strangers() throws(CacheError) -> [CacheFinding] {
        let root = try OpenFolder(path: layout.root)
        var strangers = try root.names().filter { !OwnName.isInRoot($0) && $0 != "lost+found" }
        let (packages, staging) = (try root.folder("packages"), try root.folder("staging"))
        let generations = try packages.names()
        let staged = try staging.names()
        strangers += staged.filter { !OwnName.isTransient($0) }.map { "staging/" + $0 }
        if let evicted = try root.folderIfThere(CacheLayout.evictedName) {
            let names = try evicted.names().filter { !OwnName.isBitmap($0) }
            strangers += names.map { CacheLayout.evictedName + "/" + $0 }
        }
        // Without a catalogue, a lost generation can't be distinguished from a stranger.
        guard let catalogue = (try? CatalogueFile.current(layout))?.catalogue else {
            return Self.findings(strangers.map { layout.root + "/" + $0 })
        }
        let noted = Set(staged.compactMap(OwnName.generation(notedBy:)))
        let known = catalogue.folders.union(catalogue.removed).union(noted)
        let unknown = generations.filter { !known.contains($0) && packages.kind(of: $0) != nil }
        let lost =
            unknown.isEmpty
            ? []
            : Set(
                try CatalogueSalvage.lost(from: catalogue, in: layout, besides: noted).found
                    .flatMap(\.package.generations).map(\.folder)
            )
        strangers += unknown.filter { !lost.contains($0) }.map { "packages/" + $0 }
        let paths = strangers.map { layout.root + "/" + $0 } + ReceivedKeeper.strangers(in: layout.received)
        return Self.findings(paths)
            + lost.sorted().map { folder in
                CacheFinding(
                    kind: .catalogueDamaged,
                    path: layout.generation(folder).root,
                    message: "this generation is missing from the catalogue; repairing the cache restores it"
                )
            }
    }

    private static func findings(_ strangers: [String]) -> [CacheFinding] {
        strangers.map { path in
            CacheFinding(
                kind: .fileUnknown,
                path: path,
                message: "this is not part of the cache, so afcache never removes it; move or remove it yourself"
            )
        }
    }
}
