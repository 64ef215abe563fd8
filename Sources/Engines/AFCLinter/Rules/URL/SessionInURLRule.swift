internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum SessionInURLRule: EntryRule {
    static let id = "url.session-id"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL with a session ID"
    static let explanation = """
        The server created this URL for a single visit. Pages from other visits link to other URLs, so this one is \
        never requested again, and anyone who has the package might take over the session. Pack the site without \
        session IDs in URLs.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a;jsessionid=1A2B3C4D5E6F ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a;version=2 ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .parameters

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        for parameter in entry.parameters
        where ReaderParameter.isSession(parameter.name, value: parameter.value) {
            let name = PrintableText.quoted(parameter.name)
            findings.add(
                "the parameter \(name) is a session ID, so this URL is never requested again; pack without it",
                Self.self,
                of: entry,
                at: .url
            )
        }
    }
}
