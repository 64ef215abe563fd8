internal import AFCPackageFormat

enum ManifestCRLFRule: LoadRule {
    static let id = "manifest.crlf"
    static let severity = PackageProblem.Severity.warning
    static let summary = "lines that end in CR LF"
    static let explanation = """
        Lines end in LF. This reader takes CR LF, too; AFCache's own readers keep the CR as a part of the last \
        field, so that a media type or a member's name is wrong in every line. It is reported once, for the first \
        such line. 'dos2unix' converts a file.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\r\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a%0D ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
