internal import AFCHTTP
internal import AFCPackageFormat

enum FutureLastModifiedRule: EntryRule {
    static let id = "date.last-modified-in-future"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a last-modified date that is yet to come"
    static let explanation = """
        Nothing can have been modified in the future: the clock of the origin or of the packager was wrong. An origin that \
        is asked If-Modified-Since with such a date answers 304 for as long as it lies ahead, so changes are missed.
        """
    static let bad = LintExample.manifest("http://d.example/a ; Sun, 28 Mar 2094 18:43:30 GMT ; NULL ; text/plain\n")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")

    static let features: EntryFeatures = .oddLastModified

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let date = entry.lastModified, date > context.now else { return }
        findings.add(
            "last-modified is yet to come: \(HTTPDate.format(date)); check the clock of whoever wrote it",
            Self.self,
            of: entry,
            at: .lastModified
        )
    }
}
