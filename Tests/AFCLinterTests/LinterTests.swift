import AFCHTTP
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import AFCZip
import Foundation
import HTTPTypes
import TestSupport
import Testing

struct LinterTests {
    static let now = Timestamp(secondsSinceEpoch: 1_790_000_000)
    static let date = "Sat, 27 Mar 2004 18:43:30 GMT"

    static func lint(_ bytes: [UInt8], checksBodies: Bool = true) throws -> Linter.Result {
        let scratch = try Scratch()
        var options = Linter.Options(now: now)
        options.checksBodies = checksBodies
        return Linter.lint(try scratch.write(bytes, to: "file"), options: options)
    }

    static func rules(manifest: String) throws -> [String] {
        try lint(Array(manifest.utf8)).findings.map(\.rule)
    }

    static func package(_ change: (inout ResourceRecord) -> Void, in scratch: Scratch) async throws -> String {
        let url = try WebURL("http://d.example/a")
        var record = ResourceRecord(url: url, fetched: now, size: 4)
        change(&record)
        let entry = ManifestEntry(
            url: url,
            lastModified: Timestamp(secondsSinceEpoch: 1_000_000_000),
            mediaType: "text/plain"
        )
        let resource = PackageWriter.Resource(
            record: record,
            entry: entry,
            body: .bytes(Array("body".utf8)),
            isCompressible: true
        )
        let path = scratch.path("p.zip")
        _ = try await PackageWriter.write([resource], to: path, options: .init(created: now, generator: "test/1"))
        return path
    }

    @Test func `a sound package is clean, and one with a wrong digest is not`() async throws {
        let scratch = try Scratch()
        let digest = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"  // sha256sum of "body"
        let good = try await Self.package({ $0.sha256 = digest }, in: scratch)
        #expect(Linter.lint(good, options: .init(now: Self.now)).findings.isEmpty)
        let bad = try await Self.package({ $0.sha256 = String(repeating: "0", count: 64) }, in: scratch)
        let result = Linter.lint(bad, options: .init(now: Self.now))
        #expect(result.findings.map(\.rule) == ["sidecar.digest"])
        #expect(!result.isLoadable)
    }

    @Test func `a record with a cookie is found`() async throws {
        let scratch = try Scratch()
        let path = try await Self.package({ $0.fields[.cacheControl] = "no-transform" }, in: scratch)
        let archive = try ZipReader(path: path)
        let members = try archive.members.map { member in
            var body = String(decoding: try archive.read(member, maxBytes: 1 << 20), as: UTF8.self)
            body = body.replacingOccurrences(of: #""cache-control","no-transform""#, with: #""set-cookie","a=b""#)
            return NewMember(name: member.name, content: .bytes(Array(body.utf8)), isCompressible: true)
        }
        let changed = scratch.path("changed.zip")
        _ = try await ZipWriter.write(to: changed, members: members, options: ZipWriter.Options())
        #expect(Linter.lint(changed, options: .init(now: Self.now)).findings.map(\.rule) == ["sidecar.set-cookie"])
    }

    @Test(arguments: ["Set-Cookie", "Alt-Svc", "Content-Encoding", "Transfer-Encoding", "Keep-Alive"])
    func `fields that packages must not contain aren't written, whoever made the record`(_ name: String) async throws {
        let scratch = try Scratch()
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "a=b")
        let path = try await Self.package(
            {
                $0.fields.append(field)
                $0.requestFields[.authorization] = "Basic QTpC"
            },
            in: scratch
        )
        #expect(Linter.lint(path, options: .init(now: Self.now)).findings.isEmpty)
        let archive = try ZipReader(path: path)
        let sidecar = try #require(archive.members.first { $0.name == ".afcache/resources.jsonl" })
        let text = String(decoding: try archive.read(sidecar, maxBytes: 1 << 20), as: UTF8.self).lowercased()
        #expect(!text.contains(name.lowercased()))
        #expect(!text.contains("authorization"))
    }

    @Test func `a name that is invalid on Windows is found`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("<p>".utf8), to: "in/d.example/con.html")
        try scratch.write(
            Array("http://d.example/con.html ; \(Self.date) ; NULL ; text/html\n".utf8),
            to: "in/manifest.afcache"
        )
        let script = "cd in && python3 -m zipfile -c ../p.zip d.example manifest.afcache"
        #expect(try Program.run("sh", ["-c", script], in: scratch.path).status == 0)
        let result = Linter.lint(scratch.path("p.zip"), options: .init(now: Self.now))
        #expect(result.findings.map(\.rule) == ["sidecar.missing", "member.not-portable"])
        #expect(result.isLoadable)
    }

    @Test func `an unreadable file is a finding`() throws {
        #expect(Linter.lint("/nonexistent/x.zip", options: .init(now: Self.now)).findings.map(\.rule) == ["io"])
        #expect(try Self.lint([0x50, 0x4B, 3, 4]).findings.map(\.rule) == ["zip.not-a-zip"])
    }

    @Test func `a finding is one line with file, place, severity, sentence and rule`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(
            Array("http://d.example/a ; tomorrow ; NULL ; text/plain\n".utf8),
            to: "m\u{1B}.afcache"
        )
        let finding = try #require(Linter.lint(path, options: .init(now: Self.now)).findings.first)
        #expect(
            Reports.line(finding)
                == "\(scratch.path)/m\\u{1b}.afcache:1:22: warning: last-modified 'tomorrow' is not a date; it counts as NULL "
                + "[date.invalid]"
        )
    }

    @Test func `the JSON report is as documented`() throws {
        let line = "http://d.example/a ; \(Self.date) ; NULL ; NULL\n"
        let result = try Self.lint(Array(line.utf8))
        let expected = """
            {"version":1,"files":[
            {"file":"m","entries":1,"loadable":true,"signatures":null,"digest":null,"findings":[
            {"rule":"type.missing","severity":"info",\
            "message":"the entry has no media type, so servers and browsers have to guess it by the name or the first bytes",\
            "member":"manifest.afcache","line":1,"column":1}]}]}

            """
        var report = ReportFormat.json.report(ReportContext(version: "1", workingFolder: "/"))
        var text = ""
        report.begin { text += $0 }
        report.add(result, of: "m", failing: nil) { text += $0 }
        report.end(exitCode: 0) { text += $0 }
        #expect(text == expected)
    }

    @Test func `the same finding in many entries is reported once`() throws {
        let lines = (0..<50).map { "http://127.0.0.1/\($0) ; \(Self.date) ; NULL ; text/plain\n" }.sorted().joined()
        let findings = try Self.lint(Array(lines.utf8)).findings
        #expect(findings.count == 1)
        #expect(findings.first?.words.hasSuffix("(and in 49 more places)") == true)
    }

    @Test func `the first page that needs a missing resource is named, and the others are counted`() async throws {
        let pages = ["a", "b", "c"].map { SiteBody.page("<img src=/x.png>", at: "http://d.example/\($0)") }
        let scratch = try Scratch()
        let make = try #require(Sample.site(pages).file)
        let (path, options) = try await make(scratch)
        var findings = Linter.lint(path, options: options).findings
            .filter { $0.rule == "completeness.missing-requisite" }
        #expect(
            findings.map(\.words) == [
                "the page needs 'http://d.example/x.png', which isn't in the package; add it, or the page is broken "
                    + "offline (in 'http://d.example/a' and 2 more places)"
            ]
        )
        #expect(findings.first?.url == "http://d.example/a")
        findings[0].others = 0
        findings[0].advice = "do that"
        #expect(findings[0].words.hasSuffix("broken offline; do that (in 'http://d.example/a')"))
    }

    /// What Sphinx writes: lines of text, and then data that are compressed.
    static let inventory =
        Array("# Sphinx inventory version 2\n# Project: ü\n".utf8)
        + (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 193 &+ 120) }

    @Test(
        arguments: [
            ("text/plain", inventory, false), ("text/plain; charset=utf-8", inventory, false),
            ("text/plain", Array(String(repeating: "ä ", count: 3000).utf8), true),
            ("application/wasm", [0, 0x61, 0x73, 0x6D] + [UInt8](repeating: 0, count: 5000), true),
        ] as [(String, [UInt8], Bool)]
    ) func `binary data that are served as text aren't taken for text`(type: String, body: [UInt8], isFound: Bool)
        async throws
    {
        let sample = Sample.site([SiteBody("http://d.example/a", type, body)], compressed: false)
        let rules = try await sample.rules(Scratch())
        #expect(rules.contains("member.not-deflated") == isFound)
        #expect(rules.contains("type.charset-missing") == (isFound && type == "text/plain"))
        #expect(!rules.contains("type.charset-contradicts"))
    }

    @Test(
        arguments: [
            "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/usr/sbin/nologin\n", "\u{7F}ELF\u{2}\u{1}\0\0\n\u{1}\n",
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://d.example/\r\n\r\nHTTP/1.1 200 OK\r\n",
            "[section]\nkey = value\na b\n", "# a comment\n", "<html> ; <body>\n",
        ]
    ) func `a file that nobody meant as a manifest has one finding`(text: String) throws {
        let result = try Self.lint(Array(text.utf8))
        #expect(result.findings.map(\.sentence) == ["the file is neither a zip nor a manifest"])
        #expect(result.findings.map(\.rule) == ["manifest.missing"])
        #expect(!result.isLoadable)
    }

    @Test(
        arguments: [
            "http://d.example/a,NULL,NULL\nx\n", "x\nhttp://d.example/a ; NULL\n", "http://u:p@d.example/ ; NULL\n",
            "http:// ; NULL\nx\n",
        ]
    ) func `a manifest with mistakes is still read line by line`(text: String) throws {
        #expect(try !Self.lint(Array(text.utf8)).findings.contains { $0.rule == "manifest.missing" })
    }

    @Test func `a file with a manifest's name is read as one`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Array("# a comment\n".utf8), to: "manifest.afcache")
        let rules = Linter.lint(path, options: .init(now: Self.now)).findings.map(\.rule)
        #expect(rules.contains("manifest.malformed-line"))
    }

    @Test func `the page of rules matches the rules, and lists each once`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/reference/lint-rules.md")
        let committed = try? String(contentsOf: path, encoding: .utf8)
        if committed == nil { try LintRules.page.write(to: path, atomically: true, encoding: .utf8) }
        // Only words count: scripts/wrap_docs.py wraps the page.
        let words = LintRules.page.split(whereSeparator: \.isWhitespace)
        #expect(committed?.split(whereSeparator: \.isWhitespace) == words)
        #expect(Set(LintRules.all.map(\.id)).count == LintRules.all.count)
    }

    static let entry = "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"

    /// As editors on Windows save it, or as iconv makes it without a mark.
    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func `a manifest in UTF-16 is one finding`(isBig: Bool, hasMark: Bool) throws {
        let units = (hasMark ? [0xFEFF] : []) + Array(String(repeating: Self.entry, count: 30).utf16)
        let bytes = units.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let result = try Self.lint(bytes)
        #expect(result.findings.map(\.rule) == ["manifest.not-utf8"])
        #expect(result.findings.first?.sentence == "the manifest is UTF-16; save it as UTF-8")
        #expect(!result.isLoadable && result.entries == 0)
        let scratch = try Scratch()
        #expect(try FileFix(try scratch.write(bytes, to: "m.afcache"))?.isNeeded == false)
    }

    @Test(arguments: [
        ("sat, 27 mar 2004 18:43:30 gmt", true), ("Sat, 27 Mar 2004 18:43:30 gmt", true),
        ("SAT, 27 Mar 2004 18:43:30 GMT", true), ("Sat, 27 MAR 2004 18:43:30 GMT", true),
        ("Sat, 27 Mar 2004 18:43:30 GMT", false),
    ])
    func `the case of a date's letters counts`(date: String, isFound: Bool) throws {
        let findings = try Self.lint(Array("http://d.example/a ; \(date) ; NULL ; text/plain\n".utf8)).findings
        #expect(findings.map(\.rule) == (isFound ? ["date.not-imf-fixdate"] : []))
    }

    @Test func `a body of another size is one finding`() async throws {
        let digest = String(repeating: "0", count: 64)
        for (size, rules) in [("3", ["sidecar.size"]), ("4", ["sidecar.digest"])] {
            let record = #"{"url":"http://d.example/a","status":200,"size":\#(size),"sha256":"\#(digest)"}"#
            let found = try await Sample.recorded(record).rules(Scratch())
            #expect(found.filter { $0.hasPrefix("sidecar.") && $0 != "sidecar.missing" }.sorted() == rules)
        }
    }

    @Test(arguments: [
        ("grüße.txt", true), ("a b", true), ("日本.html", true), (String(repeating: "a", count: 200), true),
        ("con.txt", false), ("a.", false), ("a?b", false), ("a|b", false), ("NUL", false),
    ])
    func `letters outside ASCII are valid on Windows`(name: String, isHeld: Bool) async throws {
        let rules = try await Sample.package([
            "d.example/\(name)": "body", "manifest.afcache": RuleFixture.line("a", member: "d.example/\(name)"),
        ]).rules(Scratch())
        #expect(rules.contains("member.not-portable") == !isHeld)
    }

    @Test func `a manifest in a folder and a split media type are explained`() async throws {
        let scratch = try Scratch()
        func sentences(_ members: KeyValuePairs<String, String>) async throws -> [String] {
            let path = try await Sample.write(members, to: scratch.path("p.zip"))
            return Linter.lint(path, options: .init(now: Self.now)).findings.map(\.sentence)
        }
        let prefixed = try await sentences(["mypkg/d.example/a": "body", "mypkg/manifest.afcache": Self.entry])
        #expect(prefixed.contains { $0.contains("only 'mypkg/manifest.afcache' in a folder") }, "\(prefixed)")
        let split = "http://d.example/a ; NULL ; NULL ; text/html ; charset=utf-8\n"
        let typed = try await sentences(["d.example/a": "body", "manifest.afcache": split])
        #expect(typed.contains { $0.contains("write 'text/html; charset=utf-8'") }, "\(typed)")
        #expect(typed.contains { $0.contains("not in the package; the delimiter split a media type") }, "\(typed)")
    }

    @Test(arguments: [
        ("AKIAIOSFODNN7EXAMPLE", "text/javascript", true), ("AKIAIOSFODNN7EXAMPLE", "text/html", false),
        ("AKIAZ7Q3MW2LK5P9X4RT", "text/html", true), ("XAKIAZ7Q3MW2LK5P9X4RT", "text/javascript", false),
        ("AKIAZ7Q3MW2LK5P9X4RTA", "text/javascript", false), ("akiaz7q3mw2lk5p9x4rt", "text/javascript", false),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "application/json", true),
        ("ghs_0123456789abcdefghijABCDEFGHIJ012345", "text/css", true),
        ("ghp_0123456789abcdefghijABCDEFGHIJ01234", "text/javascript", false),
        ("github_pat_" + String(repeating: "a1_", count: 27) + "b", "text/plain", true),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "image/png", false),
    ])
    func `tokens are found where they may be used`(token: String, type: String, isFound: Bool) async throws {
        let body = SiteBody("http://d.example/a", type, "var t = \"\(token)\";")
        #expect(try await Sample.site([body]).rules(Scratch()).contains("security.token") == isFound)
    }

    @Test func `every problem that the manifest reader finds is in the list of rules`() throws {
        let known = Dictionary(uniqueKeysWithValues: LintRules.all.map { ($0.id, $0.severity) })
        let kinds: [PackageProblem.Kind] = [
            .manifestMissing(elsewhere: nil), .manifestMissing(elsewhere: ""),
            .isPatch(hasManifest: false), .isPatch(hasManifest: true), .isNeither, .manifestEmpty, .lineTooLong,
            .malformedLine(fields: 1), .notUTF8, .otherEncoding(name: ""), .controlCharacter(1),
            .unknownHeader(key: ""), .byteOrderMark, .crlf, .noLastLineEnd, .unsorted(previous: ""),
            .oddDelimiter(field: "", text: ""), .trailingDelimiter, .badURL(text: "", reason: ""),
            .urlNotNormal(text: "", normal: ""),
            .urlHasFragment(text: ""),
            .urlHasCredentials, .duplicate(url: "", firstLine: 1), .conflictingDuplicate(url: "", firstLine: 1),
            .badDate(field: "", text: ""), .foreignDate(field: "", text: "", .init(timestamp: Self.now, form: .rfc850)),
            .expiresBeforeLastModified,
            .expiresEqualsLastModified, .badMediaType(text: ""), .mediaTypeNotNormal(text: "", normal: ""),
            .memberMissing(url: "", member: "", splitType: nil), .memberIsFolder(url: "", member: ""),
            .memberWithoutEntry,
            .bodiesTooLarge(limit: 0),
            .infoMalformed(reason: ""), .matchMalformed(reason: ""), .newerFormat(version: 2),
            .recordMalformed(reason: ""),
            .recordWithoutEntry(url: ""), .duplicateRecord(url: ""),
            .recordSizeDiffers(url: "", recorded: 1, actual: 2),
            .recordDisagrees(url: "", field: ""),
        ]
        for kind in kinds {
            let problem = PackageProblem(kind, at: .package)
            #expect(known[problem.rule] == problem.severity, "\(problem.rule)")
        }
        for rule in ProblemRule.allCases { #expect(known[rule.id] == rule.severity, "\(rule.id)") }
    }
}
