internal import PackageFormat

/// A set of levels with a name.
public enum LintPreset: String, Sendable, CaseIterable {
    /// Each rule as it says itself.
    case `default`
    /// Nothing about what AFCache's 0.13 packager always writes.
    case afcache013 = "afcache-0.13"
    /// Nothing about what `afcpkg.py` and AFCache's 0.6 packager always write.
    case afcache06 = "afcache-0.6"
    /// Every rule is on, and infos are warnings.
    case strict
    /// What browsers stumble over is a warning at least, and how the manifest is written doesn't matter.
    case web

    /// The levels of patterns.
    ///
    /// The 0.13 packager writes dates in its machine's time zone, expires as a copy of last-modified, entries as the
    /// folder gives them, and `NULL` for a type that it doesn't know; the Python packager writes `GMT+00:00`, no last
    /// line end, no types without `--mime`, and names as they lie on the disk.
    var levels: [(pattern: String, level: RuleLevel)] {
        switch self {
        case .default, .strict: []
        case .afcache013:
            [
                ("date.not-imf-fixdate", .off), ("date.expires-equals-last-modified", .off), ("date.expired", .off),
                ("manifest.unsorted", .off), ("type.missing", .off), ("member.without-entry", .info),
                ("sidecar.missing", .off),
            ]
        case .afcache06:
            [
                ("date.not-imf-fixdate", .off), ("date.expired", .off), ("manifest.unsorted", .off),
                ("manifest.no-last-line-end", .off), ("type.missing", .off), ("url.not-normal", .off),
                ("member.without-entry", .info), ("sidecar.missing", .off),
            ]
        case .web:
            [
                ("type.missing", .warning), ("type.contradicts-suffix", .warning), ("manifest.unsorted", .off),
                ("manifest.no-last-line-end", .off), ("manifest.crlf", .off), ("manifest.byte-order-mark", .off),
                ("type.not-normal", .off), ("completeness.missing-link", .info),
            ]
        }
    }

    /// What the preset makes of a rule that is left to itself.
    func level(of rule: LintRules.Description) -> RuleLevel? {
        guard self == .strict else { return nil }
        return rule.severity == .info ? .warning : RuleLevel(rule.severity)
    }
}
