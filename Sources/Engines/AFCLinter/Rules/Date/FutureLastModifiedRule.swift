internal import AFCHTTP
internal import AFCPackageFormat

enum FutureLastModifiedRule: EntryRule {
    static let id = "date.last-modified-in-future"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a last-modified date in the future"
    static let explanation = """
        The resource can't have been modified in the future, so the clock of the origin or of the packager was wrong. \
        Until that date, an origin that receives it in If-Modified-Since may answer 304 even if the resource changed. \
        Correct the clock, and rebuild the package.
        """
    static let bad = LintExample.manifest("http://d.example/a ; Sun, 28 Mar 2094 18:43:30 GMT ; NULL ; text/plain\n")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")

    static let features: EntryFeatures = .oddLastModified

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let date = entry.lastModified, date > context.now else { return }
        findings.add(
            "last-modified is in the future: \(HTTPDate.format(date)); check the clock of the origin or packager",
            Self.self,
            of: entry,
            at: .lastModified
        )
    }
}
