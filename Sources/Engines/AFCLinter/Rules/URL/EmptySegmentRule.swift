internal import AFCPackageFormat
internal import AFCURL

enum EmptySegmentRule: EntryRule {
    static let id = "url.empty-segment"
    static let severity = PackageProblem.Severity.info
    static let summary = "a path with two consecutive slashes"
    static let explanation = """
        '/a//b' and '/a/b' are different URLs, but AFCache's naming rule puts both bodies into 'hostname/a/b'. Usually \
        a base URL with a trailing slash was joined to a path with a leading slash. Write one slash.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a//b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a/b?c=http://e.example//d ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static let features: EntryFeatures = .emptySegment

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard entry.resource.host != nil, entry.resource.path.contains("//") else { return }
        let sentence = "the path has two consecutive slashes, which the naming rule treats as one; write one"
        findings.add(sentence, Self.self, of: entry, at: .url)
    }
}
