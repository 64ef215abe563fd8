internal import HTTPCaching
internal import PackageFormat

enum FetchedLateRule: ResourceRule {
    static let id = "sidecar.fetched-after-created"
    static let severity = PackageProblem.Severity.info
    static let summary = "a record that was fetched after the package was made"
    static let explanation = """
        A package is written when all of it was fetched. A later 'fetched' means that somebody changed the record or \
        put another one in, or that a clock was set in between. Ages are counted from it.
        """
    static let bad = LintExample.words("'fetched' one day after 'created'")
    static let good = LintExample.words("'fetched' one second before 'created'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let created = package.index.info?.created, let fetched = resource.record?.fetched, fetched > created
        else { return }
        let sentence = "the record was fetched after the package was made; make the package anew"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
