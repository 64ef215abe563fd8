internal import AFCPackageFormat
internal import AFCURL

enum PrivateHostRule: EntryRule {
    static let id = "url.private-host"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL whose host is this machine or in a private network"
    static let explanation = """
        On another machine or network, the same URL means something else, but the package would still answer requests \
        for it. Pack the site under the name that its users know.
        """
    static let bad = LintExample.manifest("http://192.168.0.1/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
    static let good = LintExample.manifest("http://192.169.0.1/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")

    static let features: EntryFeatures = .unusualHost

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let url = entry.resource
        guard url.hostIsLoopbackOrPrivate, url.isHTTP else { return }
        findings.add(
            "the host \(url.host ?? "") is private: elsewhere the URL means something else",
            Self.self,
            of: entry,
            at: .url
        )
    }
}
