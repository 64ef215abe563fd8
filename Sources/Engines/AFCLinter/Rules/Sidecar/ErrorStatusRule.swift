internal import AFCPackageFormat

enum ErrorStatusRule: ResourceRule {
    static let id = "sidecar.error-status"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a stored page that says an error happened"
    static let explanation = """
        The record's status is 4xx or 5xx: what was packed under the URL is the server's page of an error. It is \
        served with that status, for good. Fetch the URL again, or leave it out.
        """
    static let bad = LintExample.words("an entry whose record has the status 503")
    static let good = LintExample.words("an entry whose record has the status 203")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let status = resource.record?.status, status >= 400 else { return }
        let sentence =
            "the response has the status \(status): what is stored is a server's page of an error; fetch it again"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
