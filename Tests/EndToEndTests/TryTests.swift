import AFCText
import Foundation
import TestOrigin
import TestSupport
import Testing

/// `afcache try` and `pack --try`; scripts/test-try has a site for each kind of fault.
@Suite(.serialized)
struct TryTests {
    private static let site: [String: [TestOrigin.Answer]] = [
        "/": [.html("<title>Shop</title><p>Welcome<a href=/lamps>Lamps</a><script src=/app.js></script>")],
        "/lamps": [.html("<title>Lamps</title><p>All lamps<script>document.title = shop</script>")],
        "/app.js": [.text("var shop = 'Shop'", type: "text/javascript")],
        "/favicon.ico": [.text("x", type: "image/png")],
    ]

    private func pack(_ origin: TestOrigin, _ scratch: Scratch, _ options: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, ["pack", origin.base + "/", "-o", scratch.path("p.zip")] + options)
    }

    @Test func `a package is tried without a network, and what is missing is listed`() async throws {
        var site = Self.site
        site["/lamps"] = [.html("<title>Lamps</title><p>All lamps<script src=/more.js></script>")]
        site["/more.js"] = [.text("1", type: "text/javascript")]
        try await TestOrigin.withOrigin(site) { [site] origin in
            let scratch = try Scratch()
            #expect(try pack(origin, scratch).status == 0)
            let requests = origin.requests.count
            let whole = try Program.run(Program.afcache, ["try", scratch.path("p.zip")])
            #expect(whole.status == 0, "\(whole.text)\(whole.errors)")
            #expect(whole.text.hasSuffix("p.zip' works offline: 2 pages and 1 link\n"), "\(whole.text)")
            #expect(site.count == 5)
            #expect(try pack(origin, scratch, "--exclude", "*/more.js").status == 0)
            let list = scratch.path("missing.txt")
            let words = ["try", scratch.path("p.zip"), "--missing", list, "--junit", scratch.path("x.xml")]
            let broken = try Program.run(Program.afcache, words)
            #expect(broken.status == 1, "\(broken.errors)")
            #expect(broken.text.contains("doesn't work offline: 1 fault\nmissing script: \(origin.base)/more.js\n"))
            #expect(try scratch.read("missing.txt") == Array("\(origin.base)/more.js\n".utf8))
            #expect(String(decoding: try scratch.read("x.xml"), as: UTF8.self).contains("failures=\"1\""))
            #expect(origin.requests.dropFirst(requests).allSatisfy { !$0.fields.contains { $0.contains("Chrom") } })
        }
    }

    @Test func `a crawl can try its package, and compare it with the live site`() async throws {
        try await TestOrigin.withOrigin(Self.site) { origin in
            let scratch = try Scratch()
            let result = try pack(origin, scratch, "--try")
            // The page of the link names a variable that only the start page has.
            #expect(result.status == 5, "\(result.errors)")
            #expect(result.text.contains("uncaught exception: ReferenceError: shop is not defined"), "\(result.text)")
            let words = ["try", scratch.path("p.zip"), "--against", origin.base, "--json"]
            let live = try Program.run(Program.afcache, words)
            #expect(live.status == 0, "\(live.text)\(live.errors)")
            let report = try JSONValue(parsing: Array(live.text.utf8))
            #expect(report["hints"]?.array?.map { $0["kind"] } == [.string("console")])
            #expect(report["pages"]?.array?.map { $0["missingWords"] } == [.number("0.000"), .number("0.000")])
            #expect(report["pages"]?.array?.map { $0["differentPixels"] } == [.number("0.000"), .number("0.000")])
        }
    }

    @Test(
        arguments: [
            (["try", "/nonexistent.zip"], 11, "/nonexistent.zip"),
            (["try", "README.md"], 10, "README.md"),
            (["try", "x.zip", "--pages", "101"], 64, "'--pages' must be between 0 and 100"),
            (["try", "x.zip", "--render-timeout", "0"], 64, "'--render-timeout' must be greater than zero"),
            (["try", "x.zip", "--html", "/nonexistent/x.html"], 11, "/nonexistent"),
            (["pack", "http://d.example/", "--try", "-o", "-"], 64, "name a file with '-o'"),
            (["pack", "http://d.example/", "--try", "--encrypt"], 64, "an encrypted package can't be tried"),
            (["pack", "http://d.example/", "--try", "--dry-run"], 64, "writes no package to try"),
            (
                ["pack", "http://d.example/", "--try", "--browser", "no-such-browser"], 11,
                "no browser 'no-such-browser'"
            ),
            (["pack", "http://d.example/", "--render-timeout", "1s"], 64, "needs '--render' or '--try'"),
        ] as [([String], Int32, String)]
    )
    func `what can't be tried is refused`(arguments: [String], status: Int32, words: String) throws {
        let result = try Program.run(Program.afcache, arguments)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.text.isEmpty)
    }
}
