public import AFCPackageFormat
internal import HTTPTypes

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
    /// The effect of a fix, as the end of the sentence "a fix …", or nil.
    static var fix: String? { get }
    /// Whether the rule is on where the configuration says nothing.
    static var isOn: Bool { get }
}

extension LintRule {
    /// What ``FixableRules`` says.
    public static var fix: String? { FixableRules.sentences[id] }
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
    /// What a line must have one of, so that the rule is asked about it.
    static var features: EntryFeatures { get }
    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector)
}

extension EntryRule {
    /// Each line has it.
    static var features: EntryFeatures { .any }
}

/// A rule about the manifest as a text.
protocol ManifestRule: LintRule {
    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector)
}

/// A rule about one resource of a package: its entry, record and member together, without the body.
protocol ResourceRule: LintRule {
    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
}

/// A rule about the body of one resource: its bytes, what it refers to, or what a page says of itself.
protocol BodyRule: LintRule {
    /// Whether the rule looks at the body of a resource; true where a rule doesn't say.
    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool
    /// Looks at one body; several threads do so at once.
    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector)
}

extension BodyRule {
    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool { true }
}

/// A rule about a package as a whole, which comes after those about bodies.
protocol PackageRule: LintRule {
    static func check(_ package: LintedPackage, _ findings: inout FindingCollector)
}

/// A manifest as a text: how its lines are written, and what its header is for.
struct LintedManifest: Sendable {
    /// How the lines are written.
    let texture: ManifestTexture
    /// What the header `baseURL` says, or nil where no entry stands below it.
    let baseURL: String?
    /// Whether an entry's URL begins with the base URL.
    let usesBaseURL: Bool
}
