import AFCLinter
import AFCPackageFormat
import AFCText
import TestSupport
import Testing

struct LintBaselineTests {
    static func findings(_ manifest: String) throws -> [Finding] {
        let scratch = try Scratch()
        var options = Linter.Options(now: LinterTests.now)
        options.mergesFindings = false
        options.identifiesFindings = true
        var configuration = LintConfiguration()
        configuration.selectedRules = ["type.missing", "date.invalid"]
        options.levels = configuration.levels(for: "m")
        return Linter.lint(try scratch.write(Array(manifest.utf8), to: "m"), options: options).findings
    }

    static func entry(_ name: String, _ date: String = "NULL", type: String = "NULL") -> String {
        "http://d.example/\(name) ; \(date) ; NULL ; \(type)\n"
    }

    @Test func `known findings are hidden, wherever their lines are now, and new ones are shown`() throws {
        var baseline = LintBaseline()
        baseline.add(try Self.findings(Self.entry("b") + Self.entry("c", "soon")), of: "m")
        #expect(baseline.count == 3)
        var known = try LintBaseline(parsing: Array(baseline.text.utf8))
        #expect(known == baseline)
        let moved = Self.entry("a", type: "text/plain") + Self.entry("b") + Self.entry("c", "later") + Self.entry("d")
        var findings = try Self.findings(moved)
        #expect(known.remove(from: &findings, of: "m") == 3)
        #expect(findings.map(\.rule) == ["type.missing"])
        #expect(findings.first?.place == .manifest(line: 4, column: 1))
        #expect(known.count(of: ["m"]) == 0)
    }

    @Test func `the baseline keeps what no longer occurs, and doesn't apply to other files`() throws {
        var baseline = LintBaseline()
        baseline.add(try Self.findings(Self.entry("b") + Self.entry("c")), of: "m")
        var findings = try Self.findings(Self.entry("b"))
        let all = findings
        #expect(baseline.remove(from: &findings, of: "other") == 0)
        #expect(findings == all)
        #expect(baseline.remove(from: &findings, of: "m") == 1)
        #expect(baseline.count(of: ["m"]) == 1)
        #expect(baseline.count(of: ["other"]) == 0)
    }

    @Test func `two findings of a rule for one URL count as two in the baseline`() throws {
        let line = "http://d.example/a ; soon ; later ; text/plain\n"
        var baseline = LintBaseline()
        baseline.add(try Self.findings(line), of: "m")
        #expect(baseline.text.contains("\"count\":2"))
        var one = try Self.findings(Self.entry("a", "soon", type: "text/plain"))
        #expect(baseline.remove(from: &one, of: "m") == 1)
        #expect(baseline.count == 1)
    }

    @Test func `the file has one finding a line, sorted, and no URL`() throws {
        var baseline = LintBaseline()
        baseline.add(try Self.findings(Self.entry("b")), of: "z")
        baseline.add(try Self.findings(Self.entry("b")), of: "a")
        let lines = baseline.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "{\"version\":1,\"findings\":[" && lines.last == "]}")
        #expect(lines[1].hasPrefix("{\"file\":\"a\",\"rule\":\"type.missing\",\"fingerprint\":\""))
        #expect(!baseline.text.contains("d.example"))
    }

    @Test(
        arguments: [
            ("", "the baseline is not JSON"), ("[]", "the file is not a baseline"),
            ("{\"version\":2,\"findings\":[]}", "the file is not"),
            ("{\"version\":1,\"findings\":[{}]}", "finding 1 of the baseline is malformed"),
            (
                "{\"version\":1,\"findings\":[{\"file\":\"a\",\"rule\":\"b\",\"fingerprint\":\"c\",\"count\":-1}]}",
                "finding 1 of the baseline is malformed"
            ),
            (String(repeating: "[", count: 100_000), "the baseline is not JSON"),
        ]
    )
    func `a file that isn't a baseline is refused`(text: String, sentence: String) throws {
        let error = try #require(throws: LintBaseline.Malformed.self) { try LintBaseline(parsing: Array(text.utf8)) }
        #expect(error.message.hasPrefix(sentence))
    }

    @Test func `findings with the same sentence are merged as without a baseline`() throws {
        let findings = try Self.findings(Self.entry("b") + Self.entry("c") + Self.entry("d", "soon"))
        #expect(findings.count == 4)
        let merged = Finding.merged(findings)
        #expect(merged.map(\.rule) == ["type.missing", "date.invalid"])
        #expect(merged.map(\.others) == [2, 0])
    }
}
