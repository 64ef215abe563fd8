internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText

enum SessionInURLRule: EntryRule {
    static let id = "url.session-id"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL with the id of a session"
    static let explanation = """
        The server made this URL for one visit. Nobody asks for it again: pages that are opened offline link to URLs \
        of other sessions, or of none. Besides, whoever has the package might take over the session. Crawl \
        without such parameters in links.
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
                "the parameter \(name) is the id of a session, so nobody asks for this URL again; pack without it",
                Self.self,
                of: entry,
                at: .url
            )
        }
    }
}
