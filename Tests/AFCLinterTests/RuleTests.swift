import AFCPackageFormat
import Foundation
import TestSupport
import Testing

@testable import AFCLinter

/// What every rule has: words, examples, and a fixture that shows it.
struct RuleTests {
    @Test(arguments: RuleFixture.all)
    func `a rule finds its defect, but not the near miss`(fixture: RuleFixture) async throws {
        #expect(try await fixture.bad.rules(Scratch()).contains(fixture.rule))
        #expect(try await !fixture.good.rules(Scratch()).contains(fixture.rule))
    }

    @Test func `every rule has one fixture, and every fixture a rule`() {
        #expect(RuleFixture.all.map(\.rule).sorted() == LintRules.all.map(\.id))
    }

    @Test func `every rule in the source is in the list of rules that run`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Engines/AFCLinter/Rules")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var written: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for found in text.matches(of: /(?:enum|struct) (\w+): (?:\w+)Rule\b/) { written.insert(String(found.1)) }
        }
        #expect(written == Set(LintRules.own.map { String(describing: $0) }))
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

    @Test(arguments: LintRules.all)
    func `no word is split where lines of an explanation are joined`(rule: LintRules.Description) {
        let text = rule.explanation + " " + (rule.fix ?? "")
        #expect(!text.contains("  ") && !text.contains("' --"))
        #expect(text.split(separator: " ").allSatisfy { !$0.hasSuffix("-") })
    }
}

/// What somebody gets who asks for rules.
struct RuleListTests {
    @Test(arguments: [
        ("date.expird", ["date.expired"]), ("zip.gaps", ["zip.gap"]), ("expired", ["date.expired"]),
        ("DATE.EXPIRED", ["date.expired"]), ("crlf", ["manifest.crlf"]), ("frobnicate", []), ("", []),
    ])
    func `a mistyped rule gets suggestions`(text: String, nearest: [String]) {
        #expect(LintRules.nearest(to: text).first == nearest.first)
        #expect(LintRules.nearest(to: text).count <= 3)
    }

    @Test func `an explanation fits its width and shows the examples`() throws {
        let rule = try #require(LintRules.rule("manifest.crlf"))
        let text = rule.text(width: 60)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "manifest.crlf: warning; finds lines that end in CR LF.")
        #expect(lines[2...4].allSatisfy { $0.count <= 60 && $0.count > 40 })
        let example = "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain␍"
        #expect(text.contains("\n\nBad:\n    \(example)\n\nGood:\n    http://"))
    }

    @Test func `no example or explanation lets a control character out`() {
        for rule in LintRules.all {
            let scalars = rule.text(width: 80).unicodeScalars.filter { $0 != "\n" }
            #expect(scalars.allSatisfy { $0.properties.generalCategory != .control }, "\(rule.id)")
        }
    }
}
