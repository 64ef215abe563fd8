internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

enum ContradictingSuffixRule: EntryRule {
    static let id = "type.contradicts-suffix"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL whose suffix contradicts the media type"
    static let explanation = """
        The suffix stands for one kind of resource and the type for another, for example a style sheet and a page. \
        Browsers ignore a style sheet or script that is typed as a page, and show the source of a page that is typed \
        as text. Often an error page was stored under the URL, or the server's configuration lacks the type. Fetch the \
        resource again, or correct the type.
        """
    static let bad = LintExample.manifest("http://d.example/a.css ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n")
    static let good = LintExample.manifest(
        "http://d.example/a.png ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; image/webp\n"
    )

    static let features: EntryFeatures = .otherSuffix

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let written = entry.type, let one = written.kind,
            let expected = MediaType(suffixOf: entry.resource.path),
            let other = LintedType.kind(of: expected.essence), one != other
        else { return }
        findings.add(
            "the type \(written.type.essence) is for \(one.rawValue)s, but the suffix is for \(other.rawValue)s",
            Self.self,
            of: entry,
            at: .mediaType
        )
    }
}
