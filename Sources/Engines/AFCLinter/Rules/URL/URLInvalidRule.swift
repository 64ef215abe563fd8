internal import AFCPackageFormat

enum URLInvalidRule: LoadRule {
    static let id = "url.invalid"
    static let severity = PackageProblem.Severity.error
    static let summary = "a URL that is not absolute by the WHATWG URL Standard"
    static let explanation = """
        An entry is found by its URL, so a URL that browsers can't parse is one that nobody can ask for. Relative \
        ones have no host; this also refuses ports above 65535, hosts with characters that none may have, and URLs \
        of more than 8 KiB. Write it with scheme and host, as a browser shows it when it is copied from the address \
        bar.
        """
    static let bad = LintExample.manifest(
        "http://d.example:99999/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example:9999/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
