internal import AFCHTTP
internal import AFCPackageFormat

enum ExpiredRule: EntryRule {
    static let id = "date.expired"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry that has already expired"
    static let explanation = """
        The expires date is in the past, so the response is stale as soon as the package is loaded. A server serves it \
        marked as stale, or refuses to serve it, depending on its policy. Rebuild the package, or write NULL for \
        expires if the body never changes.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2004 18:43:30 GMT ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
    )

    static let features: EntryFeatures = .earlyExpiry

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let expires = entry.expires, expires <= context.now else { return }
        findings.add(
            "the entry expired on \(HTTPDate.format(expires)); it is served as stale",
            Self.self,
            of: entry,
            at: .expires
        )
    }
}
