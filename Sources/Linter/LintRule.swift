internal import HTTPCaching
internal import PackageFile
internal import PackageFormat

/// A rule that only the linter has; what keeps a package from being loaded is found while it is understood.
protocol LintRule: Sendable {
    /// The stable identifier, for example `date.expired`.
    static var id: String { get }
    /// How bad a finding is; never an error.
    static var severity: PackageProblem.Severity { get }
    /// One sentence for the list of rules.
    static var summary: String { get }
    /// What is found in one resource of a package, or in one entry of a bare manifest.
    static func check(_ resource: PackageIndex.Resource, in context: LintContext) -> [String]
}

/// What rules may look at besides the resource.
struct LintContext: Sendable {
    /// The time that dates are compared with.
    var now: Timestamp
    /// The package, or nil for a bare manifest.
    var package: PackageReader?
}
