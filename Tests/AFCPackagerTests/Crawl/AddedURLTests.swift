import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// URLs that a crawl requests besides what its pages refer to.
struct AddedURLTests {
    private typealias Answer = TestOrigin.Answer
    private static let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    private static var site: [String: [Answer]] {
        [
            "/docs/": [.html("<link rel=icon href=data:,><a href=a>a</a>")], "/docs/a": [.html("a")],
            "/docs/new": [.html("<link rel=icon href=data:,><img src=i.png><a href=next>n</a>")],
            "/docs/i.png": [.text("i", type: "image/png")], "/docs/next": [.html("next")],
            "/docs/data.json": [.text("{}", type: "application/json")], "/other/page": [.html("other")],
            "/docs/broken": [Answer(500)], "/robots.txt": [.text("User-agent: *\nDisallow: /docs/secret\n")],
            "/docs/secret": [.html("secret")],
        ]
    }

    private static func crawl(
        _ added: [(String, Bool)],
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> (paths: Set<String>, targets: [String], report: CrawlReport) {
        try await TestOrigin.withOrigin(site) { origin in
            let now = now
            var options = CrawlOptions(seeds: [try WebURL(origin.base + "/docs/")], now: { now })
            options.added = try added.map { CrawlOptions.AddedURL(try WebURL(origin.base + $0.0), isPage: $0.1) }
            options.retries.retries = 0
            change(&options)
            let (resources, report) = try await crawled(options)
            return (Set(resources.map(\.record.url.path)), origin.targets, report)
        }
    }

    @Test func `they are requested last, with what they refer to, and one that fails is no failure`() async throws {
        let found = try await Self.crawl([
            ("/docs/new", true), ("/docs/data.json", false), ("/docs/none", true), ("/docs/none.json", false),
            ("/docs/secret", true), ("/docs/a", true),
        ])
        #expect(found.paths == ["/docs/", "/docs/a", "/docs/new", "/docs/i.png", "/docs/next", "/docs/data.json"])
        #expect(found.targets.prefix(3) == ["/robots.txt", "/docs/", "/docs/a"])
        #expect(found.targets.filter { $0 == "/docs/a" }.count == 1)
        #expect(found.report.failures.isEmpty && found.report.absentGuesses == 2)
        #expect(found.report.outcome == .complete && skips(found.report) == [.robots: 1])
    }

    @Test func `another failure has the importance of a guess`() async throws {
        let found = try await Self.crawl([("/docs/broken", true)])
        #expect(found.report.failures.map(\.importance) == [.guess])
    }

    @Test func `scope, patterns and limits hold`() async throws {
        let folder = try await Self.crawl([("/other/page", true), ("/docs/new", true)]) { $0.scope.extent = .prefix }
        #expect(folder.paths.contains("/docs/new") && !folder.targets.contains("/other/page"))
        let pages = try await Self.crawl([("/docs/new", true)]) { $0.limits[.pages] = 2 }
        #expect(!pages.targets.contains("/docs/new"))
        let depth = try await Self.crawl([("/docs/new", true)]) { $0.scope.depth = 0 }
        #expect(depth.paths == ["/docs/", "/docs/new", "/docs/i.png"])
        let excluded = try await Self.crawl([("/docs/new", true)]) { options in
            options.scope.exclude = [try? URLPattern("*/new")].compactMap(\.self)
        }
        #expect(!excluded.targets.contains("/docs/new"))
    }

    @Test func `the list is part of the options that decide what is requested`() throws {
        let now = Self.now
        var options = CrawlOptions(seeds: [try WebURL("http://d.example/")], now: { now })
        let digest = options.digest(generator: "test")
        options.added = [CrawlOptions.AddedURL(try WebURL("http://d.example/a"), isPage: true)]
        #expect(options.digest(generator: "test") != digest)
    }
}
