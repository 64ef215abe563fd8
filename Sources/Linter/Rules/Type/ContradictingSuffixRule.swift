internal import HTTPCaching
internal import PackageFormat
internal import URLStandard

enum ContradictingSuffixRule: EntryRule {
    static let id = "type.contradicts-suffix"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a style sheet, script or image that is typed as a page, or the other way round"
    static let explanation = """
        Browsers ignore a style sheet or script that is typed as a page, and show a page that is typed as text as its source. \
        Usually an error page was stored under the URL of an image, or a server's configuration lacks the type.
        """
    static let bad = LintExample.manifest("http://d.example/a.css ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n")
    static let good = LintExample.manifest(
        "http://d.example/a.png ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; image/webp\n"
    )

    /// What browsers treat differently; within one of these, types may differ.
    private static func kind(_ type: MediaType) -> String? {
        switch type.essence {
        case "text/html", "application/xhtml+xml": "page"
        case "text/css": "style sheet"
        case "text/javascript", "application/javascript", "application/x-javascript": "script"
        case let essence where essence.hasPrefix("image/"): "image"
        case let essence where essence.hasPrefix("font/"): "font"
        default: nil
        }
    }

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let text = entry.entry.mediaType, let written = MediaType(text),
            let expected = MediaType(suffixOf: entry.entry.url.path), let one = kind(written),
            let other = kind(expected),
            one != other
        else { return }
        let sentence = "the type \(written.essence) says \(one), the suffix says \(other)"
        findings.add(sentence, Self.self, at: entry.place)
    }
}
