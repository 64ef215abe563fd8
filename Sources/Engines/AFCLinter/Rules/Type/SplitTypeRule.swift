internal import AFCPackageFormat
internal import AFCText

enum SplitTypeRule: EntryRule {
    static let id = "type.split"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a media type that is split by the delimiter"
    static let explanation = """
        Some servers send 'text/html ; charset=utf-8', but ' ; ' separates the fields of the manifest. The part after \
        it is read as the name of the member, which doesn't exist. Write the type without a space before the \
        semicolon.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html ; charset=utf-8\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html; charset=utf-8 ; d.example/a=b\n"
    )

    static let features: EntryFeatures = .oddMember

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let whole = entry.item.splitMediaType, let member = entry.item.member else { return }
        findings.add(
            "the delimiter ' ; ' splits the media type, so \(PrintableText.quoted(member)) is read as the member; "
                + "write \(PrintableText.quoted(whole))",
            Self.self,
            of: entry,
            at: .member
        )
    }
}
