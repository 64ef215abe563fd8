import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler

/// Guesses of which a site has either all or none.
struct GuessTrialsTests {
    private typealias Answer = TestOrigin.Answer

    private func crawl(
        _ origin: TestOrigin,
        from seed: String = "/",
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> (resources: Set<String>, report: CrawlReport) {
        let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
        var options = CrawlOptions(seeds: [try WebURL(origin.base + seed)], now: { now })
        change(&options)
        let (resources, report) = try await crawled(options)
        return (Set(resources.map { String($0.record.url.description.dropFirst(origin.base.count)) }), report)
    }

    private static let flight = "<script>(self.__next_f=self.__next_f||[]).push([0])</script>"

    /// A site of Next.js with many pages.
    private static func site(data: Bool, tree: Bool) -> [String: [Answer]] {
        var routes: [String: [Answer]] = [:]
        let links = (0..<20).map { "<a href=/p\($0)>p</a>" }.joined()
        routes["/"] = [.html(flight + links)]
        for number in 0..<20 { routes["/p\(number)"] = [.html(flight)] }
        for page in ["/index"] + (0..<20).map({ "/p\($0)" }) {
            let folder = page == "/index" ? "" : page
            if data { routes[page + ".txt"] = [.text("1:x", type: "text/plain")] }
            guard tree else { continue }
            let text = #"0:{"tree":{"name":"","slots":{"children":{"name":"__PAGE__","slots":null}}}}"#
            routes[folder + "/__next._tree.txt"] = [.text(text, type: "text/plain")]
            for name in ["__PAGE__", "_index", "_head"] {
                routes[folder + "/__next.\(name).txt"] = [.text("1:x", type: "text/plain")]
            }
        }
        return routes
    }

    @Test(arguments: [(false, false, 4), (true, false, 2), (true, true, 0)])
    func `data beside pages is requested everywhere once it exists somewhere`(
        data: Bool,
        tree: Bool,
        absent: Int
    ) async throws {
        let routes = Self.site(data: data, tree: tree)
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(resources == Set(routes.keys))
            #expect(report.absentGuesses == absent)
            #expect(report.outcome == .complete && report.failures.isEmpty)
            let skipped = report.skipped.filter { $0.rule == .unlikelyGuess }.map(\.count)
            #expect(skipped == (data && tree ? [] : [data ? 19 : 38]))
        }
    }

    @Test func `a site that answers everything with a page has no data beside pages`() async throws {
        var routes = Self.site(data: false, tree: false)
        for page in ["/index"] + (0..<20).map({ "/p\($0)" }) { routes[page + ".txt"] = [.html("<!doctype html><p>x")] }
        try await TestOrigin.withOrigin(routes) { origin in
            _ = try await crawl(origin)
            #expect(origin.targets.filter { $0.hasSuffix(".txt") && !$0.contains("robots") }.count == 4)
        }
    }

    /// The routes of an application, of which only some exist.
    private static let script = """
        const r=[{path:"/a",component:A},{path:"/b",component:B},{path:"/c",component:C},{path:"/d",component:D}]
        """

    @Test(arguments: [
        ([], ["/a", "/b"]), (["/a", "/b", "/c", "/d"], ["/a", "/b", "/c", "/d"]), (["/b"], ["/a", "/b", "/c", "/d"]),
    ])
    func `routes are tried until two are missing`(pages: [String], requested: [String]) async throws {
        var routes: [String: [Answer]] = [
            "/": [.html("<script src=/js/app.js></script>")],
            "/js/app.js": [.text(Self.script, type: "text/javascript")],
            "/e": [.html("e")],
        ]
        for page in pages { routes[page] = [.html("<a href=/e>e</a>")] }
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(Set(origin.targets).intersection(["/a", "/b", "/c", "/d"]) == Set(requested))
            #expect(resources.contains("/e") != pages.isEmpty)
            #expect(report.outcome == .complete && report.failures.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a redirect that adds a slash to a route is no page and no gap`(areThere: Bool) async throws {
        var routes: [String: [Answer]] = [
            "/": [.html("<script src=/js/app.js></script>")],
            "/js/app.js": [.text(Self.script, type: "text/javascript")],
        ]
        for page in ["/a", "/b", "/c", "/d"] {
            routes[page] = [.redirect(page + "/")]
            if areThere { routes[page + "/"] = [.html(page)] }
        }
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            let pages: Set = ["/a/", "/b/", "/c/", "/d/"]
            #expect(resources.intersection(pages) == (areThere ? pages : []))
            #expect(report.absentGuesses == (areThere ? 0 : 2) && report.outcome == .complete)
        }
    }

    @Test(arguments: [
        (["/docs/a.pdf", "/docs/b.pdf", "/v/c.rom"], 0), (["/docs/a.pdf", "/docs/b.pdf"], 1), ([], 2),
    ])
    func `files that queries name are tried until two are missing`(files: [String], absent: Int) async throws {
        let names = ["../docs/a.pdf", "..%2Fdocs%2Fb.pdf", "c.rom", "/docs/d.html"]
        var routes: [String: [Answer]] = [
            "/": [.html(names.map { "<a href='/v/view.html?x=1&amp;file=\($0)'>v</a>" }.joined())],
            "/js/view.js": [.text("show()", type: "text/javascript")],
        ]
        for name in names { routes["/v/view.html?x=1&file=\(name)"] = [.html("<script src=/js/view.js></script>")] }
        for file in files { routes[file] = [.text(file, type: "application/octet-stream")] }
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(resources == Set(routes.keys))
            #expect(report.absentGuesses == absent && report.outcome == .complete)
        }
    }

    @Test(arguments: [(["en-US"], 2), (["en-US", "a", "b", "c", "d"], 0)])
    func `translations of a viewer are tried besides English`(languages: [String], absent: Int) async throws {
        let names = ["a", "b", "c", "d", "en-US"]
        let list = names.map { "\"\($0.lowercased())\":\"\($0)/viewer.ftl\"" }.joined(separator: ",")
        var routes: [String: [Answer]] = [
            "/": [.html("<link rel=resource type=application/l10n href=locale/locale.json>")],
            "/locale/locale.json": [.text("{\(list)}", type: "application/json")],
        ]
        for name in languages { routes["/locale/\(name)/viewer.ftl"] = [.text("a = b", type: "text/plain")] }
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawl(origin)
            #expect(resources == Set(routes.keys) && report.absentGuesses == absent)
        }
    }

    @Test func `routes obey the scope, the depth and the page limit`() async throws {
        var routes: [String: [Answer]] = [
            "/x/": [.html("<script src=/js/app.js></script>")],
            "/js/app.js": [.text(Self.script, type: "text/javascript")],
        ]
        for page in ["/a", "/b", "/c", "/d"] { routes[page] = [.html(page)] }
        try await TestOrigin.withOrigin(routes) { origin in
            let prefix = try await crawl(origin, from: "/x/") { $0.scope.extent = .prefix }.resources
            #expect(prefix == ["/x/", "/js/app.js"])
            let flat = try await crawl(origin, from: "/x/") { $0.scope.depth = 0 }.resources
            #expect(flat == ["/x/", "/js/app.js"])
            let deep = try await crawl(origin, from: "/x/") { $0.scope.depth = 1 }.resources
            #expect(deep == ["/x/", "/js/app.js", "/a", "/b", "/c", "/d"])
            let few = try await crawl(origin, from: "/x/") { $0.limits[.pages] = 3 }.resources
            #expect(few.count == 4)
        }
    }
}
