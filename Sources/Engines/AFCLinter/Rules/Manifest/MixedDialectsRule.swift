internal import AFCPackageFormat

enum MixedDialectsRule: ManifestRule {
    static let id = "manifest.mixed-dialects"
    static let severity = PackageProblem.Severity.info
    static let summary = "lines with a mix of field counts that no packager writes"
    static let explanation = """
        Packagers write lines with either two and three fields, or four and five. Any other mix usually means that \
        manifests were merged. The shorter lines then lack something: without a fourth field a page has no type, and \
        AFCache 0.13 drops lines without a fifth field. Rebuild the package, or give all lines the same number of \
        fields.
        """
    static let bad = LintExample.manifest(
        """
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL
        http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain

        """
    )
    static let good = LintExample.manifest(
        """
        http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain
        http://d.example/b ; NULL ; NULL ; text/plain ; d.example/c

        """
    )

    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector) {
        let texture = manifest.texture
        let counts = [2, 3, 4, 5].filter { texture.entries(fields: $0).count > 0 }
        // Field counts that packagers mix are counted together.
        let short = texture.entries(fields: 2).count + texture.entries(fields: 3).count
        let usual = short > texture.entries(fields: 4).count + texture.entries(fields: 5).count ? [2, 3] : [4, 5]
        guard
            let most = usual.max(by: { texture.entries(fields: $0).count < texture.entries(fields: $1).count })
        else { return }
        for other in counts where !usual.contains(other) {
            let lines = texture.entries(fields: other)
            let number = lines.count == 1 ? "a line" : "\(lines.count) lines"
            let sentence =
                "\(number) with \(other) fields among lines with \(most); use the same number of fields in all lines"
            findings.add(sentence, Self.self, at: lines.place)
        }
    }
}
