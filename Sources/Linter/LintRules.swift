public import PackageFormat

/// The rules, for those who want to list or explain them.
public enum LintRules {
    /// What is known of a rule without running it.
    public struct Description: Equatable, Sendable {
        /// The identifier.
        public var id: String
        /// How bad a finding is.
        public var severity: PackageProblem.Severity
        /// What the rule finds.
        public var summary: String
    }

    static let manifestRules: [any ManifestRule.Type] = [
        BlankLineRule.self, LateHeaderRule.self, MixedDialectsRule.self, MixedLineEndsRule.self, UnusedBaseURLRule.self,
        WhiteSpaceRule.self,
    ]
    static let entryRules: [any EntryRule.Type] = [
        ExpiredRule.self, ExpiresFarRule.self, ExpiresSoonRule.self, ImplausibleLastModifiedRule.self,
        FutureLastModifiedRule.self, PrivateFileRule.self, SecretInURLRule.self, ContradictingSuffixRule.self,
        GenericTypeRule.self, MissingTypeRule.self, ObsoleteTypeRule.self, UnknownCharsetRule.self,
        DoubleEncodedRule.self, EmptyQueryRule.self, EmptySegmentRule.self, EncodedUnreservedRule.self,
        AddressHostRule.self, LongURLRule.self, NotHTTPRule.self, PrivateHostRule.self, SessionInURLRule.self,
        TrackingParameterRule.self, TrailingDotRule.self,
    ]
    static let resourceRules: [any ResourceRule.Type] = [
        RedirectTargetRule.self, NoValidatorRule.self, DeflatedInVainRule.self, EmptyMemberRule.self,
        HighRatioRule.self, LargeMemberRule.self, NotDeflatedRule.self, UnportableMemberRule.self,
        ConnectionFieldRule.self, ContentEncodingRule.self, ContentLengthRule.self, ErrorStatusRule.self,
        FetchedLateRule.self, NoStoreRule.self, PrivateResponseRule.self, MissingRecordRule.self, RedirectLoopRule.self,
        StoredCookieRule.self, VaryAnyRule.self,
    ]
    static let bodyRules: [any BodyRule.Type] = [
        StillEncodedRule.self, PrivateKeyRule.self, ContradictingCharsetRule.self, MissingCharsetRule.self,
        ContradictingBodyRule.self,
    ]
    static let referenceRules: [any ReferenceRule.Type] = [
        MissingLinkRule.self, MissingRequisiteRule.self, CredentialsInPageRule.self, MixedContentRule.self,
        ContradictingUseRule.self,
    ]
    static let packageRules: [any PackageRule.Type] = [
        MissingSeedRule.self, NoPageRule.self, RepeatedBodyRule.self, RubbishMemberRule.self, MisplacedMemberRule.self,
        FolderMembersRule.self, NotReproducibleRule.self, CreatedInFutureRule.self, MissingSidecarRule.self,
        WrongCountsRule.self, UnsignedRule.self,
    ]

    static let own: [any LintRule.Type] =
        manifestRules + entryRules + resourceRules + bodyRules + referenceRules + packageRules

    /// All rules, sorted by identifier.
    public static let all: [Description] = {
        let rules = Self.own.map { Description(id: $0.id, severity: $0.severity, summary: $0.summary) }
        return (rules + RuleTable.shared).sorted { $0.id < $1.id }
    }()

    /// The page docs/lint-rules.md.
    public static var page: String {
        var text = """
            # Lint rules

            Errors keep a package from being loaded; warnings and infos don't. This page is made of the rules themselves.

            | rule | severity | finds |
            | --- | --- | --- |

            """
        for rule in all { text += "| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.summary) |\n" }
        return text
    }
}
