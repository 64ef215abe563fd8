internal import AFCHTTP
internal import AFCPackageFormat

enum TokenInBodyRule: BodyRule {
    static let id = "security.token"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a token or access key of a service"
    static let explanation = """
        Tokens of AWS, GitHub, GitLab, Slack, Stripe, npm and PyPI have recognizable formats, so anyone who searches \
        the package can find them and act as their owner. Revoke the token (the package may have been copied), remove \
        it from the site, and rebuild the package.
        """
    static let bad = LintExample.words("a script with 'ghp_' followed by 36 letters and digits")
    static let good = LintExample.words("a script with 'ghp_' followed by 12 letters")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool {
        let type = LintedBody.type(of: resource)?.essence ?? ""
        return !["image/", "audio/", "video/", "font/"].contains { type.hasPrefix($0) } || type == "image/svg+xml"
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        // Documentation often shows AWS's example key, which isn't a real one.
        let isText = ["text/html", "text/plain", "text/markdown", "application/xhtml+xml"].contains(body.type?.essence)
        guard let owner = ServiceToken.owner(in: body.bytes, allowsExample: isText) else { return }
        let sentence = "the body contains a token of \(owner); revoke it, and rebuild the package without it"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
