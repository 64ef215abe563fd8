internal import AFCPackageFormat

enum ReadableFieldsRule: EntryRule {
    static let id = "readable.fields"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a line whose number of fields makes an older AFCache drop it"
    static let explanation = """
        AFCache 0.6 reads lines of exactly three fields, 0.13 lines of five or more. Both drop every other line, so \
        the resource is missing. Rebuild or repack the package with three or five fields. The rule is off by default; \
        the setting 'readable-by' and the presets 'afcache-0.6' and 'afcache-0.13' turn it on.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.13: a line of four fields")
    static let good = LintExample.words("readable by 0.13: a line of five fields")

    static let features: EntryFeatures = .otherDialect

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let count = entry.item.fields.count
        for reader in context.settings.readers where !reader.reads(fields: count) {
            let sentence = "the line has \(count) fields, but \(reader.name) reads only lines of \(reader.wantedFields)"
            findings.add(sentence, Self.self, of: entry)
        }
    }
}
