internal import AFCPackageFormat

enum ManifestMalformedLineRule: LoadRule {
    static let id = "manifest.malformed-line"
    static let severity = PackageProblem.Severity.error
    static let summary = "a line that has not two to five fields and is no header"
    static let explanation = """
        Fields are separated by exactly space, semicolon, space: a semicolon alone occurs within URLs and media \
        types. A line that can't be cut into two to five fields might name any resource, and no line is dropped \
        silently, so the package is refused. Write the separators, or 'NULL' for a field that is unknown.
        """
    static let bad = LintExample.manifest("http://d.example/a; Sat, 27 Mar 2004 18:43:30 GMT; NULL; text/html\n")
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html; charset=utf-8\n"
    )
}
