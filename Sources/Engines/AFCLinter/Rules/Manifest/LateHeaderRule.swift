internal import AFCPackageFormat

enum LateHeaderRule: ManifestRule {
    static let id = "manifest.late-header"
    static let severity = PackageProblem.Severity.info
    static let summary = "a header that isn't on the first line"
    static let explanation = """
        The header `baseURL = URL` belongs on the first line, where AFCache's 0.13 packager writes it. A header \
        further down usually means that two manifests were merged. Move it, or remove it.
        """
    static let bad = LintExample.manifest(
        """
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain
        baseURL = http://d.example/
        http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )
    static let good = LintExample.manifest(
        """
        baseURL = http://d.example/
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain
        http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )

    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector) {
        guard manifest.texture.lateHeaders.count > 0 else { return }
        let sentence =
            "the header isn't on the first line, where AFCache's 0.13 packager writes it; move or remove it"
        findings.add(sentence, Self.self, at: manifest.texture.lateHeaders.place)
    }
}
