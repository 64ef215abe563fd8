public import AFCPackageFormat
public import AFCText
internal import HTTPTypes

/// The description of a rule, whether loading checks it or only the linter.
public protocol LintRule: Sendable {
    /// The stable identifier, `group.name`, for example `date.expired`.
    static var id: String { get }
    /// The default severity of a finding; never an error for the linter's own rules.
    static var severity: PackageProblem.Severity { get }
    /// The defect, as the end of the sentence "this finds …".
    static var summary: String { get }
    /// A few sentences that say what is wrong, why it matters and what to do.
    static var explanation: String { get }
    /// An example with the defect.
    static var bad: LintExample { get }
    /// An example that nearly has the defect.
    static var good: LintExample { get }
    /// The effect of a fix, as the end of the sentence "a fix …", or nil.
    static var fix: String? { get }
    /// True if the rule is on by default.
    static var isOn: Bool { get }
    /// The program's means to mend the package, or nil if there is none.
    static var remedy: Remedy? { get }
}

extension LintRule {
    /// The sentence from ``FixableRules``.
    public static var fix: String? { FixableRules.sentences[id] }
    /// True.
    public static var isOn: Bool { true }
    /// None.
    public static var remedy: Remedy? { nil }
    /// The part of the identifier before the dot.
    public static var group: String { String(id.prefix { $0 != "." }) }
}

/// An example that has or lacks a rule's defect.
public enum LintExample: Equatable, Sendable {
    /// A whole manifest.
    case manifest(String)
    /// A description of something that can't be shown as a manifest.
    case words(String)
}

/// A rule about one line of the manifest, in packages and bare manifests.
protocol EntryRule: LintRule {
    /// The features of which a line must have at least one for the rule to be run.
    static var features: EntryFeatures { get }
    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector)
}

extension EntryRule {
    /// The feature of every line.
    static var features: EntryFeatures { .any }
}

/// A rule about the text of the manifest.
protocol ManifestRule: LintRule {
    static func check(_ manifest: LintedManifest, _ findings: inout FindingCollector)
}

/// A rule about one resource of a package: its entry, record and member together, without the body.
protocol ResourceRule: LintRule {
    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
}

/// A rule about the body of one resource: its bytes, its references, or a page's metadata.
protocol BodyRule: LintRule {
    /// Returns true if the rule checks the body of a resource, which is the default.
    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool
    /// Checks one body; several threads may call this at once.
    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector)
}

extension BodyRule {
    static func isFor(_ resource: PackageIndex.Resource, in package: LintedPackage) -> Bool { true }
}

/// A rule about a package as a whole, run after those about bodies.
protocol PackageRule: LintRule {
    static func check(_ package: LintedPackage, _ findings: inout FindingCollector)
}

/// The text of a manifest: how its lines are written, and its header.
struct LintedManifest: Sendable {
    /// The way the lines are written.
    let texture: ManifestTexture
    /// The value of the header `baseURL`, or nil if no entry follows it.
    let baseURL: String?
    /// True if an entry's URL begins with the base URL.
    let usesBaseURL: Bool
}
