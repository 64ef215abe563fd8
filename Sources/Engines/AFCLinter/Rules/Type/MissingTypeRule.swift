internal import AFCPackageFormat

enum MissingTypeRule: EntryRule {
    static let id = "type.missing"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry without a media type"
    static let explanation = """
        Without a media type and without a record, a server decides by the name or by the first bytes, and a browser \
        that uses it as a proxy gets no type. With a record, browsers guess. Write the type in the fourth field.
        """
    static let bad = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; NULL\n")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")

    static let features: EntryFeatures = .noType

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard entry.item.mediaType == nil, !entry.item.hasMediaTypeText else { return }
        findings.add(
            "the entry has no media type, so servers and browsers have to guess it by the name or the first bytes",
            Self.self,
            of: entry
        )
    }
}
