internal import AFCPackageFormat

enum URLCredentialsRule: LoadRule {
    static let id = "url.credentials"
    static let severity = PackageProblem.Severity.error
    static let summary = "a URL with a user name or password"
    static let explanation = """
        Everybody who has the package can read them, and nobody asks for such a URL: browsers send credentials in a \
        field, not in the request's target. Remove them and rebuild the package; where they were real, change the \
        password.
        """
    static let bad = LintExample.manifest(
        "http://user:secret@d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/@user ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
