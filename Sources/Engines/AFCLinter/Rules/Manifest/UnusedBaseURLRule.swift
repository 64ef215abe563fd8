internal import AFCPackageFormat
internal import AFCText

enum UnusedBaseURLRule: ManifestRule {
    static let id = "manifest.unused-base-url"
    static let severity = PackageProblem.Severity.info
    static let summary = "a header `baseURL` that no entry's URL begins with"
    static let explanation = """
        AFCache 0.13 writes the URL at which the crawl started into the first line. If no entry's URL begins with it, \
        the header or the entries come from another package. Correct the header, or remove it.
        """
    static let bad = LintExample.manifest(
        """
        baseURL = http://e.example/
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )
    static let good = LintExample.manifest(
        """
        baseURL = http://d.example/
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )

    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector) {
        guard let base = manifest.baseURL, !manifest.usesBaseURL else { return }
        let sentence =
            "no entry's URL begins with the base URL \(PrintableText.quoted(base)); correct the line or remove it"
        findings.add(sentence, Self.self, at: manifest.texture.headers.place)
    }
}
