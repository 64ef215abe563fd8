internal import AFCPackageFormat

enum ReadableFieldsRule: EntryRule {
    static let id = "readable.fields"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a line that an older AFCache drops for the number of its fields"
    static let explanation = """
        AFCache 0.6 reads lines of exactly three fields, 0.13 lines of five and more; both log every other line as \
        invalid and drop it, so the resource is missing. The rule is on where readability by old versions is asked \
        for, and with the presets 'afcache-0.6' and 'afcache-0.13'. Rebuild or repack the package with three or five \
        fields.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.13: a line of four fields")
    static let good = LintExample.words("readable by 0.13: a line of five fields")

    static let features: EntryFeatures = .otherDialect

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        let count = entry.item.fields.count
        for reader in context.settings.readers where !reader.reads(fields: count) {
            let sentence = "the line has \(count) fields, and \(reader.name) reads only lines of \(reader.wantedFields)"
            findings.add(sentence, Self.self, of: entry)
        }
    }
}
