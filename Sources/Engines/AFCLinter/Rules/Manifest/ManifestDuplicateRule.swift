internal import AFCPackageFormat

enum ManifestDuplicateRule: LoadRule {
    static let id = "manifest.duplicate"
    static let severity = PackageProblem.Severity.warning
    static let summary = "an entry that stands twice"
    static let explanation = """
        The second line says the same as the first and is ignored. It does no harm, but as a rule two lists were put \
        together, and one day their lines will differ, which keeps the package from being loaded. Remove one line.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "https://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
