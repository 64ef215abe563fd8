internal import AFCPackageFormat

/// Which rules are on for a file, and how bad their findings are.
public struct RuleLevels: Equatable, Sendable {
    /// What is said of rules, by identifier; the others are as they say themselves.
    private var levels: [String: RuleLevel] = [:]
    /// The rules that may be on at all; nil for every one.
    private var selected: Set<String>?

    /// Creates levels that change nothing.
    public init() {}

    /// Sets the level of a rule.
    mutating func set(_ level: RuleLevel, for id: String) { levels[id] = level }

    /// Switches all rules off but those, and those on.
    mutating func select(_ ids: Set<String>) {
        selected = ids
        for id in ids where levels[id] == .off { levels[id] = nil }
    }

    /// How bad a rule's finding is, or nil where the rule is off.
    func severity(of rule: any LintRule.Type) -> PackageProblem.Severity? {
        let isOn = rule.isOn || selected?.contains(rule.id) == true
        return severity(of: rule.id, otherwise: isOn ? rule.severity : nil)
    }

    /// How bad a finding is.
    ///
    /// - Parameters:
    ///   - id: The rule.
    ///   - severity: Where nothing is said of the rule; nil for a rule that is off then.
    /// - Returns: The severity, or nil where the rule is off.
    func severity(of id: String, otherwise severity: PackageProblem.Severity?) -> PackageProblem.Severity? {
        if let selected, !selected.contains(id) { return nil }
        return levels[id].map(\.severity) ?? severity
    }

    func isOn(_ rule: any LintRule.Type) -> Bool { severity(of: rule) != nil }
}

/// What a configuration says of a rule.
public enum RuleLevel: String, Sendable, CaseIterable {
    /// The rule finds nothing.
    case off
    /// Its findings are infos.
    case info
    /// Its findings are warnings.
    case warning
    /// Its findings are errors, which changes nothing about what can be loaded.
    case error

    /// Creates the level of a severity.
    init(_ severity: PackageProblem.Severity) {
        switch severity {
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }

    /// How bad findings are; nil where there are none.
    var severity: PackageProblem.Severity? { PackageProblem.Severity(rawValue: rawValue) }
}
