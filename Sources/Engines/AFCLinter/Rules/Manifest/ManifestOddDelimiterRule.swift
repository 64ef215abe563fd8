internal import AFCPackageFormat

enum ManifestOddDelimiterRule: LoadRule {
    static let id = "manifest.odd-delimiter"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a semicolon, tab or space that looks like a mistyped delimiter ' ; '"
    static let explanation = """
        Fields are separated by exactly space, semicolon, space. With a tab, several spaces or no space around the \
        semicolon, the next field becomes part of this one and all later fields shift: a date becomes part of the \
        URL, and expires is read as last-modified. No fix changes such a line, since only a person knows what was \
        meant. Write ' ; '; where the character belongs to the URL, percent-encode it.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a\t;\tSat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a;b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain; charset=utf-8\n"
    )
}
