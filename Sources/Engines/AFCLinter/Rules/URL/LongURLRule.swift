internal import AFCPackageFormat
internal import AFCURL

enum LongURLRule: EntryRule {
    static let id = "url.long"
    static let severity = PackageProblem.Severity.info
    static let summary = "a URL of more than 2,000 bytes"
    static let explanation = """
        Some servers, proxies and programs accept URLs of only about 2,000 bytes, although RFC 9110 (§4.1) recommends \
        supporting 8,000. Such a URL usually carries data that belongs in a request body. Shorten the URL, or exclude \
        it.
        """
    static let bad = LintExample.words("a URL of 2,001 bytes")
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .longURL

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let count = entry.resource.description.utf8.count
        guard count > context.settings.longURL else { return }
        findings.add(
            "the URL has \(count) bytes; some programs accept at most \(context.settings.longURL)",
            Self.self,
            of: entry,
            at: .url
        )
    }
}
