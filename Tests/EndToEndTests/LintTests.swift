import Foundation
import TestSupport
import Testing

/// `afcache lint` as people see it.
struct LintTests {
    static let manifest = """
        http://d.example/a ; tomorrow ; NULL ; text/plain
        http://d.example/b ; NULL ; NULL ; html

        """
    static let headlines = [
        "m.afcache:1:22: warning: last-modified 'tomorrow' is not a date; it counts as NULL [date.invalid]",
        "m.afcache:2:36: warning: 'html' is not a media type; it counts as NULL; write 'text/html' [type.invalid]",
    ]

    private func lint(_ arguments: [String], _ environment: [String: String] = [:]) throws -> String {
        let scratch = try Scratch()
        try scratch.write(Array(Self.manifest.utf8), to: "m.afcache")
        let arguments = ["lint", "--quiet", "m.afcache"] + arguments
        return try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment).text
    }

    /// What the program shows on a terminal of 80 columns.
    private func lintOnTerminal(_ options: String, _ environment: [String: String] = [:]) throws -> String {
        let scratch = try Scratch()
        try scratch.write(Array(Self.manifest.utf8), to: "m.afcache")
        #if os(Linux)
        let program = ["-qec", "stty cols 80; '\(Program.afcache)' lint --quiet m.afcache \(options)", "/dev/null"]
        #else
        let program = [
            "-q", "/dev/null", "sh", "-c", "stty cols 80; '\(Program.afcache)' lint --quiet m.afcache \(options)",
        ]
        #endif
        let variables = ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 }
        let result = try Program.run("script", program, in: scratch.path, environment: variables)
        return result.text.replacingOccurrences(of: "\r\n", with: "\n")
    }

    @Test func `in a pipe a finding is one line without color`() throws {
        #expect(try lint([]).split(separator: "\n").map(String.init).prefix(2) == Self.headlines[...])
        #expect(try !lint([]).contains("\u{1B}"))
        #expect(try !lint([]).contains("^"))
    }

    @Test func `with --context the line follows, with a caret at the place`() throws {
        let lines = try lint(["--context"]).split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex(of: Self.headlines[0]))
        #expect(lines[first + 1] == "    http://d.example/a ; tomorrow ; NULL ; text/plain")
        #expect(lines[first + 2].hasPrefix("                         ^"))
        #expect(try lint(["--color", "always"]).contains("\u{1B}[1;33mwarning\u{1B}[0m"))
    }

    @Test func `on a terminal there are context and color unless disabled`() throws {
        let shown = try lintOnTerminal("")
        #expect(shown.contains("\u{1B}[1;33mwarning\u{1B}[0m: last-modified"), "\(shown)")
        #expect(shown.contains("\n    http://d.example/a ; tomorrow"))
        #expect(try !lintOnTerminal("--color never").contains("\u{1B}["))
        #expect(try !lintOnTerminal("", ["NO_COLOR": "1"]).contains("\u{1B}["))
        #expect(try !lintOnTerminal("", ["TERM": "dumb"]).contains("\u{1B}["))
        #expect(try lintOnTerminal("--color always", ["NO_COLOR": "1"]).contains("\u{1B}["))
        #expect(try !lintOnTerminal("--no-context").contains("^"))
    }

    @Test(arguments: [[], Array("hello\n".utf8), Array(" \n".utf8), Array("<!doctype html>".utf8)] as [[UInt8]])
    func `a file that is named like a package but isn't one is an error`(bytes: [UInt8]) throws {
        let scratch = try Scratch()
        try scratch.write(bytes, to: "e.ZIP")
        let result = try Program.run(Program.afcache, ["lint", "e.ZIP"], in: scratch.path)
        #expect(result.status == 1)
        #expect(result.text.contains("e.ZIP: error: ") && result.text.contains("[zip.not-a-zip]"), "\(result.text)")
    }

    @Test(arguments: [[], ["--fail-on", "never"], ["--format", "json"], ["--ignore", "io"], ["--quiet"]])
    func `a file that can't be read has an exit code of its own`(options: [String]) throws {
        let scratch = try Scratch()
        try scratch.write(Array("no entry\n".utf8), to: "m.afcache")
        for files in [["nowhere.zip"], ["m.afcache", "nowhere.zip"], ["nowhere.afcache", "m.afcache"]] {
            let result = try Program.run(Program.afcache, ["lint"] + files + options, in: scratch.path)
            #expect(result.status == 11, "\(files)")
            if files.count > 1, options.isEmpty { #expect(result.text.contains("[manifest.malformed-line]")) }
        }
    }

    @Test func `what an older AFCache can't read is an error if it must be readable`() throws {
        let scratch = try Scratch()
        let three = "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL"
        try scratch.write(Array("\(three)\n".utf8), to: "three.afcache")
        try scratch.write(Array("\(three) ; text/plain\n".utf8), to: "four.afcache")
        try scratch.write(Array("\(three) ; text/plain ; d.example/a\n".utf8), to: "five.afcache")
        func status(_ file: String, _ options: String...) throws -> Int32 {
            try Program.run(Program.afcache, ["lint", "--no-config", file + ".afcache"] + options, in: scratch.path)
                .status
        }
        for (file, readable) in [("three", ["0.6"]), ("four", []), ("five", ["0.13"])] {
            for version in ["0.6", "0.13"] {
                #expect(
                    try status(file, "--readable-by", version) == (readable.contains(version) ? 0 : 1),
                    "\(file) \(version)"
                )
                let preset = ["--preset", "afcache-\(version)", "--fail-on", "warning"]
                let result = try Program.run(Program.afcache, ["lint", "\(file).afcache"] + preset, in: scratch.path)
                #expect(result.status == (readable.contains(version) ? 0 : 1), "\(file) \(version): \(result.text)")
            }
        }
        try scratch.write(Array("\(three)\r\n".utf8), to: "crlf.afcache")
        #expect(try status("crlf", "--readable-by", "0.6") == 1)
        #expect(try status("three", "--readable-by", "0.7") == 64)
    }

    @Test func `rules are explained and listed without a file`() throws {
        let explained = try Program.run(Program.afcache, ["lint", "--explain", "manifest.crlf", "zip.gap"])
        #expect(explained.status == 0)
        #expect(explained.text.hasPrefix("manifest.crlf: warning; finds lines that end in CR LF.\n\n"))
        #expect(explained.text.contains("\n\nzip.gap: error; finds bytes that belong to no member.\n\n"))
        let listed = try Program.run(Program.afcache, ["lint", "--list-rules"])
        #expect(listed.status == 0)
        let row = /\nzip\.gap +error +bytes that belong to no member\n/
        #expect(listed.text.contains(row))
    }

    @Test func `rules are a document of their own with --format json`() throws {
        struct Rule: Decodable {
            var id, group, severity, summary, explanation: String
            var on: Bool
            var fix: String?
            var bad, good: [String: String]
        }
        struct Document: Decodable {
            var version: Int
            var rules: [Rule]
        }
        let arguments = ["lint", "--explain", "zip.gap", "date.invalid", "--format", "json"]
        let one = try Program.run(Program.afcache, arguments)
        let document = try JSONDecoder().decode(Document.self, from: Data(one.output))
        #expect(document.version == 1)
        #expect(document.rules.map(\.id) == ["zip.gap", "date.invalid"])
        #expect(document.rules[0].bad["words"] == "two members with 10 bytes between them")
        #expect(document.rules[1].bad["manifest"] == "http://d.example/a ; tomorrow ; NULL ; text/plain\n")
        let all = try Program.run(Program.afcache, ["lint", "--list-rules", "--format", "json"])
        #expect(try JSONDecoder().decode(Document.self, from: Data(all.output)).rules.count > 90)
    }

    @Test(arguments: [
        (["--explain", "date.expird"], "there is no rule 'date.expird'; did you mean 'date.expired'"),
        (["--explain", "frobnicate"], "there is no rule 'frobnicate'; '--list-rules' lists all rules"),
        (["--explain"], "--explain"),
        (["--list-rules", "x.zip"], "remove the files, or '--explain' and '--list-rules'"),
        ([], "name files to check, or use '--explain' or '--list-rules'"),
    ])
    func `wrong arguments are reported in one sentence`(arguments: [String], sentence: String) throws {
        let result = try Program.run(Program.afcache, ["lint"] + arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.output.isEmpty)
    }
}
