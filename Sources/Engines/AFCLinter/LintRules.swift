public import AFCPackageFormat

/// The list of all rules, with their descriptions.
public enum LintRules {
    /// The description of a rule.
    public struct Description: Equatable, Sendable {
        /// The identifier.
        public var id: String
        /// The part of the identifier before the dot.
        public var group: String
        /// The default severity of a finding.
        public var severity: PackageProblem.Severity
        /// The defect, as the end of the sentence "this finds …".
        public var summary: String
        /// A few sentences that say what is wrong, why it matters and what to do.
        public var explanation: String
        /// An example with the defect.
        public var bad: LintExample
        /// An example that nearly has the defect.
        public var good: LintExample
        /// The effect of a fix, as the end of the sentence "a fix …", or nil.
        public var fix: String?
        /// True if only an unsafe fix corrects the finding.
        public var isUnsafe: Bool { FixableRules.unsafe.contains(id) }
        /// True if the rule is on by default.
        public var isOn: Bool

        /// Describes a rule that loading checks.
        init(
            _ rule: ProblemRule,
            _ summary: String,
            _ explanation: String,
            bad: LintExample,
            good: LintExample
        ) {
            self.init(rule.id, rule.severity, summary, explanation, bad: bad, good: good)
        }

        init(
            _ id: String,
            _ severity: PackageProblem.Severity,
            _ summary: String,
            _ explanation: String,
            bad: LintExample,
            good: LintExample
        ) {
            (self.id, self.severity, self.summary, self.explanation) = (id, severity, summary, explanation)
            (self.bad, self.good) = (bad, good)
            group = String(id.prefix { $0 != "." })
            fix = FixableRules.sentences[id]
            isOn = true
        }

        init(_ rule: any LintRule.Type) {
            id = rule.id
            group = rule.group
            severity = rule.severity
            summary = rule.summary
            explanation = rule.explanation
            bad = rule.bad
            good = rule.good
            fix = rule.fix
            isOn = rule.isOn
        }
    }

    /// The rules that only the linter checks, in the order in which they run; a rule that isn't listed never runs.
    static let own: [any LintRule.Type] = [
        BlankLineRule.self, LateHeaderRule.self, MixedDialectsRule.self, MixedLineEndsRule.self, UnusedBaseURLRule.self,
        WhiteSpaceRule.self, ExpiredRule.self, ExpiresFarRule.self, ExpiresSoonRule.self,
        ImplausibleLastModifiedRule.self, FutureLastModifiedRule.self, PrivateFileRule.self, SecretInURLRule.self,
        ContradictingSuffixRule.self, GenericTypeRule.self, MissingTypeRule.self, ObsoleteTypeRule.self,
        UnknownCharsetRule.self, DoubleEncodedRule.self, EmptyQueryRule.self, EmptySegmentRule.self,
        EncodedUnreservedRule.self, AddressHostRule.self, LongURLRule.self, NotHTTPRule.self, PrivateHostRule.self,
        SessionInURLRule.self, TrackingParameterRule.self, TrailingDotRule.self, ReadableFieldsRule.self,
        ReadableTextRule.self, SplitTypeRule.self, UnregisteredTypeRule.self, BadEscapeRule.self, UnsafeMemberRule.self,
        RedirectTargetRule.self, NoValidatorRule.self, DeflatedInVainRule.self, EmptyMemberRule.self,
        HighRatioRule.self, LargeMemberRule.self, NotDeflatedRule.self, UnportableMemberRule.self,
        ConnectionFieldRule.self, ContentEncodingRule.self, ContentLengthRule.self, ErrorStatusRule.self,
        FetchedInFutureRule.self, NoStoreRule.self, PrivateResponseRule.self, MissingRecordRule.self,
        DisallowedUsageRule.self,
        RedirectLoopRule.self, StoredCookieRule.self, VaryAnyRule.self, ReadableBodyPlaceRule.self,
        StillEncodedRule.self, PrivateKeyRule.self, TokenInBodyRule.self, ContradictingCharsetRule.self,
        MissingCharsetRule.self, ContradictingBodyRule.self, MissingLinkRule.self, MissingRequisiteRule.self,
        MissingScriptResourceRule.self, CredentialsInPageRule.self, MixedContentRule.self, ContradictingUseRule.self,
        UntitledPageRule.self,
        MissingSeedRule.self, NeedsScriptsRule.self, NoPageRule.self, RepeatedBodyRule.self, RubbishMemberRule.self,
        MisplacedMemberRule.self,
        FolderMembersRule.self, NotReproducibleRule.self, CreatedInFutureRule.self, MissingSidecarRule.self,
        WrongCountsRule.self, BadCrawlRule.self, BadNameRule.self, UnsignedRule.self, ReadableEncryptedRule.self,
        ReadableRedirectRule.self,
    ]

    /// All rules, sorted by identifier.
    public static let all: [Description] = (own.map { Description($0) } + loading).sorted { $0.id < $1.id }

    /// Returns the anchor that Markdown renderers make of a rule's heading.
    static func anchor(_ id: String) -> String { id.replacing(".", with: "") }
}
