internal import AFCHTTP
internal import AFCPackageFormat

enum ImplausibleLastModifiedRule: EntryRule {
    static let id = "date.last-modified-implausible"
    static let severity = PackageProblem.Severity.info
    static let summary = "a last-modified date from before the web"
    static let explanation = """
        A date such as 1 January 1970 or 1 January 1980 is what a file has whose time was lost on the way: by an \
        archive, a container or a build that sets all times to zero. A browser that asks whether the page has changed \
        since then is told that it has, and one that guesses freshness from the age keeps the page for years. Write \
        NULL where the time isn't known.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Thu, 01 Jan 1970 00:00:00 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Thu, 20 Dec 1990 00:00:00 GMT ; NULL ; text/plain\n"
    )

    /// 20 December 1990, when the first site went online.
    static let firstSite = Timestamp(secondsSinceEpoch: 661_651_200)

    static let features: EntryFeatures = .oddLastModified

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let date = entry.lastModified, date < firstSite else { return }
        findings.add(
            "last-modified is before the web, \(HTTPDate.format(date)); write NULL where the time is unknown",
            Self.self,
            of: entry,
            at: .lastModified
        )
    }
}
