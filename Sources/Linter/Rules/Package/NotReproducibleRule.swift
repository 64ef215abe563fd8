internal import PackageFormat
internal import ZipArchive

enum NotReproducibleRule: PackageRule {
    static let id = "package.not-reproducible"
    static let severity = PackageProblem.Severity.info
    static let summary = "members whose time isn't that of the package"
    static let explanation = """
        All members of a package have the time at which it was made, so that packing the same site again gives the \
        same bytes, and a copy can be told from a change. Members with other times were put in by another program. \
        Make the package anew.
        """
    static let bad = LintExample.words("members with the times of the files that they were")
    static let good = LintExample.words("members that all have the time 'created'")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.hasSidecar, let first = package.members.first?.dosDateTime,
            let other = package.members.first(where: { $0.dosDateTime != first })
        else { return }
        let sentence =
            "members have different times, so packing again gives other bytes; make the package with 'afcache pack'"
        findings.add(sentence, Self.self, at: .member(other.name))
    }
}
