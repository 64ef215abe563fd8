internal import AFCPackageFormat

enum URLNotNormalRule: LoadRule {
    static let id = "url.not-normal"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL that is not written as the standard serialises it"
    static let explanation = """
        Spaces, letters outside ASCII, capitals in the host, a default port and '..' are all rewritten when a \
        browser parses a URL. This reader does the same, so the entry is found; AFCache's readers compare the text, \
        and never find it. Write the form that the finding names.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a%20b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
