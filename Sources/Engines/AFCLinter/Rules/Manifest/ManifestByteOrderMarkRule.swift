internal import AFCPackageFormat

enum ManifestByteOrderMarkRule: LoadRule {
    static let id = "manifest.byte-order-mark"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a byte order mark"
    static let explanation = """
        Windows editors write the three bytes 0xEF 0xBB 0xBF before UTF-8 text. This reader skips them; others take \
        them for the beginning of the first URL, and lose that entry. Save the file as UTF-8 without a byte order \
        mark.
        """
    static let bad = LintExample.manifest(
        "\u{FEFF}http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/%EF%BB%BFa ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
