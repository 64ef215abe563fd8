internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCText

enum TrackingParameterRule: EntryRule {
    static let id = "url.tracking-parameter"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL with a parameter that says where its reader came from"
    static let explanation = """
        'utm_source', 'fbclid' and the like change nothing of the page; they tell its owner by which advertisement a \
        reader came. The same page is stored once for each of them, and is missed under the URL without. Crawl \
        without such parameters.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a?utm_source=x ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a?source=x ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .parameters

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        for parameter in entry.parameters
        where !parameter.isInPath && ReaderParameter.isTracking(parameter.name, ignoresCase: true) {
            let name = PrintableText.quoted(parameter.name)
            findings.add(
                "the parameter \(name) says where a reader came from, and not what to show; pack without it",
                Self.self,
                of: entry,
                at: .url
            )
        }
    }
}
