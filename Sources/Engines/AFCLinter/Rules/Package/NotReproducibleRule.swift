internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum NotReproducibleRule: PackageRule {
    static let id = "package.not-reproducible"
    static let severity = PackageProblem.Severity.info
    static let remedy: Remedy? = .repack
    static let summary = "members whose time differs from the package's"
    static let explanation = """
        All members should have the time at which the package was made. Then packing the same site again gives the \
        same bytes. Members with other times were added by another program. Rebuild the package.
        """
    static let bad = LintExample.words("members with the modification times of their files")
    static let good = LintExample.words("members that all have the time 'created'")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.hasSidecar else { return }
        // The most frequent time is the package's, so that the finding names an added member and not its neighbor.
        let counts = package.members.reduce(into: [UInt32: Int]()) { $0[$1.dosDateTime, default: 0] += 1 }
        guard counts.count > 1, let usual = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
            let other = package.members.first(where: { $0.dosDateTime != usual })
        else { return }
        let sentence =
            "members have different times, so packing again gives different bytes"
        findings.add(sentence, Self.self, at: .member(other.name))
    }
}
