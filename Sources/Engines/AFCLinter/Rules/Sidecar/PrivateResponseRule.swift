internal import AFCCaching
internal import AFCPackageFormat

enum PrivateResponseRule: ResourceRule {
    static let id = "sidecar.private"
    static let severity = PackageProblem.Severity.info
    static let summary = "a response that is meant for one user"
    static let explanation = """
        'Cache-Control: private' (RFC 9111 §5.2.2.7) says that the response is for a single user, but everyone who has \
        the package can read it. Check whether the page contains personal data. If it does, crawl again without \
        cookies.
        """
    static let bad = LintExample.words("a record with 'Cache-Control: private'")
    static let good = LintExample.words("a record with 'Cache-Control: public'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let record = resource.record, CacheControl(record.fields).isPrivate else { return }
        let sentence = "the origin says that the response is for one user; check it for personal data"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
