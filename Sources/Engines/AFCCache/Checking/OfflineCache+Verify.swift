internal import AFCFiles
import AFCPlatform
public import AFCText
internal import GRDB

extension OfflineCache {
    /// Compares everything in the store with what was loaded; changes nothing.
    ///
    /// A package that is replaced meanwhile is checked as far as it is still there.
    ///
    /// - Parameter isQuick: Whether names and sizes are enough, and no body is read.
    /// - Returns: What was looked at and what is wrong.
    /// - Throws: ``CacheError`` where the catalogue can't be read at all.
    public func verify(isQuick: Bool = false) throws(CacheError) -> VerifyReport {
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
        try received.verify(isQuick: isQuick, &report)
        return report
    }

    /// What is missing or damaged of a package's current generation, as far as a look at its files tells.
    ///
    /// Bodies are read where something wrote to them after they were loaded; a disk that gives back other bytes than were
    /// written is found only by ``verify(isQuick:)``.
    ///
    /// - Parameter name: The package.
    /// - Returns: What is wrong; nothing where there is no such package.
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func damage(of name: String) throws(CacheError) -> [CacheFinding] {
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

    /// What is wrong with the catalogue: the file that readers see, and the database of those who change it.
    private func catalogueFindings() throws(CacheError) -> [CacheFinding] {
        var lines: [(path: String, line: String)] = []
        do throws(CacheError) {
            _ = try PublishedCatalogue.read(layout)
        } catch {
            guard error.code == .damaged else { throw error }
            lines.append((error.subject, error.message))
        }
        // The database is for those who may change the cache; others do without.
        if try FolderKind.state(layout) == .lost {
            lines.append((layout.catalogue, CacheError.lostCatalogue(layout).message))
        } else if Descriptor.allows(layout.catalogue, R_OK) || !Descriptor.allows(layout.catalogue, F_OK) {
            do throws(CacheError) {
                let found = try writer.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check(20)") }
                lines += found.filter { $0 != "ok" }.map { (layout.catalogue, $0) }
            } catch {
                guard error.code == .damaged else { throw error }
                lines.append((error.subject, error.message))
            }
        }
        return lines.map { path, line in
            CacheFinding(kind: .catalogueDamaged, path: path, package: nil, url: nil, message: line)
        }
    }
}

extension CataloguedPackage {
    /// The current generation, then the previous one.
    var generations: [Generation] { [current] + (previous.map { [$0] } ?? []) }
}
