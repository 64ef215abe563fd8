internal import AFCCaching
internal import AFCPackageFormat

enum PrivateResponseRule: ResourceRule {
    static let id = "sidecar.private"
    static let severity = PackageProblem.Severity.info
    static let summary = "a stored response that is meant for one reader"
    static let explanation = """
        'Cache-Control: private' (RFC 9111 §5.2.2.7) says that the response is for one person. A package is for \
        everybody who has it. Look at whether the page shows whose it is, and crawl without cookies where it does.
        """
    static let bad = LintExample.words("a record with 'Cache-Control: private'")
    static let good = LintExample.words("a record with 'Cache-Control: public'")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let record = resource.record, CacheControl(record.fields).isPrivate else { return }
        let sentence = "the origin says that the response is for one reader; look at whether it shows whose it is"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
