internal import AFCPackageFormat

/// A named set of levels.
public enum LintPreset: String, Sendable, CaseIterable {
    /// The default level of each rule.
    case `default`
    /// Ignores what AFCache's 0.13 packager always writes, and reports what AFCache 0.13 can't read.
    case afcache013 = "afcache-0.13"
    /// Ignores what `afcpkg.py` and AFCache's 0.6 packager always write, and reports what AFCache 0.6 can't read.
    case afcache06 = "afcache-0.6"
    /// Turns on every rule, and makes infos warnings.
    case strict
    /// Makes problems in browsers at least warnings, and ignores how the manifest is written.
    case web

    /// The levels by pattern.
    ///
    /// Both old packagers write no sidecar, and archives that depend on the folder's order and the clock. The 0.13
    /// packager writes dates in its machine's time zone, expires as a copy of last-modified, and a header. The Python
    /// packager writes `GMT+00:00`, no last line break, types only if they were given, and file names as they are on
    /// the disk.
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
                    MissingRequisiteRule.self, MissingScriptResourceRule.self, MixedContentRule.self,
                    SecretInURLRule.self, MissingTypeRule.self,
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

    /// The levels for both old packagers.
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

    /// The old readers that the preset is for; anything that they drop is a warning.
    var readers: [OldReader] {
        switch self {
        case .afcache013: [.afcache013]
        case .afcache06: [.afcache06]
        case .default, .strict, .web: []
        }
    }

    /// Returns the level that the preset gives a rule that has none in ``levels``.
    func level(of rule: LintRules.Description) -> RuleLevel? {
        guard self == .strict else { return nil }
        return rule.severity == .info ? .warning : RuleLevel(rule.severity)
    }
}
