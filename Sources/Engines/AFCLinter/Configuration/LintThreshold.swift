public import AFCPackageFormat

/// From which severity on the program fails.
public enum LintThreshold: String, Sendable, CaseIterable {
    /// Errors only.
    case error
    /// Warnings and errors.
    case warning
    /// Every finding.
    case info
    /// No finding.
    case never

    /// The severity; nil for never.
    public var severity: PackageProblem.Severity? { PackageProblem.Severity(rawValue: rawValue) }
}
