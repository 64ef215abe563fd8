internal import AFCHTTP
internal import AFCPackageFormat

enum FetchedInFutureRule: ResourceRule {
    static let id = "sidecar.fetched-in-future"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a record that was fetched in the future"
    static let explanation = """
        A response's age is computed from 'fetched'. Until that time the response counts as new, so it stays fresh for \
        too long. The clock of the machine that fetched it, or of this one, is wrong. Correct the clock, and rebuild \
        the package.
        """
    static let bad = LintExample.words("'fetched' one second from now")
    static let good = LintExample.words("'fetched' now")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let fetched = resource.record?.fetched, fetched > package.context.now else { return }
        let sentence = "the record was fetched on \(HTTPDate.format(fetched)), which is in the future; check the clocks"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
