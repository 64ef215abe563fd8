import AFCDiscovery
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler

/// Crawls with recipes that the user added.
struct RecipeCrawlTests {
    /// The example of docs/reference/recipes.md.
    private static let file = """
        {
          "version": 1,
          "recipes": [
            { "name": "viewer", "in": "script", "file": "app/viewer.js", "add": "catalogue.json" },
            { "name": "viewer", "in": "data", "file": "catalogue.json",
              "read": { "objects": "files.*" }, "where": { "kind": "picture" },
              "add": "pictures/{.name}", "as": "image" }
          ]
        }
        """

    private func options(_ seed: String, _ files: [String]) throws -> CrawlOptions {
        let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
        var options = CrawlOptions(seeds: [try WebURL(seed)], now: { now })
        for file in files { try options.recipes.add(Array(file.utf8)) }
        return options
    }

    @Test(arguments: [([], 2), ([file], 4)])
    func `a file of recipes finds what a kind of site loads`(files: [String], count: Int) async throws {
        let catalogue = #"{"files":[{"name":"a.png","kind":"picture"},{"name":"b","kind":"note"}]}"#
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<script src=app/viewer.js></script>")],
            "/app/viewer.js": [.text("load(name(1))", type: "text/javascript")],
            "/app/catalogue.json": [.text(catalogue, type: "application/json")],
            "/app/pictures/a.png": [.text("png", type: "image/png")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawled(try options(origin.base + "/", files))
            #expect(resources.count == count)
            #expect(report.outcome == .complete && report.failures.isEmpty)
        }
    }

    @Test(arguments: [["/a/", "/b/"], ["/b/", "/a/"]])
    func `a page and its script that two start folders lead to are read once`(seeds: [String]) async throws {
        let page = "<link rel=icon href=data:,>"
        let routes: [String: [TestOrigin.Answer]] = [
            "/a/": [.html(page + "<a href=/c/page>c</a>")], "/b/": [.html(page + "<a href=/c/page>c</a>")],
            "/c/page": [.html(page + "<script src=/s/app.js></script>")],
            "/s/app.js": [.text("fetch('d/x.json');fetch(r+'d/y.json')", type: "text/javascript")],
            "/c/d/x.json": [.text("1", type: "application/json")],
            "\(seeds[0])d/y.json": [.text("2", type: "application/json")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            var options = try options(origin.base + seeds[0], [])
            options.seeds = try seeds.map { try WebURL(origin.base + $0) }
            options.ignoresRobots = true
            let (resources, report) = try await crawled(options)
            // What stands after something unknown is tried against the first start folder.
            let expected = ["/a/", "/b/", "/c/page", "/s/app.js", "/c/d/x.json", "\(seeds[0])d/y.json"]
            #expect(resources.map(\.record.url.path).sorted() == expected.sorted())
            #expect(origin.targets.count == expected.count && report.absentGuesses == 0)
        }
    }

    @Test(arguments: ["/c/page", "/e/page"])
    func `data beside one of two pages that load a script is found`(page: String) async throws {
        let icon = "<link rel=icon href=data:,>"
        let script = [TestOrigin.Answer.html(icon + "<script src=/old.js></script>")]
        let folder = page.prefix { $0 != "p" }
        let (targets, report) = try await crawled([
            "/": [.html(icon + "<a href=/c/page>c</a><a href=/e/page>e</a>")], "/c/page": script, "/e/page": script,
            "/old.js": [.redirect("/s/app.js")],
            "/s/app.js": [.text("fetch('d/x.json')", type: "text/javascript")],
            "\(folder)d/x.json": [.text("1", type: "application/json")],
        ])
        #expect(targets.contains("\(folder)d/x.json") && report.failures.isEmpty)
        #expect(report.absentGuesses == (page == "/c/page" ? 0 : 1))
    }

    @Test func `the files of recipes are part of what a crawl depends on`() throws {
        let other = Self.file.replacing("viewer", with: "player")
        let digests = try [[], [Self.file], [other], [Self.file, other], [other, Self.file]].map { files in
            try options("http://d.example/", files).digest(generator: "test")
        }
        #expect(Set(digests).count == digests.count)
        #expect(try options("http://d.example/", [Self.file]).digest(generator: "test") == digests[1])
    }
}
