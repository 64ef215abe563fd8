internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCZip

/// The result of repairing a cache.
public struct RepairReport: Sendable, Equatable {
    /// The findings that were repaired.
    public var repaired: [CacheFinding] = []
    /// The findings that remain.
    public var remaining: [CacheFinding] = []
}

/// The repair of a cache: restores missing and damaged files from other generations and from packages.
struct CacheRepair {
    private let change: CatalogueChange
    private let packages: [String]
    private let password: Password?

    init(_ change: CatalogueChange, from packages: [String], password: Password?) {
        (self.change, self.packages, self.password) = (change, packages, password)
    }

    /// Repairs everything except received responses.
    ///
    /// - Parameter rebuilt: What was repaired when the cache was opened.
    /// - Returns: What was repaired, and what remains.
    /// - Throws: ``CacheError`` if a package can't be read, or the cache can't be written.
    func run(rebuilt: [CacheFinding]) throws(CacheError) -> RepairReport {
        var report = RepairReport(repaired: rebuilt)
        if let damage = change.damage {
            report.repaired.append(
                CacheFinding(kind: .catalogueDamaged, path: damage.subject, message: damage.message)
            )
        }
        report.repaired += try change.mendCopy()
        report.repaired += try CatalogueSalvage.takeBack(by: change)
        report.repaired += try replaceBitmaps()
        let records = try CacheCheck(change.layout).damagedRecords()
        change.writeRecords()
        let damaged = try CacheCheck(change.layout).damagedRecords().map(\.path)
        for (path, line) in records {
            let finding = CacheFinding(kind: .catalogueDamaged, path: path, message: line)
            if damaged.contains(path) { report.remaining.append(finding) } else { report.repaired.append(finding) }
        }
        for package in change.catalogue.packages {
            for generation in package.generations { try repair(package.name, generation, &report) }
        }
        report.remaining += try CacheCheck(change.layout).strangers()
        change.noteNewFiles()
        return report
    }

    /// Makes lists of evicted entries again that are missing or damaged.
    private func replaceBitmaps() throws(CacheError) -> [CacheFinding] {
        let damaged = try CacheCheck(change.layout).damagedBitmaps(change.catalogue)
        let paths = Set(damaged.map(\.path))
        guard !damaged.isEmpty else { return [] }
        let layout = change.layout
        try change.commit { catalogue throws(CacheError) in
            for var package in catalogue.packages {
                func mended(_ generation: Generation) throws(CacheError) -> Generation {
                    guard let evicted = generation.evicted, paths.contains(layout.evicted(evicted.file)) else {
                        return generation
                    }
                    var generation = generation
                    let found = try EvictionBitmap.withoutBody(in: layout.generation(generation.folder))
                    generation.evicted = try found.bitmap.write(bytes: found.bytes, to: layout)
                    return generation
                }
                package.current = try mended(package.current)
                for place in package.older.indices { package.older[place] = try mended(package.older[place]) }
                catalogue[package.name] = package
            }
        }
        return damaged.map { CacheFinding(kind: .catalogueDamaged, path: $0.path, message: $0.line) }
    }

    private func repair(
        _ name: String,
        _ generation: Generation,
        _ report: inout RepairReport
    ) throws(CacheError) {
        let files = change.layout.generation(generation.folder)
        let check = try GenerationCheck(package: name, generation, in: change.layout, isQuick: false)
        guard !check.findings.isEmpty else { return }
        for package in packages {
            guard try repair(generation, files, check, fromPackage: package) else { continue }
            break
        }
        let second = try GenerationCheck(package: name, generation, in: change.layout, isQuick: false)
        for bad in second.badBodies { try takeBack(bad.resource, to: files) }
        let last = try GenerationCheck(package: name, generation, in: change.layout, isQuick: false)
        report.repaired += check.findings.filter { !last.findings.contains($0) }
        report.remaining += last.findings
    }

    /// Extracts the package again.
    ///
    /// If its index equals that of the generation, it is the package that was loaded.
    ///
    /// - Returns: True if it is that package.
    private func repair(
        _ generation: Generation,
        _ files: GenerationLayout,
        _ check: GenerationCheck,
        fromPackage path: String
    ) throws(CacheError) -> Bool {
        let package: PackageReader
        do throws(PackageError) {
            package = try PackageReader(path: path, password: password)
            try package.requireLoadable()
        } catch {
            throw CacheError(error)
        }
        guard package.index.resources.count == generation.resources else { return false }
        let staged = change.layout.staged(OwnName.temporary())
        // If anything fails, the next writer removes what is left here.
        defer { try? Folders.remove(staged.root) }
        let contents = GenerationContents(package, now: generation.created ?? generation.loaded)
        let extracted = try Extraction.run(
            package,
            contents,
            into: staged,
            sharingWith: files,
            keepsDigests: false,
            workers: ParallelWork.processors
        )
        guard extracted.indexDigest == generation.indexDigest else { return false }
        try Folders.sync(staged.root)
        let staging = try OpenFolder(path: change.layout.root).folder("staging")
        try GenerationRules(package.index).write(to: try files.open(), by: staging)
        if check.isIndexDamaged { try place(staged.index, as: GenerationLayout.indexName, in: files) }
        for resource in package.index.resources {
            guard let member = resource.member.map({ package.archive.members[$0].name }) else { continue }
            let (fresh, old) = (staged.body(member), files.body(member))
            if !Self.isSameFile(fresh, old), !isEvicted(member, check) {
                try place(fresh, as: GenerationLayout.filesName + "/" + member, in: files)
            }
        }
        return true
    }

    private func isEvicted(_ member: String, _ check: GenerationCheck) -> Bool {
        // With an intact index, the check knows which bodies are needed; without one, every body is.
        !check.isIndexDamaged && !check.badBodies.contains { $0.resource.member == member }
    }

    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return lstat(one, &first) == 0 && lstat(other, &second) == 0 && first.st_ino == second.st_ino
    }

    /// Restores a body from another generation that has the same bytes.
    private func takeBack(_ resource: IndexedResource, to files: GenerationLayout) throws(CacheError) {
        guard let member = resource.member else { return }
        let staged = change.layout.staging + "/" + OwnName.temporary()
        for package in change.catalogue.packages {
            for generation in package.generations {
                let other = change.layout.generation(generation.folder)
                guard other.root != files.root, let index = try? GenerationIndex(other),
                    let bodies = try? other.openFiles()
                else { continue }
                var source: String?
                try index.forEach { candidate throws(CacheError) in
                    guard candidate.digest == resource.digest, let member = candidate.member,
                        try BodyJudge.digest(of: member, in: bodies) == resource.digest
                    else { return true }
                    source = member
                    return false
                }
                guard let source, let (folder, name) = try bodies.parent(of: source) else { continue }
                guard linkat(folder.descriptor, name, AT_FDCWD, staged, 0) == 0 else {
                    throw .system("cannot link", path: other.body(source))
                }
                try place(staged, as: GenerationLayout.filesName + "/" + member, in: files)
                return
            }
        }
    }

    /// Replaces a damaged or missing file by a synced one.
    ///
    /// Anything else in place of a folder on the way, and folders in place of a file, aren't ours. They are kept, and
    /// the damage is reported together with them.
    private func place(_ fresh: String, as path: String, in generation: GenerationLayout) throws(CacheError) {
        let root = try generation.open()
        try root.requireOwn()
        guard root.stranger(on: path) == nil, let (folder, name) = try root.parent(of: path, making: true),
            folder.kind(of: name) != .folder
        else { return }
        try folder.requireOwn()
        guard renameat(AT_FDCWD, fresh, folder.descriptor, name) == 0, fsync(folder.descriptor) == 0 else {
            throw .system("cannot rename to", path: generation.root + "/" + path)
        }
    }
}
