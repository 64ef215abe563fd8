internal import AFCPackageFormat

enum ManifestConflictingDuplicateRule: LoadRule {
    static let id = "manifest.conflicting-duplicate"
    static let severity = PackageProblem.Severity.error
    static let summary = "two entries for one URL that differ"
    static let explanation = """
        One URL has one response. With two lines that give it different dates, types or bodies, readers would choose \
        differently, some the first and some the last, so the package is refused. Keep the line that is right.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "https://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n"
    )
}
