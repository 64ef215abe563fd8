internal import AFCPackageFormat

/// A set of levels with a name.
public enum LintPreset: String, Sendable, CaseIterable {
    /// Each rule as it says itself.
    case `default`
    /// Nothing about what AFCache's 0.13 packager always writes, and what AFCache 0.13 doesn't read.
    case afcache013 = "afcache-0.13"
    /// Nothing about what `afcpkg.py` and AFCache's 0.6 packager always write, and what AFCache 0.6 doesn't read.
    case afcache06 = "afcache-0.6"
    /// Every rule is on, and infos are warnings.
    case strict
    /// What browsers stumble over is a warning at least, and how the manifest is written doesn't matter.
    case web

    /// The levels of patterns.
    ///
    /// Both old packagers made no sidecar, and archives as the folder and the clock gave them. The 0.13 packager writes
    /// dates in its machine's time zone, expires as a copy of last-modified, and a header; the Python packager writes
    /// `GMT+00:00`, no last line end, no types where it wasn't told them, and names as they lie on the disk.
    var levels: [(pattern: String, level: RuleLevel)] {
        switch self {
        case .default, .strict: []
        case .afcache013:
            Self.old + Self.readable + [
                ("date.expires-equals-last-modified", .off), ("manifest.unused-base-url", .off),
            ]
        case .afcache06: Self.old + Self.readable + [("manifest.no-last-line-end", .off), ("url.not-normal", .off)]
        case .web:
            [
                ("completeness.missing-requisite", .warning), ("completeness.missing-link", .info),
                ("security.mixed-content", .warning), ("security.secret-in-url", .warning), ("type.missing", .warning),
                ("type.contradicts-*", .warning), ("type.generic", .warning), ("type.charset-missing", .warning),
                ("sidecar.set-cookie", .warning), ("manifest.unsorted", .off), ("manifest.no-last-line-end", .off),
                ("manifest.crlf", .off), ("manifest.byte-order-mark", .off), ("manifest.white-space", .off),
                ("manifest.blank-line", .off), ("manifest.mixed-dialects", .off), ("type.not-normal", .off),
            ]
        }
    }

    private static let readable: [(pattern: String, level: RuleLevel)] = OldReader.rules.map { ($0, .warning) }

    private static let old: [(pattern: String, level: RuleLevel)] = [
        ("date.not-imf-fixdate", .off), ("date.expired", .off), ("date.no-validator", .off),
        ("manifest.unsorted", .off), ("manifest.mixed-dialects", .off), ("member.without-entry", .info),
        ("member.not-deflated", .off), ("package.*", .off), ("sidecar.missing", .off), ("type.missing", .off),
        ("type.charset-missing", .off),
    ]

    /// The readers that the preset is for: what they drop of a package is a warning.
    var readers: [OldReader] {
        switch self {
        case .afcache013: [.afcache013]
        case .afcache06: [.afcache06]
        case .default, .strict, .web: []
        }
    }

    /// What the preset makes of a rule that is left to itself.
    func level(of rule: LintRules.Description) -> RuleLevel? {
        guard self == .strict else { return nil }
        return rule.severity == .info ? .warning : RuleLevel(rule.severity)
    }
}
