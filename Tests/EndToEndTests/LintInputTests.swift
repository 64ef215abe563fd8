import Foundation
import TestSupport
import Testing

/// What `afcache lint` takes and where its report goes: standard input, folders, a file, a table.
struct LintInputTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        // Nothing above the scratch folder is looked at.
        try scratch.write([], to: ".git/HEAD")
        try scratch.write(Array("http://d.example/a ; tomorrow ; NULL ; text/plain\n".utf8), to: "packages/m.afcache")
        try scratch.write(Array("http://d.example/a ; soon ; NULL ; text/plain\n".utf8), to: "packages/sub/n.afcache")
        try scratch.write(Array("no package".utf8), to: "packages/readme.txt")
        try scratch.write(Array("no entry\n".utf8), to: "packages/.hidden/x.afcache")
        try scratch.write(Array(Self.defect.utf8), to: "in/manifest.afcache")
        let zip = "cd in && python3 -m zipfile -c ../p.zip manifest.afcache"
        try #require(Program.run("sh", ["-c", zip], in: scratch.path).status == 0)
    }

    static let defect = "http://d.example/a ; tomorrow ; NULL ; text/plain\n"

    func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, ["lint"] + arguments, in: scratch.path)
    }

    func shell(_ line: String) throws -> ProgramResult {
        try Program.run("sh", ["-c", line], in: scratch.path, environment: ["AFCACHE": Program.afcache])
    }

    @Test func `standard input is linted like a file`() throws {
        for line in ["\"$AFCACHE\" lint - < p.zip", "cat p.zip | \"$AFCACHE\" lint -"] {
            let result = try shell(line)
            #expect(result.status == 1)
            #expect(result.text.contains("<stdin>!manifest.afcache:1:22: warning: "), "\(result.text)")
            #expect(result.text.contains("[member.missing]"))
            #expect(result.errors.hasPrefix("<stdin>: 0 entries") || result.errors.hasPrefix("<stdin>: 1 entry"))
        }
        let manifest = try shell("printf 'no entry\\n' | \"$AFCACHE\" lint - --format json")
        #expect(manifest.status == 1 && manifest.text.contains("\"file\":\"<stdin>\""))
        #expect(
            try shell("TMPDIR=$PWD/tmp; export TMPDIR; mkdir tmp; \"$AFCACHE\" lint - < p.zip; ls tmp | wc -l").text
                .hasSuffix("0\n")
        )
        // As a download that failed leaves it.
        let empty = try shell("\"$AFCACHE\" lint - < /dev/null")
        #expect(empty.status == 11 && empty.errors.contains("'standard input': it is empty"), "\(empty.errors)")
        #expect(try shell("\"$AFCACHE\" lint --fix - < p.zip").status == 64)
        #expect(try shell("\"$AFCACHE\" lint - - < p.zip").status == 64)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a copy of standard input has no name, so no signal can leave it behind`(number: Int32) throws {
        let folder = scratch.path("tmp")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let script = """
            cd "$0"; mkfifo pipe
            python3 -c 'while True: print("x" * 100000, flush=True); open("sent", "w")' >pipe 2>/dev/null &
            exec "$AFCACHE" lint - <pipe
            """
        let environment = ["AFCACHE": Program.afcache, "TMPDIR": folder]
        let running = try RunningProgram("sh", ["-c", script, scratch.path], environment: environment)
        try running.wait(until: "the program has read some of its input") {
            FileManager.default.fileExists(atPath: scratch.path("sent"))
        }
        #expect(!running.hasEnded, "\(running.errors)")
        #expect(running.stop(number) != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func `linting a folder checks each package and manifest that isn't hidden`() throws {
        let result = try run("packages/", "--quiet")
        #expect(result.status == 0)
        let places = result.text.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(places == ["packages/m.afcache:1:22:", "packages/sub/n.afcache:1:22:"])
        try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: false)
        let empty = try run("empty")
        #expect(empty.status == 11)
        #expect(empty.errors.hasPrefix("error: 'empty': the folder has no '.zip' and no '.afcache' file"))
        #expect(try run("packages", "--diff").status == 0)
    }

    @Test func `a finding that repack mends names the command, and the resource`() throws {
        let manifest = "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
        try scratch.write(Array(manifest.utf8), to: "site/manifest.afcache")
        try scratch.write([UInt8](repeating: 0x61, count: 5000), to: "site/d.example/a")
        let zip = ["-q", "-0", "-D", "-r", scratch.path("s.zip"), "manifest.afcache", "d.example"]
        try #require(Program.run("zip", zip, in: scratch.path("site")).status == 0)
        let result = try run("s.zip")
        let words =
            "the body isn't compressed, which makes the package larger; 'afcache repack' writes a package without "
            + "this (in 'http://d.example/a') [member.not-deflated]"
        #expect(result.text.contains(words), "\(result.text)")
        #expect(try run("s.zip", "--format", "json").text.contains(#""url":"http://d.example/a""#))
    }

    @Test(arguments: ["text", "json", "sarif", "junit", "github", "gitlab"])
    func `a report goes to a file as a whole`(format: String) throws {
        let shown = try run("packages", "--format", format)
        let written = try run("packages", "--format", format, "-o", "report")
        #expect(written.status == shown.status && written.output.isEmpty)
        #expect(try scratch.read("report") == shown.output)
        #expect(written.errors == shown.errors)
        #expect(try run("packages", "-o", "none/report").status == 11)
        #expect(try run("packages", "-o", "/dev/stdout", "--format", format).output == shown.output)
        #expect(!scratch.names.contains { $0.contains("report.") || $0.hasPrefix(".report") })
    }

    @Test func `statistics count what each rule found`() throws {
        let lines = (0..<20).map { "http://d.example/\($0 + 10) ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; NULL ; NULL\n" }
        try scratch.write(Array(lines.joined().utf8), to: "m.afcache")
        let result = try run("m.afcache", "packages", "--statistics")
        #expect(
            result.text == """
                20  warning  date.not-imf-fixdate  (safe fix)
                20  info     type.missing
                 2  warning  date.invalid

                """
        )
        struct Document: Decodable {
            struct Row: Decodable, Equatable {
                var rule, severity: String
                var count, files: Int
                var fix: String?
            }
            var version: Int
            var statistics: [Row]
        }
        let json = try run("m.afcache", "packages", "--statistics", "--format", "json")
        let document = try JSONDecoder().decode(Document.self, from: Data(json.output))
        #expect(document.version == 1)
        #expect(document.statistics.last == Document.Row(rule: "date.invalid", severity: "warning", count: 2, files: 2))
        #expect(try run("m.afcache", "--statistics", "--format", "sarif").status == 64)
    }

    /// As afcpkg.py writes them.
    @Test func `text shows the first of many findings of a rule, and counts the rest`() throws {
        let date = "Sat, 27 Mar 2004 18:43:30 GMT+00:00"
        let lines = (0..<500).map { "http://d.example/\($0 + 1000) ; \(date) ; \(date) ; text/plain\n" }
        try scratch.write(Array(lines.joined().utf8), to: "m.afcache")
        func count(_ text: String) -> Int { text.split(separator: "\n").count { $0.contains("date.not-imf-fixdate") } }
        let result = try run("m.afcache", "--ignore", "date.exp*")
        #expect(count(result.text) == 11)
        #expect(
            result.text.hasSuffix(
                "m.afcache: warning: 990 more of this rule; '--all' shows each [date.not-imf-fixdate]\n"
            )
        )
        #expect(result.errors.contains("500 entries, 1000 warnings"), "\(result.errors)")
        #expect(try count(run("m.afcache", "--all").text) == 1000)
        #expect(try count(run("m.afcache", "--format", "github").text) == 1000)
    }

    @Test func `a configuration extends others`() throws {
        func write(_ yaml: String, _ name: String) throws { try scratch.write(Array(yaml.utf8), to: name) }
        try write("rules: {date.invalid: info, type.missing: error}\nignore: ['*.old']", "shared/base.yml")
        try write("extends: shared/base.yml\nrules: {type.missing: off}", ".afcachelint.yml")
        #expect(try run("packages/m.afcache").text.contains(": info: last-modified 'tomorrow'"))
        try write("extends: [shared/base.yml, shared/strict.yml]", ".afcachelint.yml")
        try write("rules: {date.invalid: error}", "shared/strict.yml")
        #expect(try run("packages/m.afcache").status == 1, "the later is stronger")
        try write("extends: .afcachelint.yml", ".afcachelint.yml")
        let cycle = try run("packages/m.afcache")
        #expect(cycle.status == 64 && cycle.errors.contains("extends itself"), "\(cycle.errors)")
        try write("extends: none.yml", ".afcachelint.yml")
        let missing = try run("packages/m.afcache")
        #expect(missing.status == 64 && missing.errors.contains("'none.yml', which 'extends' names"))
        try write("rules-url: https://docs.example/rules", ".afcachelint.yml")
        let link = #""helpUri":"https://docs.example/rules#dateinvalid""#
        #expect(try run("packages/m.afcache", "--format", "sarif").text.contains(link))
        try write("rules-url: rules.html", ".afcachelint.yml")
        #expect(try run("packages/m.afcache").status == 64)
    }

    /// Names and lines as hostile as they come; GitHub's runner takes '##[' anywhere in a line, and '::' at its start.
    @Test(arguments: ["text", "json", "sarif", "junit", "github", "gitlab"])
    func `no report contains workflow commands, control characters or bidi controls`(format: String) throws {
        let hostile = "::stop-commands::x ##[stop-commands]y \u{202E}\u{9B}31m ##[add-mask]z"
        try scratch.write(Array("\(hostile)\n::error::x ; \(hostile) ; NULL\n".utf8), to: "::m \u{202E}##[x]")
        let options = ["::m \u{202E}##[x]", "--context", "--format", format]
        for arguments in [options, options + ["-o", "report"]] {
            let result = try Program.run(Program.afcache, ["lint"] + arguments, in: scratch.path)
            let report = arguments.count > 4 ? String(decoding: try scratch.read("report"), as: UTF8.self) : result.text
            #expect(result.status == 1)
            for line in (report + result.errors).split(separator: "\n") {
                let isCommand = line.drop { $0 == " " || $0 == "\t" }.hasPrefix("::")
                #expect(!isCommand || (format == "github" && line.hasPrefix("::error file=")), "\(line)")
                #expect(!line.contains("##["), "\(line)")
                #expect(
                    line.unicodeScalars.allSatisfy {
                        $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
                    },
                    "\(line)"
                )
            }
        }
        if format == "json" {
            struct Document: Decodable {
                struct File: Decodable { var file: String }
                var files: [File]
            }
            let result = try Program.run(Program.afcache, ["lint"] + options, in: scratch.path)
            let document = try JSONDecoder().decode(Document.self, from: Data(result.output))
            #expect(document.files.map(\.file) == ["::m \u{202E}##[x]"], "programs read the name as it is")
        }
    }

    @Test func `a diff in a workflow's log contains no command, and one in a file is unchanged`() throws {
        let lines = "::stop-commands::x\n##[stop-commands]y\nhttp://d.example/a ; NULL ; NULL ; text/plain \n"
        try scratch.write(Array(lines.utf8), to: "m.afcache")
        let script = "GITHUB_ACTIONS=true; export GITHUB_ACTIONS; \"$AFCACHE\" lint --diff m.afcache"
        let logged = try shell("\(script) | cat").text
        #expect(logged.contains("stop-commands") && !logged.contains("##["))
        #expect(logged.split(separator: "\n").allSatisfy { !$0.drop { $0 == " " }.hasPrefix("::") })
        #expect(
            try shell("\(script) > d.patch; patch -s -p0 -i d.patch && cat m.afcache").text.hasSuffix("text/plain\n")
        )
    }
}
