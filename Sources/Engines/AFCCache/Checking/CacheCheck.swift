internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import GRDB

/// Compares a cache with what was loaded, without changing anything.
struct CacheCheck {
    private let layout: CacheLayout

    init(_ layout: CacheLayout) { self.layout = layout }

    /// Compares everything except received responses.
    func verify(isQuick: Bool = false) throws(CacheError) -> VerifyReport {
        var report = VerifyReport()
        report.findings += try catalogueFindings()
        for package in try PublishedCatalogue.current(layout).catalogue.packages {
            report.packages += 1
            for generation in package.generations {
                let check = try GenerationCheck(
                    package: package.name,
                    generation,
                    files: layout.generation(generation.folder),
                    isQuick: isQuick
                )
                let now = try PublishedCatalogue.current(layout).catalogue.packages
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
        let packages = try PublishedCatalogue.current(layout).catalogue.packages
        guard let package = packages.first(where: { $0.name == name }) else { return [] }
        let check = try GenerationCheck(
            package: name,
            package.current,
            files: layout.generation(package.current.folder),
            isQuick: true,
            readsChanged: true
        )
        return check.findings.filter { [.bodyMissing, .bodyDamaged, .indexDamaged].contains($0.kind) }
    }

    /// Returns the problems of the catalogue, in the file that readers use and in the database of the writers.
    private func catalogueFindings() throws(CacheError) -> [CacheFinding] {
        var lines: [(path: String, line: String)] = []
        do throws(CacheError) {
            _ = try PublishedCatalogue.read(layout)
        } catch {
            guard error.code == .damaged else { throw error }
            lines.append((error.subject, error.message))
        }
        // Only those who may change the cache need the database.
        if try FolderKind.of(layout) == .lost {
            lines.append((layout.catalogue, CacheError.lostCatalogue(layout).message))
        } else if Descriptor.allows(layout.catalogue, R_OK) || !Descriptor.allows(layout.catalogue, F_OK) {
            do throws(CacheError) {
                let found = try CacheDatabase.read(layout) { db in
                    try String.fetchAll(db, sql: "PRAGMA integrity_check(20)")
                }
                lines += found.filter { $0 != "ok" }.map { (layout.catalogue, $0) }
                if lines.isEmpty, try CatalogueComparison.differ(layout) {
                    lines.append((layout.catalogue, CatalogueComparison.words))
                }
            } catch {
                guard error.code == .damaged else { throw error }
                lines.append((error.subject, error.message))
            }
        }
        lines += try damagedRecords()
        return lines.map { path, line in
            CacheFinding(kind: .catalogueDamaged, path: path, message: line)
        }
    }

    /// Returns the records of generations from which a lost catalogue couldn't be rebuilt.
    ///
    /// One that is missing isn't damaged: an older version didn't write any.
    func damagedRecords() throws(CacheError) -> [(path: String, line: String)] {
        var found: [(path: String, line: String)] = []
        for generation in try PublishedCatalogue.current(layout).catalogue.packages.flatMap(\.generations) {
            guard let folder = try layout.generation(generation.folder).openIfThere(),
                folder.kind(of: GenerationLayout.recordName) != nil, CatalogueExtract.read(folder) == nil
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
        // Without read access to the database, a generation that is being removed can't be distinguished from a
        // stranger.
        guard Descriptor.allows(layout.catalogue, R_OK), try FolderKind.of(layout) == .cache else {
            return Self.findings(strangers.map { layout.root + "/" + $0 })
        }
        let known = try CacheDatabase.read(layout) { db in
            try Generation.knownFolders(in: db).union(Generation.awaitingRemoval(in: db))
        }
        .union(staged.compactMap(OwnName.generation(notedBy:)))
        let unknown = generations.filter { !known.contains($0) && packages.kind(of: $0) != nil }
        let lost =
            unknown.isEmpty
            ? [] : Set(try CatalogueSalvage.lost(in: layout, besides: known).map(\.package.current.folder))
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
