internal import AFCPackageFormat

enum ReadableTextRule: EntryRule {
    static let id = "readable.text"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a character outside ASCII, for which an older AFCache drops the whole manifest"
    static let explanation = """
        AFCache 0.6 and 0.13 decode the manifest as ASCII; a single other character makes them ignore the whole \
        manifest. The rule is on where readability by old versions is asked for, and with the presets 'afcache-0.6' \
        and 'afcache-0.13'. Percent-encode URLs, as a fix does, and give members ASCII names.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.6: a URL with the letter 'ä'")
    static let good = LintExample.words("readable by 0.6: a URL with '%C3%A4'")

    static let features: EntryFeatures = .otherDialect

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let reader = context.settings.readers.first, entry.item.hasOtherThanASCII else { return }
        let sentence = "the line has characters outside ASCII, for which \(reader.name) drops the whole manifest"
        findings.add(sentence, Self.self, of: entry)
    }
}

extension ManifestReader.Item {
    /// Indicates whether a byte of the line isn't ASCII.
    var hasOtherThanASCII: Bool { normalForm == nil && bytes.contains { $0 >= 0x80 } }
}
