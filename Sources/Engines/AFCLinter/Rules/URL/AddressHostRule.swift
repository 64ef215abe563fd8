internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum AddressHostRule: EntryRule {
    static let id = "url.ip-address"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL whose host is an IP address"
    static let explanation = """
        An IP address can change, and certificates rarely name one. Pages that link to the site by its name won't find \
        this resource. Pack the site under its name.
        """
    static let bad = LintExample.manifest(
        "http://192.0.2.7/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d7.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .unusualHost

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let url = entry.resource
        guard url.hostKind == .ipv4 || url.hostKind == .ipv6, url.isHTTP,
            !url.hostIsLoopbackOrPrivate
        else { return }
        let host = PrintableText.quoted(url.host ?? "")
        findings.add(
            "the host \(host) is an IP address; pack the site under its name",
            Self.self,
            of: entry,
            at: .url
        )
    }
}
