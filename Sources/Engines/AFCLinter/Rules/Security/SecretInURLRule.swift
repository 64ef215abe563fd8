internal import AFCPackageFormat
internal import AFCText

enum SecretInURLRule: EntryRule {
    static let id = "security.secret-in-url"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL with a password, key or token"
    static let explanation = """
        Everyone who has the package can read its URLs, and servers write them to their logs. Anyone who has such a \
        value can act as the person or program it belongs to. Revoke it, and rebuild the package without it. The \
        finding never shows the value.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a?access_token=0123456789abcdef ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a?token=page2 ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .parameters

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        for parameter in entry.parameters where SecretValue.isOne(parameter) {
            let name = PrintableText.quoted(parameter.name)
            findings.add(
                "the parameter \(name) looks like a secret, which everyone with the package can read; revoke it",
                Self.self,
                of: entry,
                at: .url
            )
        }
    }
}
