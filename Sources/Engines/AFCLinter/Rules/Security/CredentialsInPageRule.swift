internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum CredentialsInPageRule: BodyRule {
    static let id = "security.credentials-in-page"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a link with a user name or password"
    static let explanation = """
        A page contains a URL such as 'https://user:password@host/', which everyone who has the package can read. \
        Change the password, and remove it from the page. The finding shows only the host.
        """
    static let bad = LintExample.words("a page with '<a href=https://u:p@e.example/>'")
    static let good = LintExample.words("a page with '<a href=https://e.example/@u>'")

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        for reference in body.references where reference.url.hasCredentials {
            let host = PrintableText.quoted(reference.url.host ?? "")
            let sentence =
                "a reference to the host \(host) contains a user name or password; change the password and remove it"
            findings.add(sentence, Self.self, of: body.resource, in: package)
        }
    }
}
