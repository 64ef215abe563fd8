internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum NotHTTPRule: EntryRule {
    static let id = "url.not-http"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL whose scheme is neither http nor https"
    static let explanation = """
        Only http and https URLs can be requested, so an entry with another scheme is never served. Usually a link to \
        a file or an FTP server was listed by mistake. Remove the entry.
        """
    static let bad = LintExample.manifest(
        "ftp://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "https://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .unusualURL

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard !entry.resource.isHTTP else { return }
        let scheme = PrintableText.quoted(entry.resource.scheme)
        findings.add(
            "the scheme \(scheme) is neither http nor https, so the entry is never served; remove it",
            Self.self,
            of: entry,
            at: .url
        )
    }
}
