import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// What a crawl records of origins' preferences about the use of their resources.
struct UsageCrawlTests {
    private typealias Answer = TestOrigin.Answer

    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    private func page(_ text: String, _ fields: [(name: String, value: String)] = []) -> Answer {
        Answer(
            200,
            [("Content-Type", "text/html"), ("ETag", "\"\(text.utf8.count)\"")] + fields,
            body: Array(text.utf8)
        )
    }

    private var routes: [String: [Answer]] {
        let large = "<meta name=robots content=noai>" + String(repeating: "<p>large</p>", count: 400_000)
        return [
            "/robots.txt": [
                .text(
                    "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /open/ train-ai=y\n",
                    type: "text/plain"
                )
            ],
            "/": [
                page(
                    """
                    <meta name=robots content="noai, noimageai"><a href="/open/a">a</a><a href="/field">f</a>\
                    <a href="/large">l</a><a href="/r">r</a><img src="/i.png">
                    """
                )
            ],
            "/open/a": [page("a")], "/field": [page("f", [("Content-Usage", "ai-input=n"), ("X-Robots-Tag", "noai")])],
            "/large": [page(large)], "/r": [.redirect("/open/a")],
            "/i.png": [.text("<meta name=robots content=noai>", type: "image/png")],
        ]
    }

    private func options(_ origin: TestOrigin) throws -> CrawlOptions {
        let now = now
        var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
        options.retries.retries = 0
        return options
    }

    @Test func `robots.txt, fields and meta elements are recorded with each resource`() async throws {
        try await TestOrigin.withOrigin(routes) { origin in
            let (resources, report) = try await crawled(try options(origin))
            var usages: [String: StatedUsage] = [:]
            for resource in resources { usages[resource.record.url.path] = resource.record.statedUsage }
            let site = "ai-train=n, search=y"
            #expect(usages["/"]?.robots.text == site && usages["/"]?.page.text == "noai, noimageai")
            #expect(usages["/open/a"]?.combined.text == "ai-train=n, search=y, train-ai=y")
            #expect(usages["/field"]?.fields.text == "ai-input=n, noai" && usages["/field"]?.robots.text == site)
            #expect(usages["/large"]?.page.text == "noai")
            #expect(usages["/i.png"]?.combined.text == site)
            #expect(usages["/r"]?.robots.isEmpty ?? false)
            let counts = report.disallowedUsages.sorted.map { "\($0.key) \($0.share.count)" }
            #expect(counts == ["ai-input 1", "ai-train 5", "noai 3", "noimageai 1"])
            let (text, page) = (
                String(decoding: report.json(), as: UTF8.self), String(decoding: report.html(), as: UTF8.self)
            )
            #expect(text.contains(#""disallowedUsages": ["#) && text.contains(#"{"usage":"ai-train","count":5}"#))
            #expect(page.contains("Disallowed by origins"))
        }
    }

    @Test func `a crawl that ignores robots.txt records only what responses say`() async throws {
        try await TestOrigin.withOrigin(routes) { origin in
            var options = try options(origin)
            options.ignoresRobots = true
            let resources = try await crawled(options).resources
            #expect(resources.allSatisfy { $0.record.robotsUsage.isEmpty })
            #expect(resources.contains { $0.record.pageUsage.text == "noai, noimageai" })
        }
    }

    private func pack(_ origin: TestOrigin, to path: String, updating older: String? = nil) async throws -> CrawlReport
    {
        var options = try options(origin)
        options.updates = older
        let output = Packaging.Output(path: path, created: now, generator: "test")
        return try await Packaging.pack(options, fetching: .patient(), to: output).report
    }

    private func usage(_ path: String, of package: String) throws -> StatedUsage {
        let reader = try PackageReader(path: package)
        return try #require(reader.index.resources.first { $0.url.path == path }?.record?.statedUsage)
    }

    @Test func `an update records what robots.txt says now, and keeps a package if nothing has changed`() async throws {
        try await TestOrigin.withOrigin(routes) { origin in
            try await withScratchFolder { folder in
                let path = folder + "/a.zip"
                _ = try await pack(origin, to: path)
                #expect(try usage("/", of: path).combined.text == "ai-train=n, noai, noimageai, search=y")
                let before = try OpenFile.State(path: path)
                #expect(try await pack(origin, to: path, updating: path).isUnchanged)
                #expect(try OpenFile.State(path: path) == before)
                // Only the preferences change; the bodies are confirmed by their tags, and copied.
                origin.set("/robots.txt", .text("User-agent: *\nContent-Signal: ai-input=no\n", type: "text/plain"))
                let report = try await pack(origin, to: path, updating: path)
                #expect(!report.isUnchanged && report.changes?[.changed]?.count == 0)
                #expect(try usage("/", of: path).combined.text == "ai-input=n, noai, noimageai")
                #expect(try usage("/large", of: path).combined.text == "ai-input=n, noai")
            }
        }
    }
}
