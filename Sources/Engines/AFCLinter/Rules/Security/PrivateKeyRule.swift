internal import AFCPackageFormat

enum PrivateKeyRule: BodyRule {
    static let id = "security.private-key"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a private key"
    static let explanation = """
        The body contains a private key in PEM format (RFC 7468). Anyone who has the package can use it to impersonate \
        the key's owner. Replace the key everywhere, then remove it. Pages that show only the first line of such a \
        file are not reported.
        """
    static let bad = LintExample.words("a body with '-----BEGIN RSA PRIVATE KEY-----' and lines of Base64")
    static let good = LintExample.words("a body with '-----BEGIN CERTIFICATE-----' and lines of Base64")

    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool { true }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard PrivateKeyText.isIn(body.bytes) else { return }
        let sentence = "the body contains a private key, which everyone with the package can use; replace the key"
        findings.add(sentence, Self.self, of: body.resource, in: package)
    }
}
