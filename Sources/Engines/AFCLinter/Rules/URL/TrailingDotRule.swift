internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum TrailingDotRule: EntryRule {
    static let id = "url.trailing-dot"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL whose host ends in a dot"
    static let explanation = """
        For DNS, 'd.example.' and 'd.example' are the same host, but browsers and caches treat them as different. \
        Links from one to the other lead out of the package. Write the host without the dot.
        """
    static let bad = LintExample.manifest(
        "http://d.example./a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a. ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .unusualHost

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let host = entry.resource.host, host.hasSuffix(".") else { return }
        findings.add(
            "the host \(PrintableText.quoted(host)) ends in a dot, so browsers treat it as a different host; remove the dot",
            Self.self,
            of: entry,
            at: .url
        )
    }
}
