internal import AFCHTTP
internal import AFCPackageFormat

enum ImplausibleLastModifiedRule: EntryRule {
    static let id = "date.last-modified-implausible"
    static let severity = PackageProblem.Severity.info
    static let summary = "a last-modified date from before the web existed"
    static let explanation = """
        Dates such as 1 January 1970 or 1 January 1980 usually mean that an archive, a container or a build reset the \
        file's time. Revalidation with such a date always reports a change, and browsers that estimate freshness from \
        it reuse the response for years. Write NULL if the time is unknown.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Thu, 01 Jan 1970 00:00:00 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Thu, 20 Dec 1990 00:00:00 GMT ; NULL ; text/plain\n"
    )

    /// 20 December 1990, when the first website went online.
    static let firstSite = Timestamp(secondsSinceEpoch: 661_651_200)

    static let features: EntryFeatures = .oddLastModified

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let date = entry.lastModified, date < firstSite else { return }
        findings.add(
            "last-modified is \(HTTPDate.format(date)), before the web existed; write NULL if the time is unknown",
            Self.self,
            of: entry,
            at: .lastModified
        )
    }
}
