/// What rules compare with, where a project wants something else than the defaults.
public struct LintSettings: Equatable, Sendable {
    /// How many days before its end an entry is reported as expiring soon.
    public var expiresWithinDays = 7
    /// How many bytes a body may have before it is reported as large.
    public var largeBody: Int64 = 32 << 20
    /// How many bytes of a body rules look at.
    public var bodyLimit: Int64 = 16 << 20
    /// How many bytes a URL may have before it is reported as long.
    public var longURL = 2_000
    /// How many bytes a member of text has at least before it is reported as not deflated.
    public var deflatableBody: Int64 = 4_096
    /// How many times its data a body may be before it is reported.
    public var highRatio: Int64 = 200

    /// Which older readers shall read the package, too.
    public var readers: [OldReader] = []

    /// Creates the defaults.
    public init() {}
}

/// The rules that are on in one run.
struct ActiveRules: Sendable {
    let manifest: [any ManifestRule.Type]
    let entry: [any EntryRule.Type]
    let resource: [any ResourceRule.Type]
    let body: [any BodyRule.Type]
    let package: [any PackageRule.Type]

    init(_ levels: RuleLevels) {
        let rules = LintRules.own.filter { levels.isOn($0) }
        manifest = rules.compactMap { $0 as? any ManifestRule.Type }
        entry = rules.compactMap { $0 as? any EntryRule.Type }
        resource = rules.compactMap { $0 as? any ResourceRule.Type }
        body = rules.compactMap { $0 as? any BodyRule.Type }
        package = rules.compactMap { $0 as? any PackageRule.Type }
    }
}
