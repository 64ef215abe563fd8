internal import AFCPackageFormat
internal import AFCURL

enum EmptyQueryRule: EntryRule {
    static let id = "url.empty-query"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL that ends in a question mark"
    static let explanation = """
        'a?' and 'a' are different URLs, although nearly every server gives the same response. Usually a form or a \
        script left the question mark behind, and pages link to the URL without it. Remove it, unless the site's pages \
        link to the URL with it.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a? ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a?b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .emptyQuery

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard entry.resource.query == "" else { return }
        findings.add(
            "the query is empty, and caches treat 'a?' and 'a' as different; remove the '?'",
            Self.self,
            of: entry,
            at: .url
        )
    }
}
