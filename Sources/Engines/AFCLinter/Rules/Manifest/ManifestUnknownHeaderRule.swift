internal import AFCPackageFormat

enum ManifestUnknownHeaderRule: LoadRule {
    static let id = "manifest.unknown-header"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a header other than `baseURL`"
    static let explanation = """
        A line 'key = value' is a header. AFCache 0.13 wrote one, 'baseURL', in just this spelling; any other is \
        ignored, so what it asks for doesn't happen. Correct its spelling, or remove the line.
        """
    static let bad = LintExample.manifest(
        "baseurl = http://d.example/\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "baseURL = http://d.example/\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
