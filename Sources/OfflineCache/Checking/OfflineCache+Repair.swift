internal import PackageFile
internal import PackageFormat
public import ZipArchive

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What repairing a store did.
public struct RepairReport: Sendable, Equatable {
    /// What was wrong and is right again.
    public var repaired: [StoreFinding] = []
    /// What is still wrong.
    public var remaining: [StoreFinding] = []
}

extension OfflineCache {
    /// Takes back what is missing or damaged, from other generations and from packages at hand.
    ///
    /// Received responses that are damaged leave: their origins have them. Nothing is replaced before its
    /// successor was checked and synced. Files that no entry knows are reported, and stay.
    ///
    /// - Parameters:
    ///   - packages: Packages that may hold what is missing.
    ///   - password: What decrypts them.
    ///   - patience: How long to wait for another writer.
    /// - Returns: What was repaired, and what wasn't.
    /// - Throws: ``CacheError`` where a package can't be read or the store can't be written.
    public func repair(
        from packages: [String],
        password: Password? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> RepairReport {
        try await changing(patience) { () throws(CacheError) in
            var report = RepairReport()
            for package in try self.catalogue() {
                for generation in package.generations {
                    try self.repair(package.name, generation, from: packages, password, &report)
                }
            }
            report.remaining += try self.strangers()
            try self.received.repair(&report)
            self.forgetSnapshot()
            _ = try? ChangeCounter.grow(path: self.layout.changes)
            return report
        }
    }

    private func repair(
        _ name: String,
        _ generation: Generation,
        from packages: [String],
        _ password: Password?,
        _ report: inout RepairReport
    ) throws(CacheError) {
        let files = layout.generation(generation.folder)
        let check = try GenerationCheck(package: name, generation, files: files, isQuick: false)
        guard !check.findings.isEmpty else { return }
        for package in packages {
            guard try repair(generation, files, check, fromPackage: package, password) else { continue }
            break
        }
        let second = try GenerationCheck(package: name, generation, files: files, isQuick: false)
        for bad in second.badBodies { try takeBack(bad.resource, to: files) }
        let last = try GenerationCheck(package: name, generation, files: files, isQuick: false)
        report.repaired += check.findings.filter { !last.findings.contains($0) }
        report.remaining += last.findings
    }

    /// Extracts the package anew; where its index is that of the generation, it is the package that was loaded.
    ///
    /// - Returns: Whether it was that package.
    private func repair(
        _ generation: Generation,
        _ files: GenerationLayout,
        _ check: GenerationCheck,
        fromPackage path: String,
        _ password: Password?
    ) throws(CacheError) -> Bool {
        let package: PackageReader
        do throws(PackageError) {
            package = try PackageReader(path: path, password: password)
            try package.requireLoadable()
        } catch {
            throw CacheError(error)
        }
        guard package.index.resources.count == generation.resources else { return false }
        let staged = layout.staged(OwnName.temporary())
        // Whatever becomes of the repair, the next writer removes what lies here.
        defer { try? Folders.remove(staged.root) }
        let contents = GenerationContents(package, now: generation.created ?? generation.loaded)
        let extracted = try Extraction.run(
            package,
            contents,
            into: staged,
            sharingWith: files,
            workers: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        )
        guard extracted.indexDigest == generation.indexDigest else { return false }
        try Folders.sync(staged.root)
        if check.isIndexDamaged { try place(staged.index, at: files.index) }
        for resource in package.index.resources {
            guard let member = resource.member.map({ package.archive.members[$0].name }) else { continue }
            let (fresh, old) = (staged.body(member), files.body(member))
            if !Self.isSameFile(fresh, old), !isDisplaced(member, check) { try place(fresh, at: old) }
        }
        return true
    }

    private func isDisplaced(_ member: String, _ check: GenerationCheck) -> Bool {
        // With a sound index the check knows which bodies are wanted; without one every body is.
        !check.isIndexDamaged && !check.badBodies.contains { $0.resource.member == member }
    }

    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return lstat(one, &first) == 0 && lstat(other, &second) == 0 && first.st_ino == second.st_ino
    }

    /// Takes a body back from another generation that has the same bytes.
    private func takeBack(_ resource: IndexedResource, to files: GenerationLayout) throws(CacheError) {
        guard let member = resource.member else { return }
        let staged = layout.staging + "/" + OwnName.temporary()
        for package in try catalogue() {
            for generation in package.generations {
                let other = layout.generation(generation.folder)
                guard other.root != files.root, let index = try? GenerationIndex(path: other.index) else { continue }
                var source: String?
                try index.forEach { candidate throws(CacheError) in
                    guard candidate.digest == resource.digest, let member = candidate.member else { return true }
                    let path = other.body(member)
                    guard BodyJudge.digest(of: path) == resource.digest else { return true }
                    source = path
                    return false
                }
                guard let source else { continue }
                guard link(source, staged) == 0 else { throw .system("cannot link", path: source) }
                try place(staged, at: files.body(member))
                return
            }
        }
    }

    /// Puts a synced file in the place of a damaged or missing one.
    private func place(_ fresh: String, at target: String) throws(CacheError) {
        var status = stat()
        if lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { try Folders.remove(target) }
        try Folders.make(Durable.folder(of: target))
        do throws(ZipError) {
            try Durable.rename(fresh, to: target)
        } catch {
            throw CacheError(.inputOutput, subject: target, message: error.message)
        }
    }
}
