import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import HTTPTypes
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// A crawl that updates an older package asks whether what is there still stands.
struct UpdateTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    private func page(_ text: String, tag: String) -> TestOrigin.Answer {
        TestOrigin.Answer(200, [("Content-Type", "text/html"), ("ETag", tag)], body: Array(text.utf8))
    }

    private var first: [String: [TestOrigin.Answer]] {
        [
            "/": [
                page(
                    "<a href=\"/same\">s</a><a href=\"/new\">n</a><a href=\"/gone\">g</a><a href=\"/r\">r</a>",
                    tag: "\"1\""
                )
            ],
            "/same": [page("<img src=\"/i.png\">", tag: "\"same\"")],
            "/i.png": [.text(String(repeating: "image", count: 500), type: "image/png")],
            "/new": [page("old text", tag: "\"old\"")], "/gone": [page("gone", tag: "\"g\"")],
            "/r": [.redirect("/same")],
        ]
    }

    private func pack(
        _ origin: TestOrigin,
        to path: String,
        updating older: String? = nil,
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> CrawlReport {
        let now = now
        var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
        options.updates = older
        options.retries.retries = 0
        change(&options)
        let output = Packaging.Output(path: path, created: now, generator: "test")
        return try await Packaging.pack(options, fetching: .patient(), to: output).report
    }

    private func counts(_ report: CrawlReport) -> [CrawlReport.Change: Int] {
        (report.changes ?? [:]).mapValues(\.count)
    }

    private func paths(_ report: CrawlReport, _ change: CrawlReport.Change) -> [String] {
        report.changes?[change]?.urls.map(\.path) ?? []
    }

    /// The bodies of a package by path, as another program reads them.
    private func body(_ path: String, _ origin: TestOrigin, _ member: String) throws -> String {
        let folder = origin.base.dropFirst("http://".count).replacing(":", with: "+")
        return String(decoding: try run("unzip", "-p", path, folder + member), as: UTF8.self)
    }

    @Test(arguments: [
        ("100", 2, 3, true), ("1", 2, 3, false), ("66%", 2, 3, false), ("67%", 2, 3, true), ("0%", 0, 0, true),
    ])
    func `an update may remove a number or a share`(text: String, removed: Int, total: Int, isAllowed: Bool) throws {
        #expect(try #require(RemovalLimit(text)).allows(removed, of: total) == isAllowed)
    }

    @Test(arguments: ["", "%", "-1", "101%", "1.5", "+1", "99999999999999999999", "1 %"])
    func `a limit of removals is a number or a percentage`(text: String) { #expect(RemovalLimit(text) == nil) }

    @Test func `a maintenance page doesn't replace a package whose removals are limited`() async throws {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/a.zip"
                _ = try await pack(origin, to: path)
                let before = try OpenFile.State(path: path)
                for route in first.keys { origin.set(route, page("back soon", tag: "\"m\"")) }
                let report = try await pack(origin, to: path, updating: path) { $0.removalLimit = .percent(20) }
                #expect(report.removesTooMuch && report.outcome == .empty)
                #expect(try OpenFile.State(path: path) == before)
                _ = try await pack(origin, to: path, updating: path) { $0.removalLimit = .percent(90) }
                #expect(try OpenFile.State(path: path) != before)
            }
        }
    }

    @Test func `an update that fetches nothing speaks of no removals`() async throws {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/a.zip"
                _ = try await pack(origin, to: path)
                origin.set("/robots.txt", TestOrigin.Answer(503))
                let report = try await pack(origin, to: path, updating: path)
                #expect(report.fetched == 0 && report.outcome == .empty)
                #expect(report.changes?[.removed] == nil)
            }
        }
    }

    /// RFC 9111 §4.3.4.
    @Test(
        arguments: [
            ([], true), ([("ETag", "\"1\"")], true), ([("ETag", "W/\"1\"")], true), ([("ETag", "\"2\"")], false),
            ([("ETag", "W/\"2\"")], false), ([("ETag", "\"1\""), ("ETag", "\"2\"")], false),
            ([("Last-Modified", "Sun, 09 Sep 2001 01:46:40 GMT")], true),
        ] as [([(String, String)], Bool)]
    ) func `a 304 that speaks of another body is no confirmation`(
        fields: [(String, String)],
        isConfirmed: Bool
    ) async throws {
        let changed = TestOrigin.Answer(304, fields)
        let routes = [
            "/": [page("<a href=/x>x</a>", tag: "\"s\"")],
            "/x": [page("old", tag: "\"1\""), changed, page("new", tag: "\"2\"")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                _ = try await pack(origin, to: folder + "/a.zip")
                let report = try await pack(origin, to: folder + "/b.zip", updating: folder + "/a.zip") {
                    $0.rewrites = true
                }
                #expect(paths(report, .changed) == (isConfirmed ? [] : ["/x"]))
                #expect(try body(folder + "/b.zip", origin, "/x") == (isConfirmed ? "old" : "new"))
                #expect(origin.count(of: "/x") == (isConfirmed ? 2 : 3))
                let last = origin.requests.last { $0.target == "/x" }
                #expect(last?.fields.contains("If-None-Match: \"1\"") == isConfirmed)
            }
        }
    }

    /// RFC 9111 §3.2.
    @Test func `a 304 doesn't change what the stored body says`() async throws {
        let page = TestOrigin.Answer(
            200,
            [("Content-Type", "text/html; charset=iso-8859-1"), ("ETag", "\"1\"")],
            body: Array("<a href=/".utf8) + [0xE9, 0x74, 0xE9] + Array(">x</a>".utf8)
        )
        let renewed = TestOrigin.Answer(
            304,
            [("ETag", "\"1\""), ("Content-Type", "text/html; charset=shift_jis"), ("Cache-Control", "max-age=7")]
        )
        let routes = ["/": [page, renewed], "/%C3%A9t%C3%A9": [TestOrigin.Answer.text("summer")]]
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                _ = try await pack(origin, to: folder + "/a.zip")
                let report = try await pack(origin, to: folder + "/b.zip", updating: folder + "/a.zip")
                #expect(paths(report, .unchanged).sorted() == ["/", "/%C3%A9t%C3%A9"])
                let older = try OlderPackage(path: folder + "/b.zip")
                let record = try #require(older.resource(try WebURL(origin.base + "/"))?.record)
                #expect(record.fields[.contentType] == "text/html; charset=iso-8859-1")
                #expect(record.fields[.cacheControl] == "max-age=7")
            }
        }
    }

    @Test(
        arguments: [
            (["ETag: \"1\""], ["If-None-Match: \"1\""]), (["ETag: \"1\"", "ETag: \"1\""], ["If-None-Match: \"1\""]),
            (["ETag: \"1\"", "ETag: \"2\""], []), (["ETag: \"\u{FFFD}\""], []),
            (["ETag: \"é\""], ["If-None-Match: \"é\""]),
            (["Last-Modified: yesterday"], []),
            (
                ["Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT", "Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT"],
                ["If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT"]
            ),
            (["Last-Modified: Sunday, 09-Sep-01 01:46:40 GMT"], ["If-Modified-Since: Sunday, 09-Sep-01 01:46:40 GMT"]),
            (["Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT", "Date: Sun, 09 Sep 2001 01:46:40 GMT"], []),
            (
                ["Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT", "Date: Sun, 09 Sep 2001 01:46:41 GMT"],
                ["If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT"]
            ),
        ]
    ) func `only validators that the origin can understand are sent back`(lines: [String], conditions: [String]) throws
    {
        var record = ResourceRecord(url: try WebURL("http://docs.example/"))
        record.sha256 = String(repeating: "0", count: 64)
        for line in lines {
            let parts = line.split(separator: ": ", maxSplits: 1)
            record.fields.append(
                HTTPField(name: try #require(HTTPField.Name(String(parts[0]))), value: String(parts[1]))
            )
        }
        let sent = OlderPackage.Resource(record: record, member: 0).conditions
        #expect(sent.map { "\($0.name): \($0.value)" } == conditions)
    }

    @Test func `an unchanged resource isn't sent again, and is copied unchanged`() async throws {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                _ = try await pack(origin, to: folder + "/1.zip")
                for (path, tag) in [("/", "\"1\""), ("/same", "\"same\""), ("/new", "\"old\""), ("/gone", "\"g\"")] {
                    origin.set(path, TestOrigin.Answer(304, [("ETag", tag), ("X-Later", "yes")]))
                }
                let before = origin.requests.count
                let report = try await pack(origin, to: folder + "/2.zip", updating: folder + "/1.zip")
                #expect(counts(report) == [.added: 0, .changed: 0, .removed: 0, .unchanged: 6])
                let asked = origin.requests[before...].filter { $0.target == "/same" }
                #expect(asked.count == 1)
                #expect(asked.first?.fields.contains("If-None-Match: \"same\"") == true)
                _ = try run("unzip", "-tqq", folder + "/2.zip")
                #expect(try body(folder + "/2.zip", origin, "/i.png") == String(repeating: "image", count: 500))
                let reader = try PackageReader(path: folder + "/2.zip")
                try reader.requireLoadable()
                let same = reader.index.resources.first { $0.url.path == "/same" }
                #expect(same?.record?.status == 200)
                #expect(same?.record?.fields.contains { $0.name.canonicalName == "x-later" } == true)
            }
        }
    }

    @Test func `changed, added and removed resources are reported`() async throws {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                _ = try await pack(origin, to: folder + "/1.zip")
                origin.set(
                    "/",
                    page("<a href=\"/same\">s</a><a href=\"/new\">n</a><a href=\"/more\">m</a>", tag: "\"2\"")
                )
                origin.set("/new", page("new text", tag: "\"new\""))
                origin.set("/more", page("more", tag: "\"m\""))
                let report = try await pack(origin, to: folder + "/1.zip", updating: folder + "/1.zip")
                #expect(paths(report, .added) == ["/more"])
                #expect(paths(report, .changed) == ["/", "/new"])
                #expect(paths(report, .removed) == ["/gone", "/r"])
                #expect(paths(report, .unchanged) == ["/same", "/i.png"])
                #expect(try body(folder + "/1.zip", origin, "/new") == "new text")
                #expect(try run("ls", "-A", folder) == Array("1.zip\n".utf8))
            }
        }
    }

    @Test(arguments: [(503, 0), (500, 0), (404, 1), (410, 1)])
    func `an unavailable resource is kept unless its origin says that it is gone`(status: Int, removed: Int)
        async throws
    {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                _ = try await pack(origin, to: folder + "/1.zip")
                origin.set("/new", TestOrigin.Answer(status))
                let report = try await pack(origin, to: folder + "/2.zip", updating: folder + "/1.zip")
                #expect(report.failures.map(\.url.path) == ["/new"])
                #expect(counts(report)[.removed] == removed)
                #expect(paths(report, .unchanged).contains("/new") == (removed == 0))
                let reader = try PackageReader(path: folder + "/2.zip")
                #expect(reader.index.resources.contains { $0.url.path == "/new" } == (removed == 0))
            }
        }
    }

    @Test func `a body of the older package that is damaged is fetched again`() async throws {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path)
                // The image is stored, so its text stands in the file.
                _ = try run("sed", "-i", "s/imageimage/imagfimage/", path)
                origin.set("/same", TestOrigin.Answer(304))
                let image = TestOrigin.Answer(
                    200,
                    [("Content-Type", "image/png")],
                    body: Array(String(repeating: "image", count: 500).utf8)
                )
                origin.set("/i.png", image)
                _ = try await pack(origin, to: folder + "/2.zip", updating: path)
                #expect(try body(folder + "/2.zip", origin, "/i.png") == String(repeating: "image", count: 500))
            }
        }
    }

    @Test func `a file that isn't a package is refused before any request`() async throws {
        try await TestOrigin.withOrigin(first) { origin in
            try await withScratchFolder { folder in
                try write("no package", to: folder + "/1.zip")
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await pack(origin, to: folder + "/2.zip", updating: folder + "/1.zip")
                }
                #expect(error?.code == .olderPackage)
                #expect(origin.requests.isEmpty)
            }
        }
    }

    /// What the origin answers to an update, and whether the package, which is the output, is left as it is.
    @Test(
        arguments: [
            ("nothing new", [], true), ("a weaker ETag", [("ETag", "W/\"1\"")], false),
            ("another field", [("X-Later", "yes")], false),
            ("another Date", [("Date", "Sun, 09 Sep 2001 02:46:40 GMT")], true), ("an age", [("Age", "5")], true),
            ("an expiry that moves with Date", [("Cache-Control", "max-age=60")], false),
        ] as [(String, [(name: String, value: String)], Bool)]
    )
    func `an unchanged package isn't rewritten`(
        what: String,
        fields: [(name: String, value: String)],
        isLeft: Bool
    ) async throws {
        try await TestOrigin.withOrigin(["/": [page("text", tag: "\"1\"")]]) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path)
                origin.set("/", TestOrigin.Answer(304, fields))
                let before = try OpenFile.State(path: path)
                let report = try await pack(origin, to: path, updating: path)
                #expect(counts(report) == [.added: 0, .changed: 0, .removed: 0, .unchanged: 1], "\(what)")
                let after = try OpenFile.State(path: path)
                #expect((after == before) == isLeft, "\(what)")
                #expect(!isThere(path + ".crawl"))
                #expect(!isThere(path + ".bodies"))
            }
        }
    }

    @Test func `an update of a package whose crawl didn't read scripts reads its pages, and finds what they load`()
        async throws
    {
        let routes = [
            "/": [page("<script src=/s.js></script><a href=/b>b</a>", tag: "\"1\"")], "/b": [page("b", tag: "\"b\"")],
            "/s.js": [
                TestOrigin.Answer(
                    200,
                    [("Content-Type", "text/javascript"), ("ETag", "\"s\"")],
                    body: Array("fetch('list.json');fetch('gone.json')".utf8)
                )
            ],
            "/list.json": [.text("[]", type: "application/json")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path) { $0.usesRecipes = false }
                #expect(origin.count(of: "/list.json") == 0)
                // The record of such a crawl says nothing about guesses, nor how they were made.
                let record = String(decoding: try run("unzip", "-p", path, ".afcache/crawl.json"), as: UTF8.self)
                #expect(!record.contains("guess"))
                origin.set("/", TestOrigin.Answer(304, [("ETag", "\"1\"")]))
                origin.set("/b", TestOrigin.Answer(304, [("ETag", "\"b\"")]))
                origin.set("/s.js", TestOrigin.Answer(304, [("ETag", "\"s\"")]))
                let report = try await pack(origin, to: path, updating: path)
                #expect(paths(report, .added) == ["/list.json"] && counts(report)[.unchanged] == 3)
                #expect(report.absentGuesses == 1 && origin.count(of: "/gone.json") == 1)
                let second = try await pack(origin, to: path, updating: path)
                #expect(counts(second) == [.added: 0, .changed: 0, .removed: 0, .unchanged: 4])
            }
        }
    }

    @Test func `a page that an update finds is a base of a script that was known before`() async throws {
        func start(_ links: String, tag: String) -> TestOrigin.Answer {
            page("<link rel=icon href=data:,>" + links, tag: tag)
        }
        let script = "<link rel=icon href=data:,><script src=/js/app.js></script>"
        let code = TestOrigin.Answer(
            200,
            [("Content-Type", "text/javascript"), ("ETag", "\"j\"")],
            body: Array("fetch('d/x.json')".utf8)
        )
        let routes = [
            "/": [start("<a href=/a/>a</a>", tag: "\"1\"")], "/a/": [page(script, tag: "\"a\"")], "/js/app.js": [code],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/a.zip"
                _ = try await pack(origin, to: path)
                #expect(origin.count(of: "/a/d/x.json") == 1)
                origin.set("/", start("<a href=/a/>a</a><a href=/b/>b</a>", tag: "\"2\""))
                origin.set("/b/", page(script, tag: "\"b\""))
                origin.set("/b/d/x.json", .text("[]", type: "application/json"))
                let report = try await pack(origin, to: path, updating: path)
                #expect(paths(report, .added) == ["/b/", "/b/d/x.json"])
                #expect(origin.count(of: "/a/d/x.json") == 1)
            }
        }
    }

    @Test func `a wrong guess isn't repeated before what names it changes`() async throws {
        let script = "<script>fetch('/gone.json')</script>"
        let routes = ["/": [page(script + "<a href=/b>b</a>", tag: "\"1\"")], "/b": [page("b", tag: "\"b\"")]]
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path)
                #expect(origin.count(of: "/gone.json") == 1)
                origin.set("/", TestOrigin.Answer(304, [("ETag", "\"1\"")]))
                origin.set("/b", page("c", tag: "\"c\""))
                let report = try await pack(origin, to: path, updating: path)
                #expect(counts(report)[.changed] == 1 && report.absentGuesses == 1)
                #expect(origin.count(of: "/gone.json") == 1, "the page that names it is unchanged")
                origin.set("/b", TestOrigin.Answer(304, [("ETag", "\"c\"")]))
                #expect(try await pack(origin, to: path, updating: path).absentGuesses == 1)
                #expect(origin.count(of: "/gone.json") == 1, "everything is unchanged")
                origin.set("/", page(script + "<a href=/b>changed</a>", tag: "\"2\""))
                _ = try await pack(origin, to: path, updating: path)
                #expect(origin.count(of: "/gone.json") == 2)
            }
        }
    }

    @Test func `an update writes changed and removed files, and those it is told to write`() async throws {
        let routes = ["/": [page("<a href=/b>b</a>", tag: "\"1\"")], "/b": [page("b", tag: "\"b\"")]]
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/1.zip"
                _ = try await pack(origin, to: path)
                _ = try await pack(origin, to: folder + "/2.zip", updating: path)
                #expect(isThere(folder + "/2.zip"))
                let first = try OpenFile.State(path: path)
                _ = try await pack(origin, to: path, updating: path)
                #expect(try OpenFile.State(path: path) == first)
                _ = try await pack(origin, to: path, updating: path) { $0.rewrites = true }
                let second = try OpenFile.State(path: path)
                #expect(second != first)
                origin.set("/b", TestOrigin.Answer(404))
                _ = try await pack(origin, to: path, updating: path)
                #expect(try OpenFile.State(path: path) != second)
            }
        }
    }
}
