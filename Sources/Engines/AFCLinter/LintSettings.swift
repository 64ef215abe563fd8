/// The limits that rules compare with, with defaults that a project can change.
public struct LintSettings: Equatable, Sendable {
    /// The number of days before its expiry at which an entry is reported as expiring soon.
    public var expiresWithinDays = 7
    /// The number of bytes above which a body is reported as large.
    public var largeBody: Int64 = 32 << 20
    /// The number of bytes of a body that rules check.
    public var bodyLimit: Int64 = 16 << 20
    /// The number of bytes above which a URL is reported as long.
    public var longURL = 2_000
    /// The number of bytes from which a member of text is reported as not deflated.
    public var deflatableBody: Int64 = 4_096
    /// The ratio of a body to its compressed data from which it is reported.
    public var highRatio: Int64 = 200

    /// The old readers that must also be able to read the package.
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
