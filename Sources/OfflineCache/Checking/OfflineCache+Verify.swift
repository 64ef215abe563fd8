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
        for line in try read({ db in try String.fetchAll(db, sql: "PRAGMA integrity_check(20)") }) where line != "ok" {
            report.findings.append(
                StoreFinding(
                    kind: .catalogueDamaged,
                    path: layout.catalogue,
                    package: nil,
                    url: nil,
                    message: line
                )
            )
        }
        for package in try catalogue() {
            report.packages += 1
            for generation in package.generations {
                let check = try GenerationCheck(
                    package: package.name,
                    generation,
                    files: layout.generation(generation.folder),
                    isQuick: isQuick
                )
                let isKnown = try read { db in
                    try Int.fetchOne(
                        db,
                        sql: "SELECT count(*) FROM generation WHERE id = ?",
                        arguments: [generation.id]
                    ) == 1
                }
                guard isKnown else { continue }
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
}

extension CataloguedPackage {
    /// The current generation, then the previous one.
    var generations: [Generation] { [current] + (previous.map { [$0] } ?? []) }
}
