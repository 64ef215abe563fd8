internal import HTTPCaching
internal import PackageFormat
internal import URLStandard

/// One entry of a manifest, as rules see it.
struct LintedEntry: Sendable {
    /// The entry and where it stood.
    let item: ManifestReader.Item

    /// The entry.
    var entry: ManifestEntry { item.entry }
    /// The start of the line.
    var place: PackageProblem.Place { .manifest(line: item.line, column: 1) }
}

/// What rules may look at besides what they check.
struct LintContext: Sendable {
    /// The time that dates are compared with.
    var now: Timestamp
    /// What the configuration sets for rules.
    var settings: LintSettings
    /// Which rules are on.
    var levels = RuleLevels()
}
