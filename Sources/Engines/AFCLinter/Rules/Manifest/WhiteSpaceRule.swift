internal import AFCPackageFormat

enum WhiteSpaceRule: ManifestRule {
    static let id = "manifest.white-space"
    static let severity = PackageProblem.Severity.info
    static let summary = "white space at the end of a line or around a field"
    static let explanation = """
        Fields are separated by exactly ' ; '. Many programs, including older AFCache versions, read any extra space \
        as part of the field: the URL is then not found, or the date is invalid. Remove the extra space.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain \n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector) {
        let spaced = manifest.texture.spaced
        guard spaced.count > 0 else { return }
        let number = spaced.count == 1 ? "the line has" : "\(spaced.count) lines have"
        let sentence = "\(number) white space beyond the delimiter ' ; '; some programs read it as part of the field"
        findings.add(sentence, Self.self, at: spaced.place)
    }
}
