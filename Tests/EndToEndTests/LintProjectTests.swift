import Foundation
import TestSupport
import Testing

/// Linting through the built program: reports, configurations, baselines, exit codes.
struct LintProjectTests {
    /// One warning and one info.
    static let manifest = "http://d.example/a ; tomorrow ; NULL ; NULL\n"

    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        // Nothing above the scratch folder is looked at.
        try scratch.write([], to: ".git/HEAD")
        try scratch.write(Array(Self.manifest.utf8), to: "in/m.afcache")
    }

    func configure(_ yaml: String, in folder: String = "") throws {
        try scratch.write(Array(yaml.utf8), to: folder + ".afcachelint.yml")
    }

    func lint(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(
            Program.afcache,
            ["lint", "in/m.afcache"] + arguments,
            in: scratch.path,
            environment: environment
        )
    }

    func rules(_ result: ProgramResult) -> [String] {
        result.text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return "\(words.count > 1 ? words[1].dropLast() : "") \(words.last?.dropFirst().dropLast() ?? "")"
        }
    }

    @Test func `without a configuration rules have their own defaults`() throws {
        let result = try lint()
        #expect(result.status == 0)
        #expect(rules(result).sorted() == ["info type.missing", "warning date.invalid"])
        #expect(result.errors == "in/m.afcache: 1 entry, 1 warning, 1 info\n")
    }

    @Test func `the nearest configuration counts, up to the repository's root`() throws {
        try configure("rules: {type.missing: error}")
        #expect(rules(try lint()).contains("error type.missing"))
        try configure("rules: {type.missing: warning}", in: "in/")
        #expect(rules(try lint()).contains("warning type.missing"))
        try scratch.write([], to: "in/.git/HEAD")
        try FileManager.default.removeItem(atPath: scratch.path("in/.afcachelint.yml"))
        #expect(rules(try lint()).contains("info type.missing"), "what is above a root isn't the repository's")
        #expect(rules(try lint("--config", ".afcachelint.yml")).contains("error type.missing"))
    }

    @Test func `nothing above the home folder is searched`() throws {
        try FileManager.default.removeItem(atPath: scratch.path(".git"))
        try configure("rules: {type.missing: error}")
        let home = scratch.path("in")
        #expect(rules(try lint(environment: ["HOME": home])).contains("info type.missing"))
        #expect(rules(try lint(environment: ["HOME": scratch.path])).contains("error type.missing"))
    }

    @Test func `the command line overrides the configuration, which overrides the preset`() throws {
        try configure("preset: strict\nfail-on: warning\nmax-warnings: 0\nrules: {date.invalid: info}")
        let configured = try lint()
        #expect(configured.status == 1)
        #expect(rules(configured).sorted() == ["info date.invalid", "warning type.missing"])
        #expect(configured.errors.contains("there are more than 0 warnings\n"))
        #expect(try lint("--fail-on", "never", "--max-warnings", "1").status == 0)
        #expect(try lint("--fail-on", "never").status == 1, "the limit of warnings is the file's")
        #expect(rules(try lint("--preset", "default")).sorted() == ["info date.invalid", "info type.missing"])
        #expect(rules(try lint("--select", "date.*")) == ["info date.invalid"])
        #expect(rules(try lint("--ignore", "date.invalid,type.*")).isEmpty)
        #expect(rules(try lint("--no-config")).sorted() == ["info type.missing", "warning date.invalid"])
    }

    @Test func `paths in a configuration are relative to its folder`() throws {
        try configure("paths: [{glob: 'in/**', rules: {date.invalid: off}}]\nignore: ['in/old/*']")
        #expect(rules(try lint()) == ["info type.missing"])
        try scratch.write(Array(Self.manifest.utf8), to: "in/old/m")
        let result = try Program.run(
            Program.afcache,
            ["lint", "old/m", "../in/m.afcache"],
            in: scratch.path("in")
        )
        #expect(rules(result) == ["info type.missing"])
        #expect(result.errors.hasPrefix("old/m: skipped because the configuration ignores it\n"))
    }

    /// Arguments, a configuration, and what standard error says with exit code 64.
    @Test(
        arguments: [
            (
                [], "rulez: {}",
                ".afcachelint.yml:1:1: the file has a key 'rulez', which is not known; did you mean 'rules'?"
            ),
            ([], "a: [", ".afcachelint.yml:2:1: the file is not YAML"),
            (["--config", "x", "--no-config"], "", "remove one of them"),
            (["--select", "date.expird"], "", "there is no rule 'date.expird'; did you mean 'date.expired'?"),
            (["--ignore", "dates.*"], "", "no rule matches 'dates.*'"),
            (["--max-warnings", "-1"], "", "--max-warnings"),
            (["--preset", "old"], "", "--preset"),
            (["--write-baseline"], "", "'--write-baseline' needs the file's name"),
        ] as [([String], String, String)]
    )
    func `an error is reported, and nothing is linted`(arguments: [String], yaml: String, sentence: String) throws {
        try configure(yaml)
        let result = try Program.run(Program.afcache, ["lint", "in/m.afcache"] + arguments, in: scratch.path)
        #expect(result.status == 64)
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test func `a baseline hides known findings, and reports those that no longer occur`() throws {
        try configure("baseline: known.json\nfail-on: warning")
        let written = try lint("--write-baseline")
        #expect(written.status == 0 && written.output.isEmpty)
        #expect(written.errors.hasSuffix("known.json: 2 findings written\n"))
        let known = try lint()
        #expect(known.status == 0 && known.output.isEmpty)
        #expect(known.errors == "in/m.afcache: 1 entry, clean, 2 in the baseline\n")
        let more = "http://d.example/ ; soon ; NULL ; text/plain\nhttp://d.example/a ; NULL ; NULL ; NULL\n"
        try scratch.write(Array(more.utf8), to: "in/m.afcache")
        let changed = try lint()
        #expect(changed.status == 1)
        #expect(rules(changed) == ["warning date.invalid"])
        #expect(changed.text.hasPrefix("in/m.afcache:1:"))
        #expect(changed.errors.contains("1 finding is no longer found; use '--write-baseline' to rewrite it"))
        #expect(try lint("--baseline", "none.json").status == 11)
    }

    @Test func `writing a baseline keeps its findings in files that aren't linted now`() throws {
        try scratch.write(Array(Self.manifest.utf8), to: "in/n.afcache")
        #expect(
            try lint("in/n.afcache", "--baseline", "b.json", "--write-baseline").errors.contains("4 findings written")
        )
        try scratch.write(Array("http://d.example/a ; NULL ; NULL ; text/plain\n".utf8), to: "in/m.afcache")
        #expect(try lint("--baseline", "b.json", "--write-baseline").errors.contains("2 findings written"))
        let both = try lint("in/n.afcache", "--baseline", "b.json")
        #expect(both.output.isEmpty)
    }

    @Test(arguments: ["json", "sarif", "junit"])
    func `no report is begun if a later file's configuration is wrong`(format: String) throws {
        try scratch.write(Array(Self.manifest.utf8), to: "other/m.afcache")
        try configure("x: 1", in: "other/")
        let result = try lint("other/m.afcache", "--format", format)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
    }

    @Test func `a baseline contains all places of a finding that is reported once`() throws {
        let lines = ["a", "b", "c"].map { "http://d.example/\($0) ; NULL ; NULL ; NULL\n" }
        try scratch.write(Array(lines.joined().utf8), to: "in/m.afcache")
        #expect(try lint("--baseline", "b.json", "--write-baseline").errors.contains("3 findings written"))
        let fourth = "http://d.example/d ; NULL ; NULL ; NULL\n"
        try scratch.write(Array((lines.dropFirst().joined() + fourth).utf8), to: "in/m.afcache")
        let result = try lint("--baseline", "b.json")
        #expect(rules(result) == ["info type.missing"])
        #expect(result.text.hasPrefix("in/m.afcache:3:1: "))
        #expect(result.errors.contains("2 in the baseline"))
    }

    @Test(arguments: ["json", "sarif", "junit", "github", "gitlab"])
    func `a report goes to standard output, and nothing else is written`(format: String) throws {
        let result = try lint("--format", format, "--fail-on", "warning")
        #expect(result.status == 1)
        #expect(result.errors.isEmpty)
        #expect(result.text.contains("date.invalid") && result.text.hasSuffix("\n"))
        #expect(!result.text.contains("\u{1B}"))
    }

    @Test func `paths in reports are relative to the working folder`() throws {
        let result = try Program.run(
            Program.afcache,
            ["lint", scratch.path("in/m.afcache"), "./in/../in/m.afcache", "--format", "gitlab", "--select", "date.*"],
            in: scratch.path
        )
        #expect(result.text.components(separatedBy: "\"path\":\"in/m.afcache\"").count == 3, "\(result.text)")
    }
}
