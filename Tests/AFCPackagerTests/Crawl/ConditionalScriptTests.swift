import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackager
import AFCURL
import TestOrigin
import Testing

/// Scripts that a site may never load, and pages that it may not have.
struct ConditionalScriptTests {
    private typealias Answer = TestOrigin.Answer

    private func script(_ text: String) -> [Answer] { [.text(text, type: "text/javascript")] }

    private let page = Answer.html("<link rel=icon href=data:,><script type=module src=a.js></script>")

    @Test func `a missing module of a dynamic import is no failure`() async throws {
        let (targets, report) = try await crawled(["/": [page], "/a.js": script("f(() => import('./b.js'))")])
        #expect(targets.contains("/b.js"))
        #expect(report.outcome == .complete && report.failures == [])
        #expect(report.absentGuesses == 1)
    }

    @Test func `one that exists is fetched with what it imports, for which it is as necessary as any`() async throws {
        let (targets, report) = try await crawled([
            "/": [page], "/a.js": script("f(() => import('./b.js'))"),
            "/b.js": script("import './c.js';import './d.js'"),
            "/c.js": script("1"),
        ])
        #expect(targets.contains("/c.js"))
        #expect(report.failures.map(\.url.path) == ["/d.js"])
        #expect(report.failures.map(\.importance) == [.requisite])
    }

    @Test(arguments: [
        ("import './b.js';f(() => import('./b.js'))", "f()"), ("f(() => import('./b.js'));import './b.js'", "f()"),
        (
            "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[\"b.js\"])))=>i.map(i=>d[i]);f(()=>import('./b.js'))",
            "f()"
        ),
    ])
    func `a module that is imported statically, or that a table names, is certain`(first: String, other: String)
        async throws
    {
        let (_, report) = try await crawled(["/": [page], "/a.js": script(first), "/c.js": script(other)])
        #expect(report.failures.map(\.importance) == [.requisite])
        #expect(report.absentGuesses == 0)
    }

    /// A script that may import twenty modules of a folder, as a library of a generator does.
    private static let library = (0..<20).map { "f\($0)(() => import('../lib/m\($0)/x.js'))" }.joined(separator: ";")

    static let libraries: [(Set<Int>, Int)] = [
        ([], 4), ([0, 1, 2], 17), ([0, 1], 7), ([1], 4), ([4], 4), (Set(0..<10), 10),
    ]

    @Test(arguments: libraries)
    func `a site that lacks four of a folder's modules and most of the first isn't asked for the others`(
        existing: Set<Int>,
        absent: Int
    ) async throws {
        var routes = ["/": [page], "/a.js": script(Self.library)]
        for number in existing { routes["/lib/m\(number)/x.js"] = script("1") }
        let (targets, report) = try await crawled(routes)
        #expect(report.absentGuesses == absent && report.outcome == .complete)
        #expect(targets.filter { $0.hasPrefix("/lib/") }.count == absent + existing.count { $0 < absent })
    }

    @Test func `of the library of Observable Framework, a crawl takes what the pages preload`() async throws {
        let page = Answer.html(
            "<link rel=icon href=data:,><link rel=modulepreload href=/_npm/d3.js><script type=module src=/_observablehq/client.js></script>"
        )
        let (targets, report) = try await crawled([
            "/": [page], "/_npm/d3.js": script("1"), "/_npm/lodash.js": script("1"),
            "/_observablehq/client.js": script("f(() => import('../_npm/d3.js'), () => import('../_npm/lodash.js'))"),
        ])
        #expect(targets.contains("/_npm/d3.js") && !targets.contains("/_npm/lodash.js"))
        #expect(report.outcome == .complete && report.failures.isEmpty)
    }

    @Test func `a module that another script imports statically is fetched although its kind was given up`()
        async throws
    {
        let two = Answer.html(
            "<link rel=icon href=data:,><script type=module src=a.js></script><script type=module src=z/b.js></script>"
        )
        let (targets, report) = try await crawled([
            "/": [two], "/a.js": script(Self.library), "/z/b.js": script("import './c.js'"),
            "/z/c.js": script("import './d.js'"), "/z/d.js": script("import '../lib/m9/x.js'; import '../lib/m1/x.js'"),
            "/lib/m9/x.js": script("import './y.js'"), "/lib/m9/y.js": script("1"),
        ])
        #expect(targets.contains("/lib/m9/x.js") && targets.contains("/lib/m9/y.js"))
        #expect(targets.filter { $0.hasPrefix("/lib/") }.count <= 9)
        let skipped = report.skipped.filter { $0.rule == .unlikelyGuess }.flatMap(\.examples)
        #expect(!skipped.contains { $0.path == "/lib/m9/x.js" })
    }

    @Test func `a module that a page preloads is certain`() async throws {
        let preload = Answer.html(
            "<link rel=icon href=data:,><link rel=modulepreload href=b.js><script type=module src=a.js></script>"
        )
        let (_, report) = try await crawled(["/": [preload], "/a.js": script("import('./b.js')")])
        #expect(report.failures.map(\.importance) == [.requisite])
    }

    @Test func `an error that may pass is tried again, and is a failure`() async throws {
        let (targets, report) = try await crawled([
            "/": [page], "/a.js": script("import('./b.js')"), "/b.js": [Answer(500)],
        ])
        #expect(targets.filter { $0 == "/b.js" }.count > 1)
        #expect(report.failures.map(\.importance) == [.requisite])
    }

    @Test func `thousands of modules are all fetched`() async throws {
        let names = (0..<3_000).map { "import('./c/\($0).js')" }
        var routes: [String: [Answer]] = ["/": [page], "/a.js": script(names.joined(separator: ";"))]
        for number in 0..<3_000 { routes["/c/\(number).js"] = script("1") }
        let (targets, report) = try await crawled(routes)
        #expect(Set(targets).count == 3_002)
        #expect(report.outcome == .complete)
    }

    @Test func `the choices of a menu are pages like links, and may be missing`() async throws {
        let menu = Answer.html(
            "<link rel=icon href=data:,><select onchange='location=value'><option value=v1/><option value=v2/></select>"
        )
        let old = Answer.html("<link rel=icon href=data:,><a href=x.html>x</a>")
        let routes: [String: [Answer]] = ["/": [menu], "/v1/": [old], "/v1/x.html": [old], "/v1/x.html/x.html": [old]]
        let (targets, report) = try await crawled(routes)
        #expect(Set(targets) == ["/", "/v1/", "/v2/", "/v1/x.html"])
        #expect(report.outcome == .complete && report.absentGuesses == 1)
        let (none, _) = try await crawled(routes) { $0.scope.depth = 0 }
        #expect(none == ["/"])
        let (one, _) = try await crawled(routes) { $0.scope.depth = 1 }
        #expect(Set(one) == ["/", "/v1/", "/v2/"])
        let (page, _) = try await crawled(routes) { $0.scope.extent = .page }
        #expect(page == ["/"])
    }

    @Test func `the page of a search form is fetched without a query`() async throws {
        let (targets, report) = try await crawled([
            "/": [.html("<link rel=icon href=data:,><form action='./search.html?x=1'><input name=q></form>")],
            "/search.html": [.html("<link rel=icon href=data:,>results")],
        ])
        #expect(targets == ["/", "/search.html"])
        #expect(report.outcome == .complete)
    }
}
