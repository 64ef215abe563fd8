internal import AFCPackageFormat

enum MixedLineEndsRule: ManifestRule {
    static let id = "manifest.mixed-line-ends"
    static let severity = PackageProblem.Severity.info
    static let summary = "some lines that end in CR LF and some in LF"
    static let explanation = """
        Some lines were written on another system or by another program, so the manifest was probably merged from \
        several. Check that all entries belong in it, and end all lines in LF.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\r\n"
            + "http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        """
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain
        http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )

    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector) {
        let (crlf, lf) = (manifest.texture.crlf, manifest.texture.lf)
        guard crlf.count > 0, lf.count > 0 else { return }
        let sentence = "\(crlf.count) lines end in CR LF and \(lf.count) in LF; end all lines in LF"
        findings.add(sentence, Self.self, at: (crlf.count <= lf.count ? crlf : lf).place)
    }
}
