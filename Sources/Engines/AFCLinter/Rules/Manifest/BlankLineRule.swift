internal import AFCPackageFormat

enum BlankLineRule: ManifestRule {
    static let id = "manifest.blank-line"
    static let severity = PackageProblem.Severity.info
    static let summary = "blank lines"
    static let explanation = """
        afcache skips blank lines, but older AFCache versions read each as an entry without a URL. Remove them.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "\n"
            + "http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        """
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain
        http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )

    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector) {
        let blank = manifest.texture.blank
        guard blank.count > 0 else { return }
        let number = blank.count == 1 ? "the line is blank" : "\(blank.count) lines are blank"
        findings.add("\(number); older AFCache versions may misread that", Self.self, at: blank.place)
    }
}
