import Foundation
import Linter
import TestSupport
import Testing

/// What every rule has: words, examples, and a fixture that shows it.
struct RuleTests {
    @Test(arguments: RuleFixture.all)
    func `a rule finds its defect and nothing near it`(fixture: RuleFixture) async throws {
        #expect(try await fixture.bad.rules(Scratch()).contains(fixture.rule))
        #expect(try await !fixture.good.rules(Scratch()).contains(fixture.rule))
    }

    @Test func `every rule has one fixture, and every fixture a rule`() {
        #expect(RuleFixture.all.map(\.rule).sorted() == LintRules.all.map(\.id))
    }

    @Test(arguments: LintRules.all)
    func `a good example is a manifest without errors and warnings`(rule: LintRules.Description) throws {
        guard case .manifest(let good) = rule.good else { return }
        #expect(try LinterTests.lint(Array(good.utf8)).findings.allSatisfy { $0.severity == .info })
    }

    @Test(arguments: LintRules.all)
    func `a rule is explained in sentences`(rule: LintRules.Description) {
        #expect(rule.summary.last != "." && rule.summary.first?.isUppercase == false, "it ends a sentence")
        #expect(rule.explanation.hasSuffix("."))
        #expect(
            rule.explanation.count(where: { $0 == "." || $0 == ";" || $0 == ":" }) >= 2,
            "and says why, or what to do"
        )
        #expect(rule.id == "io" || rule.id.hasPrefix(rule.group + "."))
    }
}
