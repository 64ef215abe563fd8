import AFCLinter
import Testing

/// What shows that a rule finds its defect, and nothing in what nearly has it.
///
/// A rule whose examples are manifests is its own fixture; every other has one in a list below, in the file of its group.
struct RuleFixture: Sendable, CustomTestStringConvertible {
    /// The rule's identifier.
    var rule: String
    /// What has the defect.
    var bad: Sample
    /// What nearly has it.
    var good: Sample
    var testDescription: String { rule }

    /// Fixtures of rules whose examples are words.
    static let listed: [RuleFixture] =
        own + member + body + sidecar + reference + manifest + package + signature + zip + encryption + readable

    /// The fixtures of all rules.
    static let all: [RuleFixture] =
        listed
        + LintRules.all.compactMap { rule in
            guard case .manifest(let bad) = rule.bad, case .manifest(let good) = rule.good else { return nil }
            return RuleFixture(rule: rule.id, bad: .manifest(bad), good: .manifest(good))
        }
}
