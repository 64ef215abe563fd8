import Foundation
import TestOrigin
import TestSupport
import Testing

/// What `pack` tells of a crawl: the report's file, standard error, and the exit code.
struct CrawlReportTests {
    private func document(_ scratch: Scratch) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(try scratch.read("crawl.json")))
        return try #require(value as? [String: Any])
    }

    @Test func `a report is written beside a package that lacks something`() async throws {
        let scratch = try Scratch()
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<a href='/gone'>gone</a><a href='javascript:alert(1)'>run</a><img src='/i.png'>")],
            "/i.png": [.text("i", type: "image/png")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let result = try Program.run(
                Program.afcache,
                ["pack", origin.base + "/", "-o", scratch.path("a.zip"), "--report", scratch.path("crawl.json")]
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("failed: \(origin.base)/gone: status 404"))
            #expect(!result.errors.contains("\u{1B}"))
            let report = try document(scratch)
            #expect(report["outcome"] as? String == "incomplete")
            #expect(report["seeds"] as? [String] == [origin.base + "/"])
            let totals = try #require(report["totals"] as? [String: Int])
            #expect(totals["resources"] == 2)
            #expect(totals["failures"] == 1)
            let package = try #require(report["package"] as? [String: Any])
            #expect(package["name"] as? String == "a.zip")
            #expect(package["bytes"] as? Int == (try scratch.read("a.zip").count))
            let failures = try #require(report["failures"] as? [[String: Any]])
            #expect(failures.first?["url"] as? String == origin.base + "/gone")
            #expect(failures.first?["foundOn"] as? String == origin.base + "/")
            #expect(scratch.names == ["a.zip", "crawl.json"])
        }
    }

    @Test(
        arguments: [
            ("<a href=/gone>x</a>", "requisite", 0), ("<a href=/gone>x</a>", "link", 5),
            ("<script src=/gone></script>", "requisite", 5), ("<script src=/gone></script>", "seed", 0),
            ("<script src=/gone></script>", "none", 0),
            // The site's own readers lack it, too, and see the page.
            ("<img src=/gone>", "requisite", 0),
        ]
    ) func `failures decide the exit code as the option says`(
        markup: String,
        level: String,
        status: Int32
    ) async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/": [.html(markup)]]) { origin in
            let arguments = ["pack", origin.base + "/", "-o", scratch.path("a.zip"), "--fail-on", level]
            let result = try Program.run(Program.afcache, arguments)
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains("failed: \(origin.base)/gone: status 404"))
            let quiet = try Program.run(Program.afcache, arguments + ["--quiet"])
            #expect(quiet.status == status)
            #expect(quiet.errors.isEmpty)
        }
    }

    @Test func `events are written, one JSON object a line, and many failures are grouped`() async throws {
        let scratch = try Scratch()
        let links = (0..<40).map { "<a href=/gone\($0)>x</a>" }.joined()
        try await TestOrigin.withOrigin(["/": [.html(links)]]) { origin in
            let arguments = ["pack", origin.base + "/", "-o", scratch.path("a.zip")]
            let result = try Program.run(Program.afcache, arguments + ["--events", scratch.path("events.jsonl")])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("failed: 40 links: status 404"))
            #expect(result.errors.split(separator: "\n").count < 8, "\(result.errors)")
            let lines = try scratch.read("events.jsonl").split(separator: UInt8(ascii: "\n"))
            let events = try lines.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            }
            let names = events.compactMap { $0["event"] as? String }
            #expect(names.first == "started")
            #expect(names.contains("ended"))
            #expect(names.count { $0 == "failed" } >= 40)
        }
    }

    @Test func `events replace events, and other files only on request`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/": [.html("a")]]) { origin in
            for (name, text, more, status) in [
                ("new.jsonl", nil, [], 0), ("empty.jsonl", "", [], 0),
                ("old.jsonl", #"{"event":"started","resources":0,"bytes":0}"# + "\n", [], 0),
                ("notes.txt", "mine", [], 11), ("asked.txt", "mine", ["--overwrite"], 0),
            ] as [(String, String?, [String], Int32)] {
                if let text { try scratch.write(Array(text.utf8), to: name) }
                let result = try Program.run(
                    Program.afcache,
                    ["pack", origin.base + "/", "-o", "a.zip", "--events", name] + more,
                    in: scratch.path
                )
                #expect(result.status == status, "\(name): \(result.errors)")
                let now = String(decoding: try scratch.read(name), as: UTF8.self)
                #expect(status == 0 ? now.hasPrefix(#"{"event":"started","#) : now == text, "\(name): \(now)")
                guard status != 0 else { continue }
                #expect(result.errors.contains("'notes.txt'") && result.errors.contains("'--overwrite'"))
            }
        }
    }

    @Test func `a host that can't be reached is named, and not its robots.txt`() throws {
        let scratch = try Scratch()
        let taken = try TakenPort()
        let port = taken.port
        let result = try Program.run(
            Program.afcache,
            ["pack", "http://127.0.0.1:\(port)/", "--retries", "0", "-o", scratch.path("a.zip")]
        )
        #expect(result.status == 6)
        let lines = result.errors.split(separator: "\n")
        #expect(
            lines == [
                "failed: http://127.0.0.1:\(port)/: the connection was refused",
                "note: no server listens at http://127.0.0.1:\(port); start it first, or correct the port",
                "error: nothing could be fetched, so no package was written",
            ],
            "\(result.errors)"
        )
        withExtendedLifetime(taken) {}
    }

    @Test func `a group of failures says where the others are listed`() async throws {
        let scratch = try Scratch()
        let links = (0..<14).map { "<a href='/\($0)'>x</a>" }.joined()
        try await TestOrigin.withOrigin(["/": [.html(links)]]) { origin in
            let pack = ["pack", origin.base + "/", "-o", scratch.path("a.zip")]
            let result = try Program.run(Program.afcache, pack)
            #expect(result.errors.contains("    and 11 more; '--report FILE.html' lists them\n"), "\(result.errors)")
            let reported = try Program.run(Program.afcache, pack + ["--report", scratch.path("r.html")])
            #expect(reported.errors.contains("    and 11 more\n"), "\(reported.errors)")
        }
    }

    @Test func `after a full disk, the crawl is kept`() async throws {
        let scratch = try Scratch()
        // So many links that the state of the crawl grows beyond the limit.
        let path = String(repeating: "x", count: 120)
        let links = (0..<4_000).map { "<a href=/\(path)/\($0)>x</a>" }.joined()
        // The first page is saved before the second one comes.
        let type = ("Content-Type", "text/html")
        let large = TestOrigin.Answer(200, [type], body: Array(links.utf8), delay: .seconds(2))
        try await TestOrigin.withOrigin(["/": [.html("<a href=/large>x</a>")], "/large": [large]]) { origin in
            // Without the signal, writing fails beyond this size, as on a full disk.
            let limited = "trap '' XFSZ; ulimit -f 300; exec \"$@\""
            let pack = [Program.afcache, "pack", origin.base + "/", "-o", scratch.path("a.zip")]
            let full = try Program.run("bash", ["-c", limited, "bash"] + pack)
            #expect(full.status == 11, "\(full.errors)")
            let kept = " kept; when the cause is removed, the same command resumes the crawl\n"
            #expect(full.errors.hasPrefix("stopped: ") && full.errors.contains(kept), "\(full.errors)")
            #expect(scratch.names.contains("a.zip.crawl"))
        }
    }

    @Test func `a disk without room for bodies ends the crawl at once, and the same command resumes it`() async throws {
        let scratch = try Scratch()
        let links = (0..<40).map { "<a href=/\($0).bin>x</a>" }.joined()
        var routes = ["/": [TestOrigin.Answer.html(links)]]
        var state: UInt64 = 1
        for number in 0..<40 {
            // Bytes that can't be compressed.
            let body = (0..<50_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            let type = ("Content-Type", "application/octet-stream")
            routes["/\(number).bin"] = [TestOrigin.Answer(200, [type], body: body, delay: .milliseconds(20))]
        }
        let clock = ["SOURCE_DATE_EPOCH": "1700000000"]
        try await TestOrigin.withOrigin(routes) { origin in
            func pack(_ name: String) -> [String] {
                ["pack", origin.base + "/", "--connections", "2", "-o", scratch.path(name)]
            }
            #expect(try Program.run(Program.afcache, pack("whole.zip"), environment: clock).status == 0)
            let before = origin.requests.count
            // Without the signal, writing fails beyond this size, as on a full disk.
            let limited = ["-c", "trap '' XFSZ; ulimit -f 300; exec \"$@\"", "bash", Program.afcache] + pack("a.zip")
            let full = try Program.run("bash", limited, environment: clock)
            #expect(full.status == 11, "\(full.errors)")
            #expect(full.errors.contains("a.zip.bodies': the crawl's bodies can't be saved: cannot write "))
            #expect(full.errors.contains(": File too large; this process may not write larger files"), "\(full.errors)")
            #expect(full.errors.contains("kept; when the cause is removed, the same command resumes the crawl\n"))
            #expect(!full.errors.contains("failed:"), "\(full.errors)")
            #expect(origin.requests.count - before < 20)
            #expect(scratch.names == ["a.zip.bodies", "a.zip.crawl", "whole.zip"])
            let asked = origin.requests.count
            let result = try Program.run(Program.afcache, pack("a.zip"), environment: clock)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.hasPrefix("resuming an interrupted crawl with "), "\(result.errors)")
            #expect(origin.requests.count - asked < before - 3)
            #expect(scratch.names == ["a.zip", "whole.zip"])
            let isSame = try scratch.read("a.zip") == scratch.read("whole.zip")
            #expect(isSame)
        }
    }

    @Test func `a start URL without a scheme is refused with a suggestion`() throws {
        let result = try Program.run(Program.afcache, ["pack", "docs.example/guide"])
        #expect(result.status == 64)
        #expect(result.errors.contains("did you mean 'https://docs.example/guide'?"), "\(result.errors)")
    }

    @Test func `a page replaces an older report entirely`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/": [.html("a")]]) { origin in
            for name in ["crawl.json", "crawl.json", "crawl.html", "crawl.html"] {
                let result = try Program.run(
                    Program.afcache,
                    ["pack", origin.base + "/", "-o", scratch.path("a.zip"), "--report", scratch.path(name)]
                )
                #expect(result.status == 0, "\(result.errors)")
            }
        }
        let page = String(decoding: try scratch.read("crawl.html"), as: UTF8.self)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(page.hasSuffix("</html>\n"))
        #expect(scratch.names == ["a.zip", "crawl.html", "crawl.json"])
    }

    @Test func `a file that isn't a report or a package is replaced only on request`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/": [.html("a")]]) { origin in
            for name in ["index.html", "a.zip"] {
                try scratch.write(Array("mine".utf8), to: name)
                var arguments = [
                    "pack", origin.base + "/", "-o", scratch.path("a.zip"), "--report", scratch.path("index.html"),
                ]
                let refused = try Program.run(Program.afcache, arguments)
                #expect(refused.status == 11)
                #expect(refused.errors.contains("'\(scratch.path(name))'") && refused.errors.contains("'--overwrite'"))
                #expect(try scratch.read(name) == Array("mine".utf8))
                #expect(scratch.names.allSatisfy { ["a.zip", "index.html"].contains($0) })
                #expect(origin.requests.isEmpty || name == "a.zip")
                arguments.append("--overwrite")
                #expect(try Program.run(Program.afcache, arguments).status == 0)
            }
        }
    }

    @Test func `if nothing could be fetched, the report says so`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin([:]) { origin in
            let result = try Program.run(
                Program.afcache,
                ["pack", origin.base + "/", "-o", scratch.path("a.zip"), "--report", scratch.path("crawl.json")]
            )
            #expect(result.status == 6)
            let report = try document(scratch)
            #expect(report["outcome"] as? String == "empty")
            #expect(report["package"] is NSNull)
        }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func `a signal ends the crawl with a report and a code of its own`(signal: Int32, status: Int32) async throws {
        let scratch = try Scratch()
        let routes = [
            "/": [TestOrigin.Answer.html("<a href='/slow'>slow</a>")], "/slow": [.init(delay: .seconds(3600))],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let program = try RunningProgram(
                Program.afcache,
                ["pack", origin.base + "/", "-o", scratch.path("a.zip"), "--report", scratch.path("crawl.json")]
            )
            try program.wait(until: "the origin is asked") { origin.count(of: "/slow") > 0 }
            #expect(origin.count(of: "/slow") == 1)
            // As timeout(1) does it: the program, and soon after the group that it is in.
            kill(program.pid, signal)
            usleep(5000)
            #expect(program.stop(signal) == status)
            #expect(try document(scratch)["outcome"] as? String == "interrupted")
            #expect(!scratch.names.contains("a.zip"))
        }
    }

    @Test func `a report that can't be written is refused before the first request`() async throws {
        try await TestOrigin.withOrigin(["/": [.html("a")]]) { origin in
            let result = try Program.run(
                Program.afcache,
                ["pack", origin.base + "/", "-o", "/nonexistent/a.zip", "--report", "/nonexistent/crawl.json"]
            )
            #expect(result.status == 11)
            #expect(result.errors.contains("'/nonexistent/crawl.json'"))
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `URLs come from a list and fields from a file, and the fields are sent nowhere else`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/a": [.html("a")], "/b": [.html("b")]]) { origin in
            try scratch.write(Array("# two\n\(origin.base)/a\n\n\(origin.base)/b\n".utf8), to: "urls.txt")
            try scratch.write(Array("X-Token: s3cret\n".utf8), to: "fields")
            let result = try Program.run(
                Program.afcache,
                [
                    "pack", "--list", scratch.path("urls.txt"), "--header", "@" + scratch.path("fields"),
                    "--ignore-robots", "-o", scratch.path("a.zip"), "--report", scratch.path("crawl.json"),
                ]
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(Set(origin.targets) == ["/a", "/b", "/favicon.ico", "/afcache-missing-page"])
            #expect(origin.requests.allSatisfy { $0.fields.contains { $0.lowercased() == "x-token: s3cret" } })
            let unzipped = try Program.run("unzip", ["-p", scratch.path("a.zip")])
            #expect(!unzipped.text.contains("s3cret"))
            #expect(!String(decoding: try scratch.read("crawl.json"), as: UTF8.self).contains("s3cret"))
        }
    }

    private static let site: [String: [TestOrigin.Answer]] = [
        "/": [
            .html("<link rel=stylesheet href=s.css><a href=a>a</a><a href='http://other.example/'>o</a><img src=i.png>")
        ],
        "/s.css": [.text("a { background: url(bg.png) }", type: "text/css")],
        "/a": [.html("<a href=/b>b</a>")],
        "/b": [.html("b")],
        "/i.png": [.text("i", type: "image/png")],
        "/bg.png": [.text("bg", type: "image/png")],
    ]

    @Test func `a dry run reads what it must, prints the rest, and writes nothing`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(Self.site) { origin in
            let arguments = ["pack", origin.base + "/", "--depth", "1", "--dry-run", "-o", scratch.path("a.zip")]
            let result = try Program.run(Program.afcache, arguments)
            #expect(result.status == 0, "\(result.errors)")
            let words = result.text.split(separator: "\n").map { line in
                line.replacing(origin.base, with: "").split(separator: " ").joined(separator: " ")
            }
            #expect(
                words.sorted() == [
                    "page 0 /", "page 1 /a on /", "requisite 0 /bg.png on /s.css", "requisite 0 /favicon.ico on /",
                    "requisite 0 /i.png on /", "requisite 0 /s.css on /", "skip depth /b on /a",
                    "skip scope http://other.example/ on /",
                ]
            )
            #expect(result.errors == "would fetch 2 pages and 4 requisites, skip 2\n")
            #expect(scratch.names.isEmpty)
            #expect(Set(origin.targets) == ["/robots.txt", "/", "/s.css", "/a"])
        }
    }

    @Test func `a dry run as JSON lines ends with the counts`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(Self.site) { origin in
            let arguments = [
                "pack", origin.base + "/", "--max-pages", "1", "--dry-run", "--json", "-o", scratch.path("a.zip"),
            ]
            let result = try Program.run(Program.afcache, arguments)
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.text.split(separator: "\n").map(String.init)
            for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            #expect(lines.first?.hasPrefix(#"{"action":"fetch","role":"page","depth":0,"url":""#) == true)
            #expect(lines.last == #"{"action":"total","pages":1,"requisites":4,"skipped":2,"failed":0}"#)
        }
    }

    @Test func `a stopped crawl is resumed, and its report covers the whole crawl`() async throws {
        let scratch = try Scratch()
        var routes = Self.site
        routes["/b"] = [
            .init(200, [("Content-Type", "text/html")], body: Array("b".utf8), delay: .seconds(3600)), .html("b"),
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let arguments = [
                "pack", origin.base + "/", "-o", scratch.path("a.zip"), "--report", scratch.path("crawl.json"),
            ]
            let program = try RunningProgram(Program.afcache, arguments)
            try program.wait(until: "the origin is asked") { origin.count(of: "/b") > 0 }
            #expect(program.stop(SIGINT) == 130)
            #expect(try document(scratch)["outcome"] as? String == "interrupted")
            let result = try Program.run(Program.afcache, arguments)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.hasPrefix("resuming an interrupted crawl with "), "\(result.errors)")
            let report = try document(scratch)
            #expect(report["outcome"] as? String == "complete")
            #expect(report["resumed"] as? Int == 1)
            #expect((report["totals"] as? [String: Int])?["resources"] == 6)
            #expect(report["depths"] as? [Int] == [4, 1, 1])
            let types = try #require(report["types"] as? [[String: Any]])
            #expect(Set(types.compactMap { $0["type"] as? String }) == ["text/html", "text/css", "image/png"])
            #expect(scratch.names == ["a.zip", "crawl.json"])
        }
    }

    @Test func `an update says what has changed since the older package`() async throws {
        let scratch = try Scratch()
        var routes = Self.site
        let pages = ["/": #""1""#, "/a": #""1""#]
        for (target, tag) in pages { routes[target]?[0].fields.append(("ETag", tag)) }
        try await TestOrigin.withOrigin(routes) { origin in
            let older = try Program.run(Program.afcache, ["pack", origin.base + "/", "-o", scratch.path("old.zip")])
            #expect(older.status == 0, "\(older.errors)")
            origin.set("/a", .html("<a href=/c>c</a>"))
            origin.set("/c", .html("c"))
            let result = try Program.run(
                Program.afcache,
                [
                    "pack", origin.base + "/", "--update-from", scratch.path("old.zip"), "-o", scratch.path("new.zip"),
                    "--report", scratch.path("crawl.json"),
                ]
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.errors.contains("since the older package: 1 added, 1 changed, 1 removed, 4 unchanged\n"),
                "\(result.errors)"
            )
            let changes = try #require(try document(scratch)["changes"] as? [String: [String: Any]])
            #expect(changes["added"]?["urls"] as? [String] == [origin.base + "/c"])
            #expect(changes["changed"]?["urls"] as? [String] == [origin.base + "/a"])
            #expect(changes["removed"]?["urls"] as? [String] == [origin.base + "/b"])
            #expect(changes["unchanged"]?["count"] as? Int == 4)
        }
    }

    @Test func `an update of the output packs everything if there is no package yet`() async throws {
        let scratch = try Scratch()
        var routes = Self.site
        for target in ["/", "/a"] { routes[target]?[0].fields.append(("ETag", #""1""#)) }
        try await TestOrigin.withOrigin(routes) { origin in
            let line = ["pack", origin.base + "/", "-o", scratch.path("p.zip"), "--update", "--max-removed", "20%"]
            func run() throws -> ProgramResult {
                let result = try Program.run(Program.afcache, line)
                #expect(result.status == 0, "\(result.errors)")
                return result
            }
            let first = try run()
            #expect(first.text.hasPrefix("packed ") && !first.errors.contains("since the older package"))
            let second = try run()
            #expect(second.errors.contains("since the older package: 0 added, 0 changed, 0 removed, "))
            #expect(scratch.names == ["p.zip"])

            // As 'mktemp' makes it.
            try scratch.write([], to: "p.zip")
            let empty = try run()
            #expect(empty.text.hasPrefix("packed ") && !empty.errors.contains("since the older package"))

            try scratch.write(Array("notes".utf8), to: "p.zip")
            let other = try Program.run(Program.afcache, line)
            #expect(other.status == 11 && other.errors.contains("the file exists and is not a package"))
            #expect(try scratch.read("p.zip") == Array("notes".utf8))
        }
    }
}
