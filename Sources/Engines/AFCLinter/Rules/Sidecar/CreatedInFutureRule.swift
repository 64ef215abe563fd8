internal import AFCHTTP
internal import AFCPackageFormat

enum CreatedInFutureRule: PackageRule {
    static let id = "sidecar.created-in-future"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a package that was created in the future"
    static let explanation = """
        The clock of the machine that made the package, or of this one, is wrong. Ages and expiry dates are computed \
        from this time, so freshness is wrong as well. Correct the clock, and rebuild the package.
        """
    static let bad = LintExample.words("'created' one day from now")
    static let good = LintExample.words("'created' now")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard let created = package.index.info?.created, created > package.context.now else { return }
        let sentence =
            "the package was created on \(HTTPDate.format(created)), which is in the future; check the clocks"
        findings.add(sentence, Self.self, at: .member(PackageLayout.info))
    }
}
