import AFCCaching
import AFCHTTP
import AFCOrigin
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Foundation
import HTTPTypes
import Synchronization
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct CrawlTests {
    private typealias Answer = TestOrigin.Answer

    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    /// Crawls an origin from `/`, and gives what came by URL.
    private func crawl(
        _ origin: TestOrigin,
        seeds: [String] = ["/"],
        idle: Duration = .seconds(4),
        _ change: (inout CrawlOptions) throws -> Void = { _ in }
    ) async throws -> (resources: [String: PackageWriter.Resource], report: CrawlReport) {
        let now = now
        var fetching = HTTPFetcher.Options.patient()
        fetching.idleTimeout = idle
        var options = CrawlOptions(seeds: try seeds.map { try WebURL(origin.base + $0) }, now: { now })
        options.retries.backoff = .milliseconds(1)
        try change(&options)
        let fixed = options
        let (resources, report) = try await crawled(fixed, fetching: fetching)
        let pairs = resources.map { resource in
            let url = resource.record.url.description
            return (url.hasPrefix(origin.base + "/") ? String(url.dropFirst(origin.base.count)) : url, resource)
        }
        return (Dictionary(uniqueKeysWithValues: pairs), report)
    }

    @Test func `a package says how many URLs are missing, also after failures that an update tries again`() async throws
    {
        let routes: [String: [Answer]] = [
            "/": [.html("<a href=gone>g</a><a href=broken>b</a><img src=none.png>")],
            "/broken": [.init(500, [("Retry-After", "0")])],
        ]
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(routes) { origin in
            let now = now
            var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
            options.retries.retries = 0
            let output = Packaging.Output(path: scratch.path("site.zip"), created: now, generator: "example/1")
            let (summary, _) = try await Packaging.pack(options, fetching: .patient(), to: output)
            let reader = try PackageReader(path: output.path)
            #expect(summary != nil && reader.provenance == nil && reader.index.info?.missing == 3)
            origin.set("/broken", .html("b"))
            _ = try await Packaging.pack(options, fetching: .patient(), to: output)
            let whole = try PackageReader(path: output.path)
            #expect(whole.provenance?.missing == 2 && whole.missing == 2 && whole.index.info?.missing == nil)
        }
    }

    @Test(
        arguments: [
            ("http://new-domain.example/x", "'http://new-domain.example/x', outside the scope; start there instead"),
            ("data:text/html,x", "'data:text/html,x', which is neither http nor https"),
            ("about:blank", "'about:blank', which is neither http nor https"),
            ("http://me:secret@127.0.0.1:1/", "'http://127.0.0.1:1/', which contains credentials"),
            (
                "http://10.0.0.1/",
                "'http://10.0.0.1/', whose host has a private address; start there if that is intended"
            ),
        ]
    )
    func `a start URL that leads out of the scope has failed`(target: String, words: String) async throws {
        let routes: [String: [Answer]] = ["/": [.redirect(target)], "/other": [.html("other")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin, seeds: ["/", "/other"])
            #expect(resources.keys.sorted() == ["/", "/other"])
            #expect(report.failures.map(\.reason.description) == ["the start URL leads to \(words)"])
            #expect(report.failures.first?.url.path == "/")
            #expect(report.skippedCount == 1)
            #expect(report.isFailed(at: .seed) && report.outcome == .incomplete)
        }
    }

    @Test func `two equal lines of Location are one, different ones are an error`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<link rel=icon href=data:,><a href=/twice>t</a><a href=/either>e</a>")], "/ok": [.text("ok")],
            "/twice": [Answer(301, [("Location", "/ok"), ("Location", "/ok")])],
            "/either": [Answer(301, [("Location", "/ok"), ("Location", "/no")])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(resources.keys.sorted() == ["/", "/ok", "/twice"])
            #expect(resources["/twice"]?.record.fields[values: .location] == ["/ok"])
            #expect(report.failures.map(\.reason) == [.location("/ok, /no")])
        }
    }

    @Test func `a start URL that leads to another one hasn't failed`() async throws {
        let routes: [String: [Answer]] = ["/x": [.html("x")], "/": [.redirect("/x")], "/y": [.redirect("/x")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin, seeds: ["/", "/y"]) { $0.scope.extent = .page }
            #expect(resources.keys.sorted() == ["/", "/x", "/y"])
            #expect(report.failures.isEmpty && report.skipped.isEmpty)
        }
    }

    @Test func `links and requisites of a site are fetched, each once, and nothing else`() async throws {
        let routes: [String: [Answer]] = [
            "/": [
                .html(
                    """
                    <link rel="stylesheet" href="/s.css"><a href="/a?x=1&amp;y=2">a</a><a href="b">b</a><a href="/#top">top</a>
                    <img src="/i.png" srcset="/i1.png 1x, /i2.png 2x"><a href="http://other.example/">other</a>
                    """
                )
            ],
            "/s.css": [.text("@import \"t.css\"; a { background: url(\"/bg.png\") }", type: "text/css")],
            "/t.css": [.text("b { }", type: "text/css")],
            "/b": [.html("<a href=\"/\">home</a><a href=\"/a?x=1&amp;y=2\">a</a>")],
            "/a?x=1&y=2": [.html("a")],
            "/i.png": [.text("i", type: "image/png")], "/i1.png": [.text("1", type: "image/png")],
            "/i2.png": [.text("2", type: "image/png")], "/bg.png": [.text("bg", type: "image/png")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            let wanted = ["/", "/a?x=1&y=2", "/b", "/bg.png", "/i.png", "/i1.png", "/i2.png", "/s.css", "/t.css"]
            #expect(Set(resources.keys) == Set(wanted))
            #expect(report.failures.isEmpty)
            #expect(skips(report) == [.scope: 1])
            #expect(report.fetched == 9)
            #expect(Set(origin.targets).count == origin.requests.count)
            #expect(origin.count(of: "/robots.txt") == 1)
            #expect(report.requests == origin.requests.count)
        }
    }

    @Test func `a kept connection that the origin closes costs neither a page nor a retry`() async throws {
        let pages = (0..<20).map { "/\($0)" }
        var routes: [String: [Answer]] = ["/": [.html(pages.map { "<a href=\"\($0)\">x</a>" }.joined())]]
        // With one connection, each first request comes over a kept one.
        for page in pages { routes[page] = [.reset, .html("page")] }
        try await TestOrigin.withOrigin(routes) { origin in
            // On a busy machine, the next request may come late, and must still find the connection.
            let (resources, report) = try await crawl(origin, idle: .seconds(60)) {
                $0.politeness.connectionsPerHost = 1
                $0.retries.retries = 0
            }
            #expect(Set(resources.keys) == Set(["/"] + pages))
            #expect(report.failures.isEmpty)
            #expect(report.retries == 0)
        }
    }

    @Test func `the status of an error or a redirect counts, whatever becomes of its body`() async throws {
        /// Bodies that never arrive.
        func stuck(_ status: Int, _ fields: [(name: String, value: String)] = []) -> Answer {
            Answer(status, [("Content-Length", "100")] + fields, body: [0x61])
        }
        let routes: [String: [Answer]] = [
            "/robots.txt": [stuck(404)],
            "/": [.html("<a href=\"/missing\">x</a><a href=\"/old\">x</a>")], "/missing": [stuck(404)],
            "/old": [stuck(301, [("Location", "/new")])], "/new": [.html("new")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/", "/new", "/old"])
            #expect(report.failures.map(\.reason) == [.status(404, reason: "Test")])
            #expect(report.retries == 0)
            #expect(origin.count(of: "/missing") == 1)
        }
    }

    @Test func `a head beyond the limit is a failure at once, and a long one is recorded as far as it fits`()
        async throws
    {
        let long = String(repeating: "<", count: 200_000)
        let routes: [String: [Answer]] = [
            "/": [
                Answer(
                    200,
                    [("Content-Type", "text/html"), ("X-Long", long), ("X-Short", "s")],
                    body: Array("<a href=/long>x</a>".utf8)
                )
            ],
            "/long": [Answer(200, [("X-Long", long + long)], body: [])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            let names = resources["/"]?.record.fields.map(\.name.canonicalName) ?? []
            #expect(names.contains("x-short") && !names.contains("x-long"))
            #expect(report.failures.map(\.reason) == [.response("the response's head is longer than 262144 bytes")])
            #expect(origin.count(of: "/long") == 1)
        }
    }

    @Test func `redirects are recorded and followed, loops end`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<a href=\"/old\">x</a><a href=\"/one\">x</a><a href=\"/out\">x</a><a href=\"/self\">x</a>")],
            "/old": [.redirect("new#part", status: 308)], "/new": [.html("new")],
            "/one": [.redirect("/two", status: 302)],
            "/two": [.redirect("/one", status: 307)], "/out": [.redirect("http://other.example/")],
            "/self": [.redirect("/self")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(
                resources.mapValues(\.record.status) == [
                    "/": 200, "/old": 308, "/new": 200, "/one": 302, "/out": 301,
                ]
            )
            #expect(resources["/old"]?.record.fields[.location] == "new#part")
            #expect(resources["/old"]?.entry == nil)
            #expect(report.redirects == 3)
            #expect(skips(report) == [.scope: 1])
            #expect(report.failures.map(\.url.path) == ["/self", "/two"])
            #expect(report.failures.first?.reason == .redirectLoop(origin.base + "/self"))
        }
    }

    @Test func `a seed with a redirect loop is a failure that says so`() async throws {
        try await TestOrigin.withOrigin(["/": [.redirect("/b")], "/b": [.redirect("/")]]) { origin in
            let report = try await crawl(origin).report
            #expect(report.failures.map(\.reason) == [.redirectLoop(origin.base + "/")])
            #expect(report.isFailed(at: .seed))
            #expect(report.outcome == .empty)
        }
    }

    @Test func `a redirect to itself that sets a cookie is requested again with it`() async throws {
        let wall = Answer(302, [("Location", "/"), ("Set-Cookie", "seen=1")])
        let page = Answer.html("<a href=/b>b</a>")
        let other = Answer(302, [("Location", "/b#x"), ("Set-Cookie", "b=1; Path=/b")])
        try await TestOrigin.withOrigin(["/": [wall, page], "/b": [other, page]]) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(resources.mapValues(\.record.status) == ["/": 200, "/b": 200])
            #expect(report.failures.isEmpty)
            let asked = origin.requests.filter { $0.target == "/" }
            #expect(asked.map { $0.fields.contains("Cookie: seen=1") } == [false, true])
            #expect(report.requests == origin.requests.count)
        }
    }

    @Test func `a page that demands a new cookie each time is a failure`() async throws {
        let walls = (0..<30).map { Answer(302, [("Location", "/"), ("Set-Cookie", "seen=\($0)")]) }
        try await TestOrigin.withOrigin(["/": walls]) { origin in
            let report = try await crawl(origin).report
            #expect(report.failures.map(\.reason) == [.redirectLoop(origin.base + "/")])
            #expect(origin.count(of: "/") <= 12)
        }
    }

    @Test func `non-ASCII bytes in a Location are requested unchanged`() async throws {
        var moved = Answer.redirect("/caf\u{E9}")
        moved.isLatin1 = true
        try await TestOrigin.withOrigin(["/": [moved], "/caf%E9": [.text("cafe")]]) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/", "/caf%E9"])
            #expect(resources["/"]?.record.fields[.location] == "/caf%E9")
            #expect(report.failures.isEmpty)
        }
    }

    @Test func `a vertical bar in a path is requested as browsers write it`() async throws {
        let routes: [String: [Answer]] = ["/": [.html("<a href='/a|b?c|d'>x</a>")], "/a%7Cb?c|d": [.html("x")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/", "/a%7Cb?c|d"])
            #expect(report.failures.isEmpty)
        }
    }

    @Test func `the icon that browsers request is fetched, and is no failure if missing`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<a href=/b>b</a>")], "/b": [.html("b")], "/favicon.ico": [.text("i", type: "image/x-icon")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            #expect(try await crawl(origin) { $0.asksForIcons = true }.resources.keys.contains("/favicon.ico"))
            #expect(origin.count(of: "/favicon.ico") == 1)
            for status in [404, 410, 403, 504] {
                origin.set("/favicon.ico", Answer(status))
                let report = try await crawl(origin) { $0.asksForIcons = true }.report
                #expect(report.failures.isEmpty, "\(status)")
                #expect(report.outcome == .complete)
            }
            let asked = origin.count(of: "/favicon.ico")
            origin.set("/", .html("<link rel=icon href=/own.png>"))
            let own = try await crawl(origin) { $0.asksForIcons = true }.report
            #expect(own.failures.map(\.url.path) == ["/own.png"])
            #expect(own.failures.map(\.importance) == [.optional])
            #expect(origin.count(of: "/favicon.ico") == asked)
        }
    }

    @Test func `images for previews are fetched if asked for, and a missing one is optional`() async throws {
        let image = Answer.text("i", type: "image/png")
        let markup = "<meta property=og:image content=/x.png><meta name=twitter:image content=/gone.png>"
        try await TestOrigin.withOrigin(["/": [.html(markup)], "/x.png": [image]]) { origin in
            #expect(Set(try await crawl(origin).resources.keys) == ["/"])
            let (resources, report) = try await crawl(origin) { $0.takesPreviews = true }
            #expect(Set(resources.keys) == ["/", "/x.png"])
            #expect(report.failures.map(\.importance) == [.optional])
        }
    }

    @Test(
        arguments: [
            ("<a href=/x>", CrawlReport.Importance.link, false), ("<link rel=stylesheet href=/x>", .requisite, true),
            ("<img src=/x>", .optional, false), ("<script src=/x></script>", .requisite, true),
            ("<link rel=icon href=/x>", .optional, false), ("<link rel=manifest href=/x>", .optional, false),
            ("<style>@font-face{src:url(/x.woff)}</style>", .optional, false),
            ("<link rel=manifest href=/x><script src=/x></script>", .requisite, true),
        ]
    ) func `a missing resource matters according to its kind`(
        markup: String,
        importance: CrawlReport.Importance,
        isFailed: Bool
    ) async throws {
        try await TestOrigin.withOrigin(["/": [.html(markup)]]) { origin in
            let report = try await crawl(origin).report
            #expect(report.failures.map(\.importance) == [importance])
            #expect(report.isFailed(at: .requisite) == isFailed)
            #expect(report.isFailed(at: .link) && !report.isFailed(at: .seed) && !report.isFailed(at: .none))
            #expect(report.outcome == .incomplete)
        }
    }

    @Test func `a site that falls silent isn't a site with dead links`() async throws {
        let links = "abcdef".map { "<a href=/\($0)>\($0)</a>" }.joined()
        var routes: [String: [Answer]] = ["/": [.html("<link rel=icon href=data:,>" + links)], "/c": [.html("c")]]
        for name in ["a", "b", "d", "e", "f"] { routes["/" + name] = [.reset] }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin).report
            let failures = report.failures.map { $0.url.path + " " + $0.importance.rawValue }.sorted()
            // One answer shows that the site is there; three URLs in a row without any, that it no longer is.
            #expect(failures == ["/a link", "/b link", "/d link", "/e link", "/f requisite"])
            #expect(report.isFailed(at: .requisite))
            origin.set("/f", .html("f"))
            #expect(!(try await crawl(origin).report.isFailed(at: .requisite)))
        }
    }

    // MARK: Guesses

    @Test func `a guess is requested last, and its absence is no failure`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<script>fetch('/gone.json'); fetch('/list.json')</script><a href=/a>a</a><img src=/i>")],
            "/a": [.html("<a href=/b>b</a>")], "/b": [.html("b")], "/i": [.text("i", type: "image/png")],
            "/list.json": [.text("[]", type: "application/json")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin) { $0.scope.depth = 2 }
            #expect(Set(resources.keys) == ["/", "/a", "/b", "/i", "/list.json"])
            #expect(Set(origin.targets.suffix(2)) == ["/gone.json", "/list.json"])
            #expect(report.outcome == .complete && report.failures.isEmpty && report.absentGuesses == 1)
            origin.set("/list.json", Answer(500))
            let failed = try await crawl(origin).report
            #expect(failed.failures.map(\.importance) == [.guess])
            #expect(!failed.isFailed(at: .requisite) && failed.isFailed(at: .link))
            _ = try await crawl(origin) { $0.usesRecipes = false }
            #expect(origin.count(of: "/gone.json") == 2)
        }
    }

    @Test(arguments: [
        ("<iframe src=/x.json></iframe>", CrawlReport.Importance.requisite), ("<a href=/x.json>x</a>", .link),
    ])
    func `a guess that a page refers to is no guess`(
        markup: String,
        importance: CrawlReport.Importance
    ) async throws {
        let script = "<script>fetch('/x.json')</script>"
        let pages = [
            ["/": script + markup], ["/": markup + script], ["/": script + "<a href=/b>b</a>", "/b": markup],
            ["/": "<script>fetch('/b.html')</script>" + script, "/b.html": markup],
        ]
        for page in pages {
            try await TestOrigin.withOrigin(page.mapValues { [.html($0)] }) { origin in
                let report = try await crawl(origin).report
                #expect(origin.count(of: "/x.json") == 1)
                #expect(report.failures.map(\.importance) == [importance], "\(page)")
            }
        }
    }

    @Test func `a guess is requested once`() async throws {
        let routes: [String: [Answer]] = ["/": [.html("<script>fetch('/x.json')</script>")], "/x.json": [Answer(503)]]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin).report
            #expect(origin.count(of: "/x.json") == 1)
            #expect(report.failures.map(\.importance) == [.guess])
            origin.set("/", .html("<script>fetch('/x.json')</script><img src=/x.json>"))
            _ = try await crawl(origin)
            #expect(origin.count(of: "/x.json") > 2, "a requisite is worth more")
        }
    }

    @Test func `a limit skips no guess that was taken as a requisite`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<script>fetch('/x.json'); fetch('/y.json')</script><a href=/b>b</a>")],
            "/b": [.html("<img src=/x.json><img src=/large.png>")], "/x.json": [.text("[]", type: "application/json")],
            "/large.png": [.text(String(repeating: "l", count: 10_000), type: "image/png")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin) { $0.limits.bytes = 5000 }
            #expect(Set(resources.keys) == ["/", "/b", "/x.json"])
            #expect(report.skipped.map(\.count) == [1])
            #expect(report.skipped.flatMap(\.examples).map(\.path) == ["/large.png"])
        }
    }

    @Test func `guesses on other hosts are left out, and too many of a script`() async throws {
        let calls = (0..<100).map { "fetch('/n\($0).json')" }.joined(separator: ";")
        let page = "<script>fetch('http://1.example/x.json');\(calls)</script>"
        try await TestOrigin.withOrigin(["/": [.html(page)]]) { origin in
            let report = try await crawl(origin).report
            #expect(report.absentGuesses == 8)
            #expect(report.skipped.map(\.rule) == [.scope])
        }
    }

    @Test func `guesses on other hosts are made if the user wants requisites from everywhere`() async throws {
        let page = """
            <link rel=icon href=data:,><img data-src=OTHER/a.png><script>fetch('OTHER/b.json')</script>
            """
        let routes: [String: [Answer]] = [
            "/a.png": [.text("p", type: "image/png")], "/b.json": [.text("{}", type: "application/json")],
        ]
        try await TestOrigin.withOrigin(routes) { other in
            let html = page.replacing("OTHER", with: other.base)
            try await TestOrigin.withOrigin(["/": [.html(html)]]) { origin in
                let report = try await crawl(origin) { options in
                    options.scope.takesForeignRequisites = true
                    options.scope.allowsPrivate = true
                }.report
                #expect(Set(other.targets).subtracting(["/robots.txt"]) == ["/a.png", "/b.json"])
                #expect(report.failures.isEmpty && report.absentGuesses == 0)
            }
        }
    }

    @Test func `a page in place of a guessed file isn't stored, and such a site ends soon`() async throws {
        let calls = (0..<200).map { "fetch('/d\($0)/x.\(["json", "csv", "txt", "bin"][$0 % 4])')" }
        let scripts = calls.map { "<script>\($0)</script>" }.joined()
        let routes: [String: [Answer]] = ["/": [.html("<link rel=icon href=data:,>\(scripts)")], "*": [.html("home")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/"])
            #expect(skips(report) == [.guessedPage: 12])
            #expect(report.outcome == .complete && report.failures.isEmpty)
        }
    }

    @Test func `what was taken for a wrong guess is a page once something links to it`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<script>fetch('/a/x.json');$.get('/b.html')</script>")],
            "/a/x.json": [.html("<a href=/c>c</a>")],
            "/b.html": [.html("<a href=/a/x.json>x</a>")], "/c": [.html("c")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let resources = try await crawl(origin).resources
            #expect(Set(resources.keys) == ["/", "/a/x.json", "/b.html", "/c"])
        }
    }

    @Test func `a table in a gzip file names files`() async throws {
        // The CBOR is ["", [["en_1", 1]], []].
        let table: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2B, 0x48, 0x4C, 0x4F, 0x4D, 0xCB,
            0xCC, 0x4B, 0x89, 0x4F, 0x49, 0x4E, 0x69, 0x4E, 0x68, 0x6C, 0x4A, 0x49, 0xCD, 0x8B, 0x37, 0x64,
            0x6C, 0x00, 0x00, 0x23, 0x99, 0x12, 0xD2, 0x17, 0x00, 0x00, 0x00,
        ]
        let entry = #"{"languages":{"en":{"hash":"en_0","wasm":"en"}}}"#
        let routes: [String: [Answer]] = [
            "/": [.html("<script>s({bundlePath:'/pagefind/'})</script>")],
            "/pagefind/pagefind.js": [.text("fetch(`${b}pagefind-entry.json`)", type: "text/javascript")],
            "/pagefind/pagefind-entry.json": [.text(entry, type: "application/json")],
            "/pagefind/wasm.en.pagefind": [.text("w")],
            "/pagefind/pagefind.en_0.pf_meta": [
                Answer(200, [("Content-Type", "application/octet-stream")], body: table)
            ],
            "/pagefind/fragment/en_1.pf_fragment": [.text("f")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == Set(routes.keys))
            #expect(report.outcome == .complete && report.failures.isEmpty)
        }
    }

    // MARK: Notes

    @Test func `pages that need scripts are noted`() async throws {
        let shell = "<title>App</title><noscript>You need to enable JavaScript.</noscript><div id=root></div>"
        let routes: [String: [Answer]] = [
            "/": [.html(shell + "<script src=/a.js></script>")],
            "/a.js": [.text("fetch(url)", type: "text/javascript")],
            "/text": [.html("<p>" + String(repeating: "words ", count: 100) + "<script src=/a.js></script>")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin, seeds: ["/", "/text"]).report
            #expect(report.needsScriptsCount == 1)
            #expect(report.needsScripts.map(\.path) == ["/"])
        }
    }

    /// The script of an empty start page, the site's further files, and the number of pages and of calls that are noted.
    static let scripted: [(String, [String: String], Int, Int)] = [
        ("fetch('list.json')", ["/list.json": "{}"], 0, 0),
        ("import './part.js'", ["/part.js": "//"], 0, 0),
        ("fetch('/api/' + name)", ["/part.js": "//"], 1, 1),
        ("fetch('/api/' + name); import './part.js'", ["/part.js": "//"], 1, 1),
        ("fetch('/api/' + name); fetch('/api/news.json')", ["/api/news.json": "{}"], 0, 0),
        ("import './part.js'", ["/part.js": "fetch('/api/' + name)"], 1, 1),
        ("fetch('/api/' + name, {method: 'POST'}); import './part.js'", ["/part.js": "//"], 0, 0),
        // Without names, a script matters if it loads something.
        ("fetch(url)", [:], 1, 0),
        ("x.open(e.method, e.url, true)", [:], 1, 0),
        ("fetch(link.href, {})", [:], 0, 0),
        ("indexedDB.open(name, version); window.open(url)", [:], 0, 0),
        ("app.init(document.getElementById('root'))", [:], 0, 0),
        ("importScripts(base + name)", [:], 0, 0),
        ("load(`/query/${hash(x)}.json`)", [:], 1, 1),
        ("load(`/query/${hash(x)}.json`)", ["/query/a.json": "{}"], 1, 1),
        ("load(`/query/${hash(x)}.json`); fetch('/query/a.json')", ["/query/a.json": "{}"], 0, 0),
        ("map = {tiles: (z, y, x) => `./tiles/${z}/${y}/${x}.png`}", [:], 1, 1),
    ]

    @Test(arguments: scripted)
    func `a page that is empty without scripts is noted if they lack something`(
        script: String,
        files: [String: String],
        pages: Int,
        calls: Int
    ) async throws {
        var routes = files.mapValues { [Answer.text($0, type: "text/javascript")] }
        routes["/"] = [.html("<div id=root></div><script type=module src=/a.js></script>")]
        routes["/a.js"] = [.text(script, type: "text/javascript")]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin).report
            #expect(report.needsScriptsCount == pages && report.unreadCount == calls)
            #expect(!report.unread.contains { !$0.isEarly })
        }
    }

    @Test(arguments: [
        ("fetch(base + 'data/list.json')", "data/list.json"),
        ("fetch(base + 'data/list.json')</script><a href=/x/data/list.json>", ""),
        // The live site lacks what has nothing unknown before it.
        ("fetch('../data/list.json')", ""), ("s.src = base + 'part.js'", "part.js"), ("s.src = base + 'part.png'", ""),
        ("x = 'data/list.json'", ""),
        ("a.href = base + 'guide.pdf'", ""),
    ])
    func `what a script of the start page loads by a name and the site doesn't have is noted`(
        script: String,
        name: String
    ) async throws {
        let page = "<p>" + String(repeating: "text ", count: 100) + "<script>\(script)</script>"
        let routes: [String: [Answer]] = ["/": [.html(page)], "/x/data/list.json": [.text("{}")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin).report
            #expect(report.unfound.map(\.name).joined() == name && report.unfoundCount == (name.isEmpty ? 0 : 1))
            #expect(report.needsScriptsCount == 0)
        }
    }

    @Test func `a script of another host that an empty page needs is noted`() async throws {
        let page = "<div id=root></div><script src=//cdn.example/a.js></script><script>fetch('a.json')</script>"
        try await TestOrigin.withOrigin(["/": [.html(page)], "/a.json": [.text("{}")]]) { origin in
            let report = try await crawl(origin).report
            #expect(report.needsScriptsCount == 1 && report.foreignScript?.host == "cdn.example")
        }
    }

    @Test(arguments: [
        ("<img src=a.png>", 404, false), ("<img src=a.png>", 410, false), ("<img src=a.png>", 500, true),
        ("<video src=a.mp4></video>", 404, false), ("<style>p{background:url(a.png)}</style>", 404, false),
        ("<script src=a.js></script>", 404, true), ("<link rel=stylesheet href=a.css>", 404, true),
        ("<iframe src=a.html></iframe>", 404, true), ("<link rel=preload as=script href=a.js>", 404, false),
        ("<link rel=preload as=script href=a.js><script src=a.js></script>", 404, true),
        ("<link rel=preload as=style href=a.css>", 404, false), ("<link rel=preload as=style href=a.css>", 500, true),
        ("<link rel=preload as=style href=a.css><link rel=stylesheet href=a.css>", 404, true),
        ("<link rel=preload as=style href=a.css onload=\"this.rel='stylesheet'\">", 404, true),
    ])
    func `what the live site lacks as well counts only if pages don't work without it`(
        body: String,
        status: Int,
        isFailed: Bool
    ) async throws {
        let name = ["a.png", "a.mp4", "a.js", "a.css", "a.html"].first(where: body.contains) ?? ""
        let routes = ["/": [Answer.html("<p>text" + body)], "/" + name: [Answer(status)]]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin).report
            #expect(report.isFailed(at: .requisite) == isFailed)
        }
    }

    @Test(arguments: [
        String(repeating: " ", count: 17 << 20), (0..<100_001).map { "<a href='#a\($0)'>" }.joined(),
        (0..<100_001).map { "<a href='http://f\($0).example/'>" }.joined(),
        String(repeating: "<a href=/>", count: 200_000),
    ]) func `a link after a lot of other text is followed`(filling: String) async throws {
        try await TestOrigin.withOrigin(["/": [.html(filling + "<a href=/b>b</a>")], "/b": [.html("b")]]) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/", "/b"])
            #expect(report.cutCount == 0)
            #expect(!report.isFailed(at: .requisite))
        }
    }

    @Test func `a page's content beyond a limit is reported`() async throws {
        let images = "<img srcset='" + String(repeating: "a 1x,", count: 1_000_000) + "'>"
        let long = "<a href='/\(String(repeating: "x", count: 70_000))'>"
        try await TestOrigin.withOrigin(["/": [.html(images)], "/long": [.html(long)]]) { origin in
            let report = try await crawl(origin, seeds: ["/", "/long"]) { $0.scope.extent = .page }.report
            #expect(report.cuts.map(\.limits) == [[.attributeLength], [.referenceLength]])
            #expect(report.cuts.map(\.url.path) == ["/", "/long"])
            #expect(report.outcome == .incomplete)
            #expect(report.isFailed(at: .requisite))
        }
    }

    @Test func `a chain of redirects ends at its limit`() async throws {
        var routes: [String: [Answer]] = ["/": [.redirect("/1")]]
        for number in 1...20 { routes["/\(number)"] = [.redirect("/\(number + 1)")] }
        try await TestOrigin.withOrigin(routes) { origin in
            let (_, report) = try await crawl(origin)
            #expect(report.redirects == 10)
            #expect(report.failures.map(\.reason) == [.redirects(limit: 10)])
            #expect(report.failures.first?.url.path == "/10")
        }
    }

    @Test func `a redirect without a target is a failure`() async throws {
        try await TestOrigin.withOrigin(["/": [Answer(301)]]) { origin in
            let report = try await crawl(origin).report
            #expect(report.failures.map(\.reason) == [.location("")])
        }
        try await TestOrigin.withOrigin(["/": [.redirect("http://[/")]]) { origin in
            let report = try await crawl(origin).report
            #expect(report.failures.map(\.reason) == [.location("http://[/")])
        }
    }

    @Test(
        arguments: [
            (404, 1), (410, 1), (403, 1), (500, 3), (503, 3), (429, 3), (204, 1), (206, 1), (304, 1), (300, 1),
            (501, 1),
        ]
    ) func `a status that is not stored is a failure with the page that referred to it`(
        status: Int,
        requests: Int
    ) async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<a href=\"/x\">x</a>")], "/x": [Answer(status, [("Retry-After", "0")])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Array(resources.keys) == ["/"])
            let failure = try #require(report.failures.first)
            guard case .status(status, _) = failure.reason else {
                Issue.record("the reason is \(failure.reason)")
                return
            }
            #expect(failure.referrer?.path == "/")
            #expect(origin.count(of: "/x") == requests)
        }
    }

    @Test func `a temporary failure is retried`() async throws {
        let routes: [String: [Answer]] = [
            "/": [Answer(503, [("Retry-After", "0")]), .reset, .html("<img src=\"/i\">")],
            "/i": [.reset, .text("i", type: "image/png")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/", "/i"])
            #expect(report.failures.isEmpty)
            #expect(origin.count(of: "/") == 3)
            #expect(origin.count(of: "/i") == 2)
        }
    }

    @Test func `a truncated body is a failure`() async throws {
        let short = Answer(
            200,
            [("Content-Length", "100"), ("Content-Type", "text/html")],
            body: Array("x".utf8),
            closes: true
        )
        let chunked = Answer(200, [("Transfer-Encoding", "chunked")], body: Array("5\r\nab".utf8), closes: true)
        let routes: [String: [Answer]] = [
            "/": [.html("<img src=\"/short\"><img src=\"/chunked\">")], "/short": [short], "/chunked": [chunked],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Array(resources.keys) == ["/"])
            #expect(report.failures.map(\.reason) == [.truncated, .truncated])
            #expect(origin.count(of: "/short") == 3)
        }
    }

    @Test func `a coding is removed and recorded, and damage in it is a failure`() async throws {
        let bytes = try run(
            "python3",
            "-c",
            "import gzip,sys; sys.stdout.buffer.write(gzip.compress(b'<p>'*1000, 9, mtime=0))"
        )
        let fields = [("Content-Encoding", "gzip"), ("Content-Type", "text/html"), ("Vary", "Accept-Encoding")]
        let routes: [String: [Answer]] = [
            "/": [Answer(200, fields, body: bytes)],
            "/cut": [Answer(200, fields, body: Array(bytes.dropLast(12)))],
            "/bad": [Answer(200, fields, body: Array("no gzip at all".utf8))],
            "/other": [Answer(200, [("Content-Encoding", "compress")], body: Array("x".utf8))],
            "/old": [Answer(200, [("Content-Encoding", "x-gzip"), ("Content-Type", "text/html")], body: bytes)],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin, seeds: ["/", "/cut", "/bad", "/other", "/old"])
            #expect(resources["/old"]?.record.size == 3000)
            let record = try #require(resources["/"]?.record)
            #expect(record.size == 3000)
            #expect(record.coding == "gzip")
            #expect(record.fields.map { $0.name.canonicalName } == ["content-type", "vary"])
            #expect(
                record.requestFields.map { "\($0.name.canonicalName): \($0.value)" } == [
                    "accept-encoding: gzip, deflate"
                ]
            )
            #expect(report.failures.map(\.url.path) == ["/cut", "/bad", "/other"])
            #expect(report.failures.map(\.reason) == [.truncated, .coding("gzip"), .coding("compress")])
        }
    }

    @Test func `bodies in Brotli and Zstandard, which nobody asked for, are decoded, and unknown codings are none`()
        async throws
    {
        func answer(_ coding: String, _ base64: String) throws -> Answer {
            let bytes = try #require(Data(base64Encoded: base64))
            return Answer(200, [("Content-Encoding", coding), ("Content-Type", "text/html")], body: Array(bytes))
        }
        // `brotli` and `zstd` made these of '<title>coded</title><img src=/i.png>', and the rest is that text itself.
        let plain = "PHRpdGxlPmNvZGVkPC90aXRsZT48aW1nIHNyYz0vaS5wbmc+"
        let routes: [String: [Answer]] = [
            "/br": [try answer("br", "oRgBAGOkqv3lC1la8fiAQw7Yv13COKO6YemgKNiCP2brpgQ=")],
            "/zstd": [try answer("zstd", "KLUv/SQkIQEAPHRpdGxlPmNvZGVkPC90aXRsZT48aW1nIHNyYz0vaS5wbmc+sDSY6A==")],
            "/none": [try answer("none", plain)], "/utf-8": [try answer("utf-8", plain)],
            "/nonsense": [try answer("nonsense", plain)],
            "/i.png": [.text("x", type: "image/png")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let seeds = ["/br", "/zstd", "/none", "/utf-8", "/nonsense"]
            let (resources, report) = try await crawl(origin, seeds: seeds)
            #expect(report.failures.isEmpty)
            for seed in seeds { #expect(resources[seed]?.record.size == 36, "\(seed)") }
            #expect(resources["/br"]?.record.coding == "br")
            #expect(resources["/none"]?.record.coding == nil)
            #expect(origin.count(of: "/i.png") == 1)
        }
    }

    @Test func `received bytes count against the limits of bodies, whatever they decode to`() async throws {
        let bytes = try run("python3", "-c", "import gzip,sys; sys.stdout.buffer.write(gzip.compress(b'')*2000)")
        let coded = [("Content-Encoding", "gzip")]
        let chunks = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n0\r\n\r\n".utf8)
        let routes: [String: [Answer]] = [
            "/stated": [Answer(200, coded, body: bytes)],
            "/chunked": [Answer(200, coded + [("Transfer-Encoding", "chunked")], body: chunks)],
            "/fine": [.text("fine")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let seeds = ["/stated", "/chunked", "/fine"]
            let (resources, report) = try await crawl(origin, seeds: seeds) { $0.limits.bodyBytes = 1000 }
            #expect(Array(resources.keys) == ["/fine"])
            #expect(report.failures.map(\.reason) == [.tooLarge(limit: 1000), .tooLarge(limit: 1000)])
            let (some, _) = try await crawl(origin, seeds: seeds) { $0.limits.bytes = 50_000 }
            #expect(Array(some.keys) == ["/stated"])
        }
    }

    @Test func `a body that decompresses to too much is a failure`() async throws {
        let bytes = try run(
            "python3",
            "-c",
            "import gzip,sys; sys.stdout.buffer.write(gzip.compress(bytes(5000000), 9, mtime=0))"
        )
        let routes: [String: [Answer]] = ["/": [Answer(200, [("Content-Encoding", "gzip")], body: bytes)]]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin).report
            #expect(report.failures.map(\.reason) == [.expansion])
        }
    }

    @Test func `limits on bodies hold whether the length is declared or not`() async throws {
        let chunked = Answer(200, [("Transfer-Encoding", "chunked")], body: Array("5\r\nabcde\r\n0\r\n\r\n".utf8))
        let routes: [String: [Answer]] = ["/a": [.text("abcde")], "/b": [chunked], "/c": [.text("abcd")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin, seeds: ["/a", "/b", "/c"]) { $0.limits.bodyBytes = 4 }
            #expect(Array(resources.keys) == ["/c"])
            #expect(report.failures.map(\.reason) == [.tooLarge(limit: 4), .tooLarge(limit: 4)])
        }
    }

    @Test func `bodies of every size are the same before and after packing`() async throws {
        let text = Array(String(repeating: "all work and no play\n", count: 150_000).utf8)
        var state: UInt64 = 1
        let noise = (0..<3_000_000).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let bodies: [(path: String, type: String, body: [UInt8])] = [
            ("/text.txt", "text/plain", text), ("/noise.txt", "text/plain", noise),
            ("/noise.png", "image/png", noise.reversed()),
            ("/small.txt", "text/plain", Array(text.prefix(1000))), ("/one.txt", "text/plain", [0x78]),
            ("/empty.txt", "text/plain", []),
            ("/edge.txt", "text/plain", Array(text.prefix(BodyWriter.memoryLimit))),
        ]
        let routes = Dictionary(
            uniqueKeysWithValues: bodies.map { ($0.path, [Answer(200, [("Content-Type", $0.type)], body: $0.body)]) }
        )
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let now = now
                let seeds = try bodies.map { try WebURL(origin.base + $0.path) }
                let output = Packaging.Output(path: folder + "/out.zip", created: now, generator: "afcache/0.1.0")
                _ = try await Packaging.pack(CrawlOptions(seeds: seeds, now: { now }), fetching: .patient(), to: output)
                _ = try run("unzip", "-tqq", output.path)
                #expect(try run("ls", "-A", folder) == Array("out.zip\n".utf8))
                let folderInside = origin.base.dropFirst("http://".count).replacingOccurrences(of: ":", with: "+")
                for (path, _, body) in bodies {
                    #expect(try run("unzip", "-p", output.path, folderInside + path) == body, "\(path)")
                }
                let listing = String(decoding: try run("unzip", "-v", output.path), as: UTF8.self).split(
                    separator: "\n"
                )
                let deflated = listing.filter { $0.contains("Defl:") && $0.contains(".txt") }
                #expect(deflated.count == 3)
            }
        }
    }

    @Test func `robots.txt is obeyed, and requested once`() async throws {
        let routes: [String: [Answer]] = [
            "/robots.txt": [.redirect("/r2", status: 302)],
            "/r2": [.text("User-agent: *\nDisallow: /private\nAllow: /private/open\n")],
            "/": [.html("<a href=\"/private/a\">a</a><a href=\"/private/open\">b</a><img src=\"/private/i\">")],
            "/private/open": [.html("open")], "/private/a": [.html("a")], "/private/i": [.html("i")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(resources.keys) == ["/", "/private/open"])
            #expect(skips(report) == [.robots: 2])
            #expect(origin.targets.allSatisfy { $0 != "/private/a" && $0 != "/private/i" })
            #expect(origin.count(of: "/r2") == 1)
            let all = try await crawl(origin) { $0.ignoresRobots = true }
            #expect(Set(all.resources.keys) == ["/", "/private/open", "/private/a", "/private/i"])
            #expect(origin.count(of: "/robots.txt") == 1)
        }
    }

    @Test func `an origin whose robots.txt fails is skipped and reported`() async throws {
        let routes: [String: [Answer]] = ["/robots.txt": [Answer(503, [("Retry-After", "0")])], "/": [.html("x")]]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(resources.isEmpty)
            #expect(skips(report) == [.robotsUnavailable: 1])
            #expect(report.failures.map(\.url.path) == ["/robots.txt"])
            #expect(origin.count(of: "/") == 0)
        }
    }

    @Test func `a crawl delay makes requests sequential`() async throws {
        let routes: [String: [Answer]] = [
            "/robots.txt": [.text("User-agent: *\nCrawl-delay: 0.05")], "/a": [.html("")], "/b": [.html("")],
            "/c": [.html("")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let start = ContinuousClock.now
            let (resources, _) = try await crawl(origin, seeds: ["/a", "/b", "/c"])
            #expect(start.duration(to: .now) >= .milliseconds(100))
            #expect(origin.mostRunning == 1)
            #expect(resources.count == 3)
        }
    }

    @Test func `no more requests are under way than allowed`() async throws {
        var routes: [String: [Answer]] = [:]
        for number in 0..<20 {
            routes["/\(number)"] = [Answer(200, [], body: [0x78], delay: .milliseconds(100))]
        }
        let seeds = routes.keys.sorted()
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, _) = try await crawl(origin, seeds: seeds) { $0.politeness.connectionsPerHost = 3 }
            #expect((2...3).contains(origin.mostRunning))
            #expect(resources.count == 20)
        }
    }

    @Test func `limits on pages, depth and bytes give the same set each time`() async throws {
        var routes: [String: [Answer]] = [:]
        routes["/"] = [.html((0..<9).map { "<a href=\"/p\($0)\">x</a>" }.joined() + "<img src=\"/i\">")]
        routes["/i"] = [.text("img", type: "image/png")]
        for number in 0..<9 {
            var answer = Answer.html("<a href=\"/deep\(number)\">x</a>")
            answer.delay = .milliseconds(9 - number)
            routes["/p\(number)"] = [answer]
            routes["/deep\(number)"] = [.html("deep")]
        }
        try await TestOrigin.withOrigin(routes) { origin in
            for _ in 0..<3 {
                let pages = try await crawl(origin) { $0.limits[.pages] = 4 }
                #expect(Set(pages.resources.keys) == ["/", "/i", "/p0", "/p1", "/p2"])
                let depth = try await crawl(origin) { $0.scope.depth = 0 }
                #expect(Set(depth.resources.keys) == ["/", "/i"])
                #expect(skips(depth.report) == [.depth: 9])
                let first = try #require(depth.resources["/"]?.record.size)
                let bytes = try await crawl(origin) { $0.limits.bytes = first + 3 + 2 * 26 }
                #expect(Set(bytes.resources.keys) == ["/", "/p0", "/p1"])
                #expect(skips(bytes.report) == [.maxBytes: 10])
            }
        }
    }

    @Test func `bytes arrive no faster than the limit`() async throws {
        let body = Array(repeating: UInt8(ascii: "x"), count: 100_000)
        let routes = Dictionary(
            uniqueKeysWithValues: ["/a", "/b", "/c"].map { ($0, [Answer(200, [], body: body)]) }
        )
        try await TestOrigin.withOrigin(routes) { origin in
            var fetching = HTTPFetcher.Options.patient()
            fetching.bytesPerSecond = 400_000
            let now = now
            let seeds = try ["/a", "/b", "/c"].map { try WebURL(origin.base + $0) }
            let start = ContinuousClock.now
            let report = try await crawled(CrawlOptions(seeds: seeds, now: { now }), fetching: fetching).report
            #expect(report.bytes == 300_000)
            // A quarter of a second's bytes may come at once, so half a second is left.
            #expect(start.duration(to: .now) >= .milliseconds(490))
        }
    }

    @Test func `the user's fields are sent to the seeds' origins only, and not recorded`() async throws {
        let secret = HTTPField.Name("X-Token")
        try await TestOrigin.withOrigin(["/": [.text("x", type: "image/png")]]) { other in
            let page = Answer(
                200,
                [("Content-Type", "text/html"), ("Vary", "X-Token, User-Agent")],
                body: Array("<img src=\"\(other.base)/\">".utf8)
            )
            try await TestOrigin.withOrigin(["/": [page]]) { origin in
                let (resources, _) = try await crawl(origin) {
                    if let secret { $0.access.fields[secret] = "secret" }
                    $0.scope.takesForeignRequisites = true
                    $0.userAgent = "test/1"
                }
                #expect(origin.requests.allSatisfy { $0.fields.contains("X-Token: secret") })
                #expect(origin.requests.allSatisfy { $0.fields.contains { $0.lowercased() == "user-agent: test/1" } })
                #expect(other.count(of: "/") == 1)
                #expect(other.requests.allSatisfy { !$0.fields.contains("X-Token: secret") })
                #expect(resources["/"]?.record.requestFields.map(\.value) == ["test/1"])
            }
        }
    }

    @Test(
        arguments: [
            ("/a;b=c,d@e!$&'()*+:~-._", "/a;b=c,d@e!$&'()*+:~-._"), ("/a?q='x'&y=a+b/c?d", "/a?q=%27x%27&y=a+b/c?d"),
            ("/%7Ea%2F%c3", "/%7Ea%2F%c3"), ("//x//y", "//x//y"), ("/a?", "/a?"), ("/a?x=%C3%A4", "/a?x=%C3%A4"),
            // Where Foundation would encode percent signs again, or give up.
            ("/a|b%20c", "/a%7Cb%20c"), ("/a?x={y}|[z]^`%20", "/a?x={y}|[z]^`%20"), ("/a%zz%41", "/a%zz%41"),
            ("/%E4", "/%E4"), ("/[a]", "/[a]"), ("", "/"),
        ]
    ) func `a request's target is that of the URL`(path: String, expected: String) async throws {
        try await TestOrigin.withOrigin([:]) { origin in
            _ = try await crawl(origin, seeds: [path]) { $0.ignoresRobots = true }
            #expect(origin.targets == [expected])
            let host = origin.base.dropFirst("http://".count)
            #expect(origin.requests.first?.fields.filter { $0.lowercased().hasPrefix("host:") } == ["Host: \(host)"])
            #expect(origin.requests.first?.fields.count { $0.contains("afcache-request-target") } == 0)
        }
    }

    @Test func `an unreachable origin is a failure`() async throws {
        let nobody = try DeadPort()
        try await TestOrigin.withOrigin([:]) { origin in
            let (resources, report) = try await crawl(origin) { $0.seeds = [try WebURL(nobody.base + "/")] }
            #expect(resources.isEmpty)
            #expect(report.failures.map(\.reason) == [.refused])
            withExtendedLifetime(nobody) {}
        }
    }

    @Test func `cancelling ends the crawl and leaves a state to resume from`() async throws {
        let slow = Answer(200, [], body: [0x78], delay: .seconds(3600))
        try await TestOrigin.withOrigin(["/": [slow]]) { origin in
            try await withScratchFolder { folder in
                let (base, now) = (origin.base, now)
                let task = Task {
                    let options = CrawlOptions(seeds: [try WebURL(base + "/")], now: { now })
                    let output = Packaging.Output(path: folder + "/out.zip", created: now, generator: "afcache/0.1.0")
                    return try await Packaging.pack(options, fetching: .patient(), to: output).report
                }
                try await waitUntil("the origin is asked") { origin.count(of: "/") > 0 }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                let left = String(decoding: try run("ls", "-A", folder), as: UTF8.self)
                #expect(left.hasPrefix("out.zip.bodies\nout.zip.crawl\n"))
            }
        }
    }

    @Test func `two packs of an unchanged site are identical if the clock is pinned`() async throws {
        let page = Answer(
            200,
            [
                ("Content-Type", "text/html"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ("Cache-Control", "max-age=60"),
            ],
            body: Array("<img src=\"/i\">".utf8)
        )
        let image = Answer(200, [("Content-Type", "image/png"), ("Age", "1")], body: [1, 2, 3])
        try await TestOrigin.withOrigin(["/": [page], "/i": [image]]) { origin in
            try await withScratchFolder { folder in
                var bytes: [[UInt8]] = []
                for (index, date) in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:00 GMT"].enumerated() {
                    var later = page
                    later.fields[1].value = date
                    origin.set("/", later)
                    let time = Timestamp(secondsSinceEpoch: 1_000_000_000 + Int64(index))
                    var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { time })
                    options.pinnedTime = now
                    let path = folder + "/\(index).zip"
                    let output = Packaging.Output(path: path, created: now, generator: "afcache/0.1.0")
                    let packed = try await Packaging.pack(options, fetching: .patient(), to: output)
                    #expect(packed.summary?.resources == 2)
                    _ = try run("unzip", "-tqq", path)
                    let body = try run(
                        "python3",
                        "-c",
                        "import zipfile,sys; z=zipfile.ZipFile('\(path)'); "
                            + "sys.stdout.buffer.write(z.read([n for n in z.namelist() if n.endswith('/i')][0]))"
                    )
                    #expect(body == [1, 2, 3])
                    bytes.append(try run("cat", path))
                }
                #expect(bytes[0] == bytes[1])
            }
        }
    }
}
