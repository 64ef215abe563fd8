import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackageFile
import AFCPackager
import AFCURL
import Foundation
import TestOrigin
import Testing

/// What a whole crawl asks an origin for, counted by the origin.
struct PolitenessTests {
    private typealias Answer = TestOrigin.Answer

    /// Crawls an origin, and gives what was skipped by which rule.
    private func crawl(
        _ origin: TestOrigin,
        seeds: [String] = ["/"],
        _ change: (inout CrawlOptions) throws -> Void = { _ in }
    ) async throws -> CrawlReport {
        let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
        var options = CrawlOptions(
            seeds: try seeds.map { try WebURL($0.hasPrefix("/") ? origin.base + $0 : $0) },
            now: { now }
        )
        options.retries.backoff = .milliseconds(1)
        try change(&options)
        return try await crawled(options).report
    }

    private func page(_ links: [String]) -> Answer {
        .html(links.map { "<a href=\"\($0)\">x</a>" }.joined())
    }

    // MARK: robots.txt

    @Test func `robots.txt is the first request, and the only one for a site that forbids all`() async throws {
        try await TestOrigin.withOrigin([
            "/robots.txt": [.text("User-agent: *\nDisallow: /")], "/": [page(["/a"])],
        ]) { origin in
            let report = try await crawl(origin)
            #expect(origin.targets == ["/robots.txt"])
            #expect(skips(report) == [.robots: 1])
        }
    }

    @Test func `the group is chosen by the crawler's name`() async throws {
        let robots = """
            User-agent: *
            Disallow: /
            User-agent: afcache
            Disallow: /private
            User-agent: ReaderBot
            Disallow: /a
            """
        let routes = ["/robots.txt": [.text(robots)], "/": [page(["/a", "/private"])], "/a": [page([])]]
        try await TestOrigin.withOrigin(routes) { origin in
            _ = try await crawl(origin)
            #expect(Set(origin.targets) == ["/robots.txt", "/", "/a"])
        }
        try await TestOrigin.withOrigin(routes) { origin in
            _ = try await crawl(origin) { $0.userAgent = "readerbot/2 (+http://docs.example/)" }
            #expect(Set(origin.targets) == ["/robots.txt", "/", "/private"])
        }
    }

    @Test(
        arguments: [
            ("/a?utm=1", "Disallow: /*?", 0), ("/a?u=https%3A%2F%2Fdocs.example", "Disallow: /a?u=https://docs", 0),
            ("/a%7Eb", "Disallow: /a~b", 0), ("/a/*/b", "Disallow: /a/%2A/b", 0), ("/a$", "Disallow: /a$", 1),
            ("/a/b.gif", "Disallow: /a\nAllow: /a/*.gif$", 1),
        ]
    ) func `a rule that takes too long to compare forbids its URL`(
        target: String,
        lines: String,
        count: Int
    ) async throws {
        try await TestOrigin.withOrigin([
            "/robots.txt": [.text("User-agent: *\n" + lines)], "/": [page([target])], target: [page([])],
        ]) { origin in
            _ = try await crawl(origin)
            #expect(origin.count(of: target) == count)
            #expect(origin.count(of: "/") == 1)
        }
    }

    @Test func `a redirect to a URL that robots.txt forbids is recorded but not followed`() async throws {
        try await TestOrigin.withOrigin([
            "/robots.txt": [.text("User-agent: *\nDisallow: /private")], "/": [page(["/old"])],
            "/old": [.redirect("/private/new")], "/private/new": [page([])],
        ]) { origin in
            let report = try await crawl(origin)
            #expect(report.redirects == 1)
            #expect(origin.count(of: "/private/new") == 0)
            #expect(skips(report) == [.robots: 1])
        }
    }

    @Test func `each origin has its own robots.txt`() async throws {
        try await TestOrigin.withOrigin([
            "/robots.txt": [.text("User-agent: *\nDisallow: /b")], "/a": [page([])], "/b": [page([])],
        ]) { one in
            try await TestOrigin.withOrigin([
                "/robots.txt": [.text("User-agent: *\nDisallow: /a")], "/a": [page([])], "/b": [page([])],
            ]) { other in
                let seeds = ["/a", "/b", other.base + "/a", other.base + "/b"]
                let report = try await crawl(one, seeds: seeds)
                #expect(one.targets == ["/robots.txt", "/a"])
                #expect(other.targets == ["/robots.txt", "/b"])
                #expect(skips(report) == [.robots: 2])
            }
        }
    }

    // MARK: Refusals

    @Test(arguments: [429, 503]) func `a refused request is repeated once, and not again after an answer`(
        status: Int
    ) async throws {
        try await TestOrigin.withOrigin([
            "/": [page((0..<4).map { "/\($0)" })], "/0": [Answer(status, [("Retry-After", "0")]), page([])],
            "/1": [page([])], "/2": [page([])], "/3": [page([])],
        ]) { origin in
            let report = try await crawl(origin)
            #expect(report.failures.isEmpty)
            #expect(report.fetched == 5)
            #expect(origin.count(of: "/0") == 2)
            for target in ["/1", "/2", "/3"] { #expect(origin.count(of: target) == 1) }
        }
    }

    // MARK: Scope

    @Test func `a page's requisites and theirs are fetched from any host, but no links`() async throws {
        try await TestOrigin.withOrigin([
            "/s.css": [.text("@import \"t.css\";", type: "text/css")], "/t.css": [.text("", type: "text/css")],
            "/frame": [.html("<img src=\"/i.png\"><a href=\"/far\">x</a>")], "/i.png": [.text("i", type: "image/png")],
            "/far": [page([])],
        ]) { other in
            let html = """
                <link rel="stylesheet" href="\(other.base)/s.css"><iframe src="\(other.base)/frame"></iframe>
                <img src="/own.png"><a href="/near">x</a>
                """
            let routes: [String: [Answer]] = [
                "/": [.html(html)], "/own.png": [.text("o", type: "image/png")], "/near": [page([])],
            ]
            try await TestOrigin.withOrigin(routes) { origin in
                let report = try await crawl(origin) { $0.scope.extent = .page }
                #expect(Set(origin.targets) == ["/robots.txt", "/", "/own.png"])
                #expect(Set(other.targets) == ["/robots.txt", "/s.css", "/t.css", "/frame", "/i.png"])
                #expect(skips(report) == [.scope: 2])
            }
            try await TestOrigin.withOrigin(routes) { origin in
                let before = other.requests.count
                _ = try await crawl(origin) { ($0.scope.extent, $0.scope.takesForeignRequisites) = (.page, false) }
                #expect(Set(origin.targets) == ["/robots.txt", "/", "/own.png"])
                #expect(other.requests.count == before)
            }
        }
    }

    @Test func `URLs with other schemes, credentials or private addresses are never requested`() async throws {
        try await TestOrigin.withOrigin(["/": [page([])]]) { inner in
            let port = inner.base.split(separator: ":").last.map(String.init) ?? ""
            let targets = [
                "file:///etc/passwd", "ftp://docs.example/", "javascript:alert(1)",
                "http://user:secret@127.0.0.1:\(port)/",
                "http://localhost:\(port)/", "http://[::1]:\(port)/", "http://127.1.1.1:\(port)/",
                "http://0x7f.1.1.2:\(port)/",
            ]
            let html = targets.map { "<a href=\"\($0)\">x</a><img src=\"\($0)\"><iframe src=\"\($0)\"></iframe>" }
                .joined()
            try await TestOrigin.withOrigin(["/": [.html(html)]]) { origin in
                let report = try await crawl(origin) {
                    ($0.scope.extent, $0.scope.takesForeignRequisites) = (.any, true)
                }
                #expect(Set(origin.targets) == ["/robots.txt", "/"])
                #expect(inner.requests.isEmpty)
                #expect(report.failures.isEmpty)
                #expect(skips(report)[.privateAddress] == 4)
                #expect(skips(report)[.credentials] == 1)
            }
        }
    }
}
