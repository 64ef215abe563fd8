import AFCLinter
import TestSupport
import Testing

struct FixableRulesTests {
    static let fixable = LintRules.all.filter { $0.fix != nil }

    @Test func `the fixable rules exist, and say that they are fixable`() {
        #expect(Set(Self.fixable.map(\.id)) == Set(FixableRules.sentences.keys))
        #expect(FixableRules.sentences.values.allSatisfy { $0.last != "." && $0.first?.isLowercase == true })
    }

    @Test(arguments: fixable)
    func `fixing a rule's bad example removes its finding for good`(rule: LintRules.Description) throws {
        guard case .manifest(let bad) = rule.bad else {
            Issue.record("the example of \(rule.id) is no manifest")
            return
        }
        let scratch = try Scratch()
        let path = try scratch.write(Array(bad.utf8), to: "m.afcache")
        let before = Linter.lint(path, options: .init(now: LinterTests.now))
        #expect(before.findings.map(\.rule).contains(rule.id))
        let fix = try #require(try FileFix(path, allowsUnsafe: rule.isUnsafe))
        #expect(fix.isNeeded)
        #expect(try #require(try FileFix(path)).isNeeded == !rule.isUnsafe)
        try fix.write()
        #expect(try scratch.read("m.afcache") == fix.fix.bytes)
        let after = Linter.lint(path, options: .init(now: LinterTests.now))
        #expect(!after.findings.map(\.rule).contains(rule.id))
        #expect(after.entries == before.entries)
        #expect(after.isLoadable == before.isLoadable)
        #expect(try #require(try FileFix(path)).isNeeded == false)
        #expect(scratch.names == ["m.afcache"])
    }

    @Test(arguments: LintRules.all)
    func `a correct example is unchanged except for what it doesn't show`(rule: LintRules.Description) throws {
        guard case .manifest(let good) = rule.good, rule.fix != nil else { return }
        let fix = try ManifestFix(Array(good.utf8), path: "m") { _ in false }
        #expect(fix.mended.keys.allSatisfy { !$0.rules.contains(rule.id) })
    }
}
