internal import AFCPackageFormat

enum ManifestEmptyRule: LoadRule {
    static let id = "manifest.empty"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a manifest without entries"
    static let explanation = """
        Such a package loads and then answers nothing, except for redirects that its sidecar may hold. As a rule \
        whatever wrote the manifest had found nothing; look at its report, and rebuild the package.
        """
    static let bad = LintExample.manifest("baseURL = http://d.example/\n")
    static let good = LintExample.manifest(
        "baseURL = http://d.example/\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
