internal import AFCPackageFormat

enum ManifestNoLastLineEndRule: LoadRule {
    static let id = "manifest.no-last-line-end"
    static let severity = PackageProblem.Severity.info
    static let summary = "a last line without a line end"
    static let explanation = """
        The last line is read as it is; but a line that somebody appends later would be glued to it, and a file that \
        was cut off looks just the same. Packagers in Python left the line end out. End the last line, too.
        """
    static let bad = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
}
