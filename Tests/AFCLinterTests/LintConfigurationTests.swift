import AFCPackageFormat
import AFCYAML
import TestSupport
import Testing

@testable import AFCLinter

struct LintConfigurationTests {
    /// A manifest of one line that four rules have something to say about.
    static let manifest = "http://127.0.0.1/a ; tomorrow ; NULL ; NULL\n"

    /// What is found in a file called `x/m.afcache`: rules with their severities.
    static func findings(_ configuration: LintConfiguration, path: String = "x/m.afcache") throws -> [String: String] {
        let scratch = try Scratch()
        var options = Linter.Options(now: LinterTests.now)
        options.levels = configuration.levels(for: path)
        options.settings = configuration.settings
        let result = Linter.lint(try scratch.write(Array(manifest.utf8), to: "m"), options: options)
        #expect(result.isLoadable)
        return Dictionary(result.findings.map { ($0.rule, $0.severity.rawValue) }) { first, _ in first }
    }

    static func findings(_ yaml: String, path: String = "x/m.afcache") throws -> [String: String] {
        try findings(try LintConfiguration(parsing: yaml), path: path)
    }

    @Test(
        arguments: [
            ("", ["date.invalid": "warning", "type.missing": "info"]),
            ("rules: {date.invalid: error}", ["date.invalid": "error", "type.missing": "info"]),
            ("rules: {date.invalid: off}", ["date.invalid": nil, "type.missing": "info"]),
            ("rules: {\"date.*\": off, type.missing: warning}", ["date.invalid": nil, "type.missing": "warning"]),
            // What says more wins, in either order.
            ("rules: {date.invalid: info, 'date.*': off}", ["date.invalid": "info"]),
            ("rules: {'date.*': off, date.invalid: info}", ["date.invalid": "info"]),
            ("rules: {'*': off}", ["date.invalid": nil, "type.missing": nil]),
            ("preset: strict", ["date.invalid": "warning", "type.missing": "warning"]),
            ("preset: strict\nrules: {type.missing: info}", ["date.invalid": "warning", "type.missing": "info"]),
            ("preset: afcache-0.6", ["date.invalid": "warning", "type.missing": nil]),
            ("preset: afcache-0.13", ["date.invalid": "warning", "type.missing": nil]),
            ("preset: web", ["date.invalid": "warning", "type.missing": "warning"]),
            ("preset: default", ["date.invalid": "warning", "type.missing": "info"]),
            ("paths: [{glob: 'x/**', rules: {date.invalid: error}}]", ["date.invalid": "error"]),
            ("paths: [{glob: 'y/**', rules: {date.invalid: error}}]", ["date.invalid": "warning"]),
            (
                "rules: {date.invalid: info}\npaths:\n- glob: '*.afcache'\n  rules: {date.invalid: error}\n"
                    + "- glob: 'x/*'\n  rules: {date.invalid: off}",
                ["date.invalid": nil]
            ),
        ] as [(String, [String: String?])]
    )
    func `the file says which rules are on and how severe they are`(
        yaml: String,
        expected: [String: String?]
    ) throws {
        let found = try Self.findings(yaml)
        for (rule, severity) in expected { #expect(found[rule] == severity, "\(rule)") }
    }

    @Test func `the command line overrides the file`() throws {
        var configuration = try LintConfiguration(parsing: "preset: strict\nrules: {date.invalid: error}")
        configuration.ignoredRules = ["date.*"]
        #expect(try Self.findings(configuration)["date.invalid"] == nil)
        configuration.ignoredRules = []
        configuration.selectedRules = ["date.*"]
        #expect(try Self.findings(configuration) == ["date.invalid": "error"])
        configuration.rules["date.invalid"] = .off
        #expect(try Self.findings(configuration).keys.sorted() == ["date.invalid"])
        configuration.ignoredRules = ["date.invalid"]
        #expect(try Self.findings(configuration).isEmpty)
    }

    @Test func `a severity level never decides what can be loaded`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Array("http://u:p@d.example/ ; NULL ; NULL ; text/plain\n".utf8), to: "m")
        var options = Linter.Options(now: LinterTests.now)
        for level in ["off", "info"] {
            options.levels = try LintConfiguration(parsing: "rules: {url.credentials: \(level)}").levels(for: "m")
            let result = Linter.lint(path, options: options)
            #expect(!result.isLoadable)
            #expect(!result.findings.contains { $0.severity == .error })
        }
    }

    /// What AFCache's two packagers write, as facts about them say.
    @Test(
        arguments: [
            (
                LintPreset.afcache013,
                """
                baseURL = http://d.example/
                http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT+01:00 ; Sat, 27 Mar 2004 18:43:30 GMT+01:00 ; NULL ; d.example/b
                http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sat, 27 Mar 2004 18:43:30 GMT ; text/html ; d.example/a

                """
            ),
            (
                LintPreset.afcache06,
                """
                http://d.example/b c.html ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; Sun, 28 Mar 2004 18:43:30 GMT+00:00
                http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT+00:00
                """
            ),
        ]
    )
    func `a preset reports nothing that an old packager always writes`(
        preset: LintPreset,
        manifest: String
    ) throws {
        let scratch = try Scratch()
        let path = try scratch.write(Array(manifest.utf8), to: "m")
        var options = Linter.Options(now: LinterTests.now)
        #expect(Linter.lint(path, options: options).findings.count > 4)
        var configuration = LintConfiguration()
        configuration.preset = preset
        options.levels = configuration.levels(for: "m")
        #expect(Linter.lint(path, options: options).findings.map(\.rule) == [])
    }

    @Test(arguments: LintPreset.allCases)
    func `a preset names existing rules`(preset: LintPreset) {
        #expect(LintConfiguration.problem(of: preset.levels.map(\.pattern)) == nil)
    }

    @Test func `the strict preset has every rule on, and no infos`() {
        var configuration = LintConfiguration()
        configuration.preset = .strict
        let levels = configuration.levels(for: "m")
        for rule in LintRules.all {
            let severity = levels.severity(of: rule.id, otherwise: rule.isOn ? rule.severity : nil)
            #expect(severity == (rule.severity == .error ? .error : .warning), "\(rule.id)")
        }
    }

    @Test func `the other keys are read`() throws {
        let configuration = try LintConfiguration(
            parsing: """
                settings: {expires-within-days: 30, large-body: 5M, body-limit: 500k}
                fail-on: never
                max-warnings: 7
                baseline: known.json
                ignore: ['*.old', "vendor/**"]
                """
        )
        #expect(configuration.settings.expiresWithinDays == 30)
        #expect(configuration.settings.largeBody == 5_000_000)
        #expect(configuration.settings.bodyLimit == 500_000)
        #expect(configuration.failOn == .never)
        #expect(configuration.maxWarnings == 7)
        #expect(configuration.baseline == "known.json")
        #expect(configuration.ignores("a/b.old") && configuration.ignores("vendor/x.zip"))
        #expect(!configuration.ignores("a.zip"))
        #expect(try LintConfiguration(parsing: "# nothing\n") == LintConfiguration())
    }

    /// What is wrong, where, and what the sentence begins with.
    @Test(
        arguments: [
            ("presset: web", "1:1: the file has a key 'presset', which is not known; did you mean 'preset'?"),
            ("x: 1", "1:1: the file has a key 'x', which is not known; the known keys are 'preset', 'rules'"),
            ("rules:\n  date.expird: off", "2:3: there is no rule 'date.expird'; did you mean 'date.expired'?"),
            ("rules:\n  xyz.*: off", "2:3: no rule matches 'xyz.*'"),
            ("rules: {date.expired: fatal}", "1:23: the level of 'date.expired' must be one of 'off', 'info'"),
            ("preset: old", "1:9: 'preset' must be one of 'default', 'afcache-0.13', 'afcache-0.6', 'strict', 'web'"),
            ("fail-on: [error]", "1:10: 'fail-on' must be one of 'error', 'warning', 'info', 'never'"),
            ("max-warnings: -1", "1:15: 'max-warnings' must be a whole number, 0 or greater"),
            ("settings: {large-body: many}", "1:24: 'large-body' must be a number of bytes such as"),
            ("settings:\n  large-boody: 1", "2:3: 'settings' has a key 'large-boody', which is not known; did"),
            ("paths: [{rules: {}}]", "1:9: an item of 'paths' needs 'glob'"),
            ("paths: {a: b}", "1:8: 'paths' must be a list"),
            ("- a", "1:1: the file must be a mapping of keys to values"),
            ("rules: {\"a\\e[2Jb\": off, \"a\\e[2Jb\": off}", "1:25: a key occurs twice: 'a\\u{1b}[2Jb'"),
            ("fail-on: error\nfail-on: info", "2:1: a key occurs twice: 'fail-on'"),
            ("a: [", "2:1: the file is not YAML: "),
            ("a: &x [1]\nb: *x", "1:4: anchors and aliases are not allowed"),
            ("a: *x", "1:4: anchors and aliases are not allowed; write or quote the value"),
            ("a: \u{7}", "1:4: the file is not text: it contains the character U+0007"),
            (String(repeating: "[", count: 1000), "1:17: the file is nested more than 16 levels deep"),
            (String(repeating: "- ", count: 1000), "1:33: the file is nested more than 16 levels deep"),
            (String(repeating: "? ", count: 1000), "1:33: the file is nested more than 16 levels deep"),
            (String(repeating: "#", count: 70_000), "1:1: the file has more than 65536 bytes"),
        ]
    )
    func `an error is reported with its place`(yaml: String, sentence: String) throws {
        let error = try #require(throws: LintConfigurationError.self) { try LintConfiguration(parsing: yaml) }
        #expect(error.description.hasPrefix(sentence), "\(error)")
    }

    @Test func `the deepest indentation that fits into a file is read`() throws {
        var yaml = ""
        for depth in 0..<300 { yaml += String(repeating: " ", count: depth) + "a:\n" }
        #expect(throws: LintConfigurationError.self) { try LintConfiguration(parsing: yaml) }
    }

    @Test func `patterns on the command line must be valid`() {
        #expect(LintConfiguration.problem(of: ["date.expired", "zip.*", "*"]) == nil)
        #expect(
            LintConfiguration.problem(of: ["dates.*"])
                == "no rule matches 'dates.*'"
        )
        #expect(
            LintConfiguration.problem(of: ["typo.missing"])
                == "there is no rule 'typo.missing'; did you mean 'type.missing'?"
        )
    }
}
