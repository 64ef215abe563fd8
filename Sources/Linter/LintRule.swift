internal import HTTPTypes
public import PackageFormat

/// What there is to say of a rule, whoever finds what it is about: loading, or the linter alone.
public protocol LintRule: Sendable {
    /// The stable identifier, `group.name`, for example `date.expired`.
    static var id: String { get }
    /// How bad a finding is, where the configuration says nothing else; of the linter's own rules never an error.
    static var severity: PackageProblem.Severity { get }
    /// What is found, as the end of the sentence "this finds …".
    static var summary: String { get }
    /// Why it matters and what to do about it, in a few sentences.
    static var explanation: String { get }
    /// What has the defect.
    static var bad: LintExample { get }
    /// What nearly has it.
    static var good: LintExample { get }
    /// What `--fix` does about it, as the end of the sentence "a fix …", or nil.
    static var fix: String? { get }
    /// Whether the rule is on where the configuration says nothing.
    static var isOn: Bool { get }
}

extension LintRule {
    /// Nothing.
    public static var fix: String? { nil }
    /// It is.
    public static var isOn: Bool { true }
    /// The part of the identifier before the dot.
    public static var group: String { String(id.prefix { $0 != "." }) }
}

/// What shows a rule's defect, or the lack of it.
public enum LintExample: Equatable, Sendable {
    /// A whole manifest.
    case manifest(String)
    /// What can't be shown as a manifest, in words.
    case words(String)
}

/// A rule about one line of the manifest, in packages and bare manifests.
protocol EntryRule: LintRule {
    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector)
}

/// A rule about one resource of a package: its entry, record and member together, without the body.
protocol ResourceRule: LintRule {
    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
}

/// A rule about the body of one resource.
protocol BodyRule: LintRule {
    /// Whether the rule looks at the body, which is read for all rules once.
    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool
    static func check(
        _ body: [UInt8],
        of resource: PackageIndex.Resource,
        in package: LintedPackage,
        _ findings: inout FindingCollector
    )
}

/// A rule about a package as a whole.
protocol PackageRule: LintRule {
    static func check(_ package: LintedPackage, _ findings: inout FindingCollector)
}
