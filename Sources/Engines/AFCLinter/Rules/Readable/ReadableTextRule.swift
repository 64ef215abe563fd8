internal import AFCPackageFormat

enum ReadableTextRule: EntryRule {
    static let id = "readable.text"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a character outside ASCII, which makes an older AFCache drop the whole manifest"
    static let explanation = """
        AFCache 0.6 and 0.13 decode the manifest as ASCII; a single other character makes them ignore all of it. \
        Percent-encode URLs (the fix of 'url.not-normal' does this), and give members ASCII names. The rule is off by \
        default; the setting 'readable-by' and the presets 'afcache-0.6' and 'afcache-0.13' turn it on.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.6: a URL with the letter 'ä'")
    static let good = LintExample.words("readable by 0.6: a URL with '%C3%A4'")

    static let features: EntryFeatures = .otherDialect

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let reader = context.settings.readers.first, entry.item.hasOtherThanASCII else { return }
        let sentence = "the line has characters outside ASCII, which make \(reader.name) drop the whole manifest"
        findings.add(sentence, Self.self, of: entry)
    }
}

extension ManifestReader.Item {
    /// True if a byte of the line isn't ASCII.
    var hasOtherThanASCII: Bool { normalForm == nil && bytes.contains { $0 >= 0x80 } }
}
