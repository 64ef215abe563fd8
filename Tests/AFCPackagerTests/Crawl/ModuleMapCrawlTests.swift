import AFCCrawlRules
import AFCHTTP
import AFCURL
import TestOrigin
import Testing

@testable import AFCCrawler

/// Modules in files that import names, which only the import map of a page resolves.
struct ModuleMapCrawlTests {
    private typealias Answer = TestOrigin.Answer

    private func page(_ script: String, map: String) -> [Answer] {
        [
            .html(
                "<link rel=icon href=data:,><script type=importmap>\(map)</script>"
                    + "<script type=module src=\(script)></script>"
            )
        ]
    }

    private func script(_ text: String) -> [Answer] { [.text(text, type: "text/javascript")] }

    private static let map = #"{"imports": {"three": "./three.js", "three/addons/": "./jsm/"}}"#

    private func crawl(_ routes: [String: [Answer]]) async throws -> (targets: [String], report: CrawlReport) {
        try await TestOrigin.withOrigin(routes) { origin in
            let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
            let options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
            let report = try await crawled(options).report
            return (origin.targets, report)
        }
    }

    @Test func `names lead to modules, also from modules that these import`() async throws {
        let routes: [String: [Answer]] = [
            "/": page("js/app.js", map: Self.map),
            "/js/app.js": script("import * as T from 'three'; import 'three/addons/orbit.js'; import './part.js'"),
            "/js/part.js": script("import 'three/addons/late/fx.js'"), "/three.js": script("1"),
            "/jsm/orbit.js": script("import 'three'; import './math.js'; import 'three/addons/pass.js'"),
            "/jsm/math.js": script("1"), "/jsm/pass.js": script("1"), "/jsm/late/fx.js": script("1"),
        ]
        let (targets, report) = try await crawl(routes)
        #expect(Set(targets).isSuperset(of: routes.keys))
        #expect(report.outcome == .complete && report.failures.isEmpty && report.absentGuesses == 0)
    }

    @Test func `modules of SystemJS are found, also through an import map in a file`() async throws {
        let page = """
            <link rel=icon href=data:,><script type=systemjs-importmap src=src/import-map.json></script>
            <script>System.import('./index.js')</script>
            """
        let routes: [String: [Answer]] = [
            "/": [.html(page)],
            "/src/import-map.json": [.text(#"{"imports":{"cc":"./../lib/cc.js"}}"#, type: "application/json")],
            "/index.js": script("System.register(['./app.js', 'cc'], function (e, c) { return { execute() {} } })"),
            "/app.js": script("System.register(['./parts/a.js'],(function(){}))"), "/parts/a.js": script("1"),
            "/lib/cc.js": script("1"),
        ]
        let (targets, report) = try await crawl(routes)
        #expect(Set(targets).isSuperset(of: routes.keys))
        #expect(report.outcome == .complete && report.failures.isEmpty)
    }

    @Test func `a module that a name certainly means is missed, and one of a dynamic import isn't`() async throws {
        let (_, report) = try await crawl([
            "/": page("a.js", map: Self.map), "/three.js": script("1"),
            "/a.js": script("import 'three/addons/a.js'; f(() => import('three/addons/b.js'))"),
        ])
        #expect(report.failures.map(\.url.path) == ["/jsm/a.js"])
        #expect(report.failures.map(\.importance) == [.requisite] && report.absentGuesses == 1)
    }

    @Test(arguments: [
        (
            #"<script data-main="js/main" src="lib/require.js"></script>"#,
            "require.config({paths: {lib: '../lib', 'vendor/x': 'old/x'}, deps: ['app']})",
            ["/js/app.js", "/js/views/one.js", "/js/models/two.js", "/lib/util.js", "/js/old/x.js", "/js/t/one.html"]
        ),
        (
            #"<script src="lib/require.js"></script><script>require.config({baseUrl: 'js', packages: [{name: 'lib', location: '../lib', main: 'util'}]}); require(['app'])</script>"#,
            "",
            [
                "/js/app.js", "/js/views/one.js", "/js/models/two.js", "/lib/util.js", "/js/vendor/x.js",
                "/js/t/one.html",
            ]
        ),
        (
            #"<script data-main="js/main" src="lib/require.js"></script>"#,
            "requirejs.config({baseUrl: 'js/', paths: {lib: '../lib', 'vendor/x': '/js/old/x'}}); require(['app'])",
            ["/js/app.js", "/js/views/one.js", "/js/models/two.js", "/lib/util.js", "/js/old/x.js", "/js/t/one.html"]
        ),
    ])
    func `names for an AMD loader have the addresses that its page, or its main script, configures`(
        page: String,
        main: String,
        expected: [String]
    ) async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<link rel=icon href=data:,>" + page)], "/lib/require.js": script("1"),
            "/js/main.js": script(main), "/js/app.js": script("define(['views/one', 'require', 'lib/util'], f)"),
            "/js/views/one.js": script("define(['models/two', 'text!t/one.html', 'vendor/x'], f)"),
            "/js/models/two.js": script("1"), "/lib/util.js": script("1"), "/js/old/x.js": script("1"),
            "/js/vendor/x.js": script("1"), "/js/t/one.html": [.html("<p>one")],
        ]
        let (targets, report) = try await crawl(routes)
        #expect(Set(targets).isSuperset(of: expected), "\(targets)")
        #expect(report.failures.isEmpty)
    }

    @Test func `without a map, or in another page's module, a name means nothing`() async throws {
        let (targets, report) = try await crawl([
            "/": [.html("<link rel=icon href=data:,><a href=/b>b</a><script type=module src=a.js></script>")],
            "/a.js": script("import 'three/addons/a.js'"), "/b": page("c.js", map: Self.map),
            "/c.js": script("import 'three/addons/c.js'"), "/jsm/c.js": script("1"), "/three.js": script("1"),
        ])
        #expect(targets.contains("/jsm/c.js") && !targets.contains("/jsm/a.js"))
        #expect(report.failures.isEmpty)
    }
}
