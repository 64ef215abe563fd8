internal import AFCPackageFormat

/// The rules that are on for a file, and the severities of their findings.
public struct RuleLevels: Equatable, Sendable {
    /// The levels that differ from the rules' defaults, by identifier.
    private var levels: [String: RuleLevel] = [:]
    /// The only rules that may be on; nil for all.
    private var selected: Set<String>?

    /// Creates the default levels.
    public init() {}

    /// Sets the level of a rule.
    mutating func set(_ level: RuleLevel, for id: String) { levels[id] = level }

    /// Turns these rules on and all others off.
    mutating func select(_ ids: Set<String>) {
        selected = ids
        for id in ids where levels[id] == .off { levels[id] = nil }
    }

    /// Returns the severity of a rule's findings, or nil if the rule is off.
    func severity(of rule: any LintRule.Type) -> PackageProblem.Severity? {
        let isOn = rule.isOn || selected?.contains(rule.id) == true
        return severity(of: rule.id, otherwise: isOn ? rule.severity : nil)
    }

    /// Returns the severity of a finding.
    ///
    /// - Parameters:
    ///   - id: The rule.
    ///   - severity: The default severity; nil for a rule that is off by default.
    /// - Returns: The severity, or nil if the rule is off.
    func severity(of id: String, otherwise severity: PackageProblem.Severity?) -> PackageProblem.Severity? {
        if let selected, !selected.contains(id) { return nil }
        return levels[id].map(\.severity) ?? severity
    }

    func isOn(_ rule: any LintRule.Type) -> Bool { severity(of: rule) != nil }
}

/// The level that a configuration gives a rule.
public enum RuleLevel: String, Sendable, CaseIterable {
    /// The rule is off.
    case off
    /// The findings are infos.
    case info
    /// The findings are warnings.
    case warning
    /// The findings are errors; this doesn't affect loading.
    case error

    /// Creates the level of a severity.
    init(_ severity: PackageProblem.Severity) {
        switch severity {
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }

    /// The severity of findings; nil for off.
    var severity: PackageProblem.Severity? { PackageProblem.Severity(rawValue: rawValue) }
}
