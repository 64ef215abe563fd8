import AFCPackageFormat
import AFCText
import Foundation
import TestSupport
import Testing

@testable import AFCLinter

/// Reports, each read with another program's reader.
struct ReportTests {
    /// One column in bytes that isn't the one in characters; what has no type; a name that reports must escape.
    static let name = "a,b%: <&\"'.afcache"
    static let manifest = """
        http://d.example/ä ; tomorrow ; NULL ; text/plain
        http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; NULL
        http://d.example/c ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; NULL

        """
    static let rules = ["date.invalid", "type.missing", "url.credentials"]

    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(Array(Self.manifest.utf8), to: Self.name)
    }

    /// Writes a report of files in the scratch folder, with three rules on.
    func report(
        _ format: ReportFormat,
        of files: [String] = [Self.name],
        failing: PackageProblem.Severity? = .warning,
        exitCode: Int32 = 1
    ) throws -> String {
        var configuration = LintConfiguration()
        configuration.selectedRules = Self.rules
        var options = Linter.Options(now: LinterTests.now)
        options.levels = configuration.levels(for: "x")
        options.identifiesFindings = format.identifiesFindings
        var text = ""
        var report = format.report(ReportContext(version: "1.2.3", workingFolder: scratch.path))
        report.begin { text += $0 }
        for file in files {
            let result = Linter.lint(scratch.path(file), options: options)
            report.add(result, of: scratch.path(file), failing: failing) { text += $0 }
        }
        report.end(exitCode: exitCode) { text += $0 }
        return text
    }

    /// What a reader of another origin understands.
    func read(_ format: ReportFormat, _ text: String) throws -> [String] {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Programs/readreport.py").path
        let path = try scratch.write(Array(text.utf8), to: "report")
        let result = try Program.run(
            "python3",
            ["-B", program, format.rawValue, path],
            // Debian's readers, also for a Python that isn't Debian's.
            environment: ["PYTHONPATH": "/usr/lib/python3/dist-packages"]
        )
        #expect(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n").map(String.init)
    }

    func package() throws -> String {
        try scratch.write(Array("http://u:p@d.example/a ; NULL ; NULL ; text/plain\n".utf8), to: "in/manifest.afcache")
        let script = "cd in && python3 -m zipfile -c ../p.zip manifest.afcache"
        #expect(try Program.run("sh", ["-c", script], in: scratch.path).status == 0)
        return "p.zip"
    }

    @Test func `SARIF has places in characters, members as logical locations, and the exit code`() throws {
        let lines = try read(.sarif, report(.sarif, of: [Self.name, package()]))
        #expect(lines.first?.hasPrefix("warning date.invalid a%2Cb%25%3A%20%3C%26%22%27.afcache 1 22 ") == true)
        #expect(
            lines.dropFirst() == [
                "note type.missing a%2Cb%25%3A%20%3C%26%22%27.afcache 2 1 - - 2",
                "error url.credentials p.zip 1 1 23 p.zip!manifest.afcache 1",
                "exit 1 True",
            ]
        )
    }

    @Test func `in SARIF, an unreadable file is a failed execution`() throws {
        var report = ReportFormat.sarif.report(ReportContext(version: "1.2.3", workingFolder: scratch.path))
        var text = ""
        report.begin { text += $0 }
        var options = Linter.Options(now: LinterTests.now)
        options.identifiesFindings = true
        report.add(Linter.lint(scratch.path("none"), options: options), of: "none", failing: .error) { text += $0 }
        report.end(exitCode: 1) { text += $0 }
        #expect(try read(.sarif, text) == ["error io none 1 - - - 1", "exit 1 False"])
    }

    @Test func `SARIF's results end at GitHub's limit, and the report says so`() throws {
        let finding = Finding(file: "m", place: .package, severity: .info, rule: "type.missing", sentence: "none")
        var result = Linter.lint(scratch.path("none"), options: .init(now: LinterTests.now))
        result.findings = Array(repeating: finding, count: 25_002)
        var report = ReportFormat.sarif.report(ReportContext(version: "1.2.3", workingFolder: scratch.path))
        var text = ""
        report.begin { text += $0 }
        report.add(result, of: "m", failing: nil) { text += $0 }
        report.end(exitCode: 0) { text += $0 }
        let sentence = "the report has only the first 25000 findings, because GitHub accepts no more; 2 were left out"
        #expect(report.leftOut == sentence)
        let lines = try read(.sarif, text)
        #expect(lines.count == 25_002)
        #expect(Array(lines.suffix(2)) == ["exit 0 True", "warning \(sentence)"])
    }

    /// A line, where a finding is in it in bytes, and in characters.
    @Test(
        arguments: [
            ("http://d.example/ä ; b", 23, 1, 22..<23), ("http://d.example/ä ; b", 18, 2, 18..<19),
            ("http://d.example/ä ; b", 1, 0, 1..<1), ("\u{1F600}é", 5, 2, 2..<3), ("é", 9, 9, 2..<2),
            ("\u{FEFF}é;", 3, 1, 2..<3),
        ]
    )
    func `columns are counted in code points`(line: String, column: Int, length: Int, characters: Range<Int>) throws {
        let path = try scratch.write(Array((line + "\n").utf8), to: "m")
        var finding = Finding(
            file: path,
            place: .manifest(line: 1, column: column),
            severity: .info,
            rule: "x",
            sentence: "x",
            length: length
        )
        var findings = [finding]
        var options = Linter.Options(now: LinterTests.now)
        options.identifiesFindings = true
        Linter.quote(&findings, options) { _, take in
            _ = Array((line + "\n").utf8).withUnsafeBytes { take($0) }
        }
        #expect(findings.first?.characters == characters)
        finding.characters = 2..<4
        var result = Linter.lint(path, options: .init(now: LinterTests.now))
        result.findings = [finding]
        var report = ReportFormat.github.report(ReportContext(version: "1", workingFolder: scratch.path))
        // GitHub's last column is within.
        report.add(result, of: path, failing: nil) {
            #expect($0 == "::notice file=m,line=1,col=2,endColumn=3,title=x::x\n")
        }
    }

    @Test func `fingerprints don't depend on lines, but on URLs`() throws {
        func prints(_ manifest: String) throws -> [String] {
            try scratch.write(Array(manifest.utf8), to: "m")
            let text = try report(.sarif, of: ["m"])
            return text.split(separator: "\n").compactMap { line in
                line.firstRange(of: "LineHash\":\"").map { String(line.suffix(from: $0.upperBound).prefix(34)) }
            }
        }
        let one = "http://d.example/b ; tomorrow ; NULL ; text/plain\n"
        let other = "http://d.example/c ; tomorrow ; soon ; text/plain\n"
        let first = try prints(one)
        #expect(first.count == 1)
        // Python: hashlib.sha256(b"date.invalid\0http://d.example/b").hexdigest()[:32]
        #expect(first == ["5f345ab6621589ab9c3f578e4c9184b5:1"])
        #expect(try prints("http://a.example/ ; NULL ; NULL ; text/plain\n" + one) == first)
        let both = try prints(one + other)
        #expect(both.count == 3 && Set(both).count == 3 && both[0] == first[0])
        #expect(both[1].dropLast() == both[2].dropLast())
    }

    @Test(arguments: [
        (PackageProblem.Severity.warning as PackageProblem.Severity?, 1), (.error, 0), (.info, 2), (nil, 0),
    ])
    func `a rule is a test case that fails if the program would fail`(
        failing: PackageProblem.Severity?,
        failures: Int
    ) throws {
        let lines = try read(.junit, report(.junit, failing: failing))
        #expect(lines.first == "suite \(Self.name) 2 \(failures)")
        let message = "last-modified 'tomorrow' is not a date; it counts as NULL"
        #expect(lines.contains(" failed date.invalid warning \(message)") == (failures > 0))
        #expect(lines.contains(" passed type.missing with output") == (failures < 2))
    }

    @Test func `a clean file is one test case that passes`() throws {
        try scratch.write(Array("http://d.example/ ; NULL ; NULL ; text/plain\n".utf8), to: "clean")
        #expect(try read(.junit, report(.junit, of: ["clean"])) == ["suite clean 1 0", " passed clean "])
    }

    @Test func `characters that XML can't contain are written in words`() throws {
        try scratch.write(Array("http://d.example/\u{1B}]\u{FFFF}&<\"> ; NULL ; NULL\n".utf8), to: "\u{1B}x")
        let text = try report(.junit, of: ["\u{1B}x"])
        #expect(try read(.junit, text).first?.hasPrefix("suite \\u{1b}x ") == true)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ($0 >= " " && $0 != "\u{FFFF}") })
    }

    @Test func `GitLab's report has a unique fingerprint, a severity and a line for each finding`() throws {
        #expect(
            try read(.gitlab, report(.gitlab, of: [Self.name, package()])) == [
                "minor date.invalid \(Self.name) 1", "info type.missing \(Self.name) 2",
                "critical url.credentials p.zip 1",
            ]
        )
    }

    @Test func `the JSON report has the keys that are documented, and columns in bytes`() throws {
        #expect(
            try read(.json, report(.json, of: [Self.name, package()])) == [
                "warning date.invalid \(Self.name) 1 23 0", "info type.missing \(Self.name) 2 1 1",
                "error url.credentials p.zip 1 1 0",
            ]
        )
    }

    @Test func `GitHub's annotations have the intended text after its runner decodes them`() throws {
        let lines = try report(.github, of: [Self.name]).split(separator: "\n").map(String.init)
        var read = lines.map { WorkflowCommand($0) }
        read[0]?.properties["endColumn"] = nil
        #expect(
            read == [
                WorkflowCommand(
                    "warning",
                    ["file": Self.name, "line": "1", "col": "22", "title": "date.invalid"],
                    "last-modified 'tomorrow' is not a date; it counts as NULL"
                ),
                WorkflowCommand(
                    "notice",
                    ["file": Self.name, "line": "2", "col": "1", "title": "type.missing"],
                    read.last??.message ?? ""
                ),
            ]
        )
        #expect(read.last??.message.hasSuffix("(and in 1 more place)") == true)
    }

    @Test func `reports without findings are whole documents`() throws {
        #expect(try report(.json, of: []) == "{\"version\":1,\"files\":[]}\n")
        #expect(try report(.gitlab, of: []) == "[]\n")
        #expect(try report(.github, of: []).isEmpty)
        #expect(try read(.sarif, report(.sarif, of: [], exitCode: 0)) == ["exit 0 True"])
        #expect(try read(.junit, report(.junit, of: [])).isEmpty)
    }
}

/// A workflow command as GitHub's runner reads it: `::command key=value,key=value::data`.
struct WorkflowCommand: Equatable {
    var command: String
    var properties: [String: String]
    var message: String

    init(_ command: String, _ properties: [String: String], _ message: String) {
        (self.command, self.properties, self.message) = (command, properties, message)
    }

    init?(_ line: String) {
        guard line.hasPrefix("::"), let end = line.dropFirst(2).firstRange(of: "::") else { return nil }
        let head = line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound]
        let parts = head.split(separator: " ", maxSplits: 1)
        command = String(parts[0])
        properties = [:]
        for property in parts.count > 1 ? parts[1].split(separator: ",") : [] {
            let pair = property.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            properties[String(pair[0])] = Self.plain(
                String(pair[1]),
                [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")]
            )
        }
        message = Self.plain(String(line[end.upperBound...]), [("%0D", "\r"), ("%0A", "\n")])
    }

    private static func plain(_ text: String, _ escapes: [(String, String)]) -> String {
        (escapes + [("%25", "%")]).reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
