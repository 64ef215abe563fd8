internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum TrackingParameterRule: EntryRule {
    static let id = "url.tracking-parameter"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL with a tracking parameter"
    static let explanation = """
        Parameters such as 'utm_source' and 'fbclid' tell the site's owner where a visitor came from; they don't \
        change the page. With them, the same page is stored several times and isn't found at its plain URL. Pack the \
        site without such parameters.
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
                "the parameter \(name) only tracks where a visitor came from; pack without it",
                Self.self,
                of: entry,
                at: .url
            )
        }
    }
}
