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
        case .afcache013: Self.old + Self.all(.off, [.dateExpiresEqualsLastModified], [UnusedBaseURLRule.self])
        case .afcache06: Self.old + Self.all(.off, [.manifestNoLastLineEnd, .urlNotNormal])
        case .web:
            Self.all(
                .warning,
                [],
                [
                    MissingRequisiteRule.self, MixedContentRule.self, SecretInURLRule.self, MissingTypeRule.self,
                    GenericTypeRule.self, MissingCharsetRule.self, StoredCookieRule.self,
                ]
            )
                + Self.all(
                    .off,
                    [
                        .manifestUnsorted, .manifestNoLastLineEnd, .manifestCRLF, .manifestByteOrderMark,
                        .typeNotNormal,
                    ],
                    [WhiteSpaceRule.self, BlankLineRule.self, MixedDialectsRule.self]
                )
                + [(MissingLinkRule.id, .info), ("type.contradicts-*", .warning)]
        }
    }

    /// What both old packagers need.
    private static let old =
        all(
            .off,
            [.dateNotIMFFixdate, .manifestUnsorted],
            [
                ExpiredRule.self, NoValidatorRule.self, MixedDialectsRule.self, NotDeflatedRule.self,
                MissingSidecarRule.self, MissingTypeRule.self, MissingCharsetRule.self,
            ]
        )
        + all(.info, [.memberWithoutEntry]) + [("package.*", .off)] + OldReader.rules.map { ($0, .warning) }

    private static func all(
        _ level: RuleLevel,
        _ problems: [ProblemRule],
        _ rules: [any LintRule.Type] = []
    ) -> [(pattern: String, level: RuleLevel)] {
        (problems.map(\.id) + rules.map { $0.id }).map { ($0, level) }
    }

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
