internal import AFCPackageFormat

enum ErrorStatusRule: ResourceRule {
    static let id = "sidecar.error-status"
    static let severity = PackageProblem.Severity.warning
    static let summary = "an error response"
    static let explanation = """
        The record has a 4xx or 5xx status, so the package contains the server's error page. It will be served with \
        that status. Fetch the URL again, or remove it.
        """
    static let bad = LintExample.words("an entry whose record has the status 503")
    static let good = LintExample.words("an entry whose record has the status 203")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard resource.entry != nil, let status = resource.record?.status, status >= 400 else { return }
        let sentence =
            "the response has the status \(status), so the body is an error page; fetch it again or remove it"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
