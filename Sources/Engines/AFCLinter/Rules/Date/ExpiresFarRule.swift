internal import AFCHTTP
internal import AFCPackageFormat

enum ExpiresFarRule: EntryRule {
    static let id = "date.expires-far"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry that expires more than a year from now"
    static let explanation = """
        RFC 2616 (§14.21) asked servers not to send an expiry date more than one year ahead, and some caches still \
        treat such a date as an error. Set an earlier date. For a resource that never changes, have the server send \
        'immutable' in Cache-Control. The rule is off by default.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let isOn = false

    static let features: EntryFeatures = .lateExpiry

    /// Returns the last time that doesn't count as far in the future.
    static func end(_ context: LintContext) -> Timestamp { context.now + 366 * 86_400 }

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let expires = entry.expires, expires > end(context) else { return }
        findings.add(
            "the entry expires more than a year from now, on \(HTTPDate.format(expires))",
            Self.self,
            of: entry,
            at: .expires
        )
    }
}
