internal import AFCPackageFormat

enum ManifestControlCharacterRule: LoadRule {
    static let id = "manifest.control-character"
    static let severity = PackageProblem.Severity.error
    static let summary = "a control character in a line"
    static let explanation = """
        Control characters can't stand in a URL, a date or a media type, and on a terminal they can hide or forge \
        text. A NUL shows that the file is UTF-16 or no text. Percent-encode the character where the URL really has \
        it, else remove it; a tab is allowed around fields.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a\u{1B}[8m ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a%1B[8m ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
