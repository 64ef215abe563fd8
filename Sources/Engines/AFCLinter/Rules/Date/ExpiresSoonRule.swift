internal import AFCHTTP
internal import AFCPackageFormat

enum ExpiresSoonRule: EntryRule {
    static let id = "date.expires-soon"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry that expires within a few days"
    static let explanation = """
        Once an entry expires, it is stale. If people will load the package after that, rebuild it before you publish \
        it. The setting 'expires-within-days' changes the number of days (default: 7).
        """
    static let bad = LintExample.words("an entry that expires in 6 days")
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
    )

    static let features: EntryFeatures = .earlyExpiry

    /// Returns the last time that counts as soon.
    static func end(_ context: LintContext) -> Timestamp {
        context.now + Int64(context.settings.expiresWithinDays) * 86_400
    }

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let expires = entry.expires, expires > context.now, expires <= end(context) else { return }
        findings.add(
            "the entry expires soon, on \(HTTPDate.format(expires)); rebuild the package before then",
            Self.self,
            of: entry,
            at: .expires
        )
    }
}
