import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackageFile
import AFCPackager
import AFCURL
import TestOrigin
import Testing

/// Rules that the user asks for, by what a whole crawl asks an origin for.
struct RuleCrawlTests {
    private typealias Answer = TestOrigin.Answer

    /// Crawls an origin without asking for its robots.txt, and gives what was skipped by which rule.
    private func crawl(
        _ origin: TestOrigin,
        seeds: [String] = ["/"],
        _ change: (inout CrawlOptions) throws -> Void = { _ in }
    ) async throws -> CrawlReport {
        let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
        var options = CrawlOptions(seeds: try seeds.map { try WebURL(origin.base + $0) }, now: { now })
        options.ignoresRobots = true
        options.retries.backoff = .milliseconds(1)
        options.politeness.firstPause = .milliseconds(1)
        try change(&options)
        return try await crawled(options).report
    }

    private func page(_ links: [String], head: String = "", fields: [(name: String, value: String)] = []) -> Answer {
        var answer = Answer.html(head + links.map { "<a href=\"\($0)\">x</a>" }.joined())
        answer.fields += fields
        return answer
    }

    // MARK: Directives

    private var directed: [String: [Answer]] {
        [
            "/": [
                .html(
                    """
                    <a rel="nofollow ugc" href="/by-rel">x</a><a href="/meta">x</a><a href="/field">x</a>\
                    <a href="/other">x</a><a rel="nofollow" href="/twice">x</a><a href="/twice">x</a>
                    """
                )
            ],
            "/by-rel": [page([])], "/twice": [page([])],
            "/meta": [page(["/by-meta"], head: "<meta name=\"robots\" content=\"nofollow\"><img src=\"/i.png\">")],
            "/by-meta": [page([])], "/i.png": [.text("i", type: "image/png")],
            "/field": [
                page(["/by-field"], fields: [("X-Robots-Tag", "otherbot: none"), ("X-Robots-Tag", "afcache: none")])
            ],
            "/by-field": [page([])],
            "/other": [page(["/by-other"], fields: [("X-Robots-Tag", "otherbot: noindex, nofollow")])],
            "/by-other": [page([])],
        ]
    }

    @Test func `nofollow is obeyed on request, by link, by page and by field`() async throws {
        try await TestOrigin.withOrigin(directed) { origin in
            let report = try await crawl(origin) { $0.obeysNofollow = true }
            #expect(Set(origin.targets) == ["/", "/meta", "/i.png", "/field", "/other", "/by-other", "/twice"])
            #expect(skips(report) == [.nofollow: 3])
        }
        try await TestOrigin.withOrigin(directed) { origin in
            let report = try await crawl(origin)
            #expect(Set(origin.targets) == Set(directed.keys))
            #expect(skips(report).isEmpty)
        }
    }

    @Test func `pages that say noindex are left out on request, and their links are followed`() async throws {
        try await TestOrigin.withOrigin(directed) { origin in
            let report = try await crawl(origin) { $0.obeysNoindex = true }
            #expect(Set(origin.targets) == Set(directed.keys))
            #expect(report.fetched == directed.count - 1)
            #expect(skips(report) == [.noindex: 1])
        }
    }

    // MARK: Queries

    @Test func `links that differ only in dropped parameters are requested once, requisites as written`()
        async throws
    {
        let routes: [String: [Answer]] = [
            "/?utm_id=0": [
                page(
                    ["/p?utm_source=a&b=1", "/p?b=1&utm_source=b", "/p?b=1", "/p?b=2&gclid=1", "/p;jsessionid=A1?b=1"],
                    head: "<img src=\"/i.png?utm_source=a\"><iframe src=\"/f?gclid=2\"></iframe>"
                )
            ],
            "/p?b=1": [.redirect("/q?utm_source=c")], "/p?b=2": [page([])], "/q?utm_source=c": [page([])],
            "/i.png?utm_source=a": [.text("i", type: "image/png")], "/f?gclid=2": [page([])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin, seeds: ["/?utm_id=0"]) { $0.queryRules.mode = .tracking }
            #expect(origin.targets.sorted() == routes.keys.sorted())
            #expect(report.failures.isEmpty)
        }
    }

    @Test(arguments: [1, 3, 5]) func `redirects leave the page limit's room to pages`(limit: Int) async throws {
        var routes: [String: [Answer]] = [
            "/": [.redirect("/start")], "/start": [page((0..<9).map { "/r\($0)" })],
        ]
        for number in 0..<9 {
            routes["/r\(number)"] = [.redirect("/p\(number)")]
            routes["/p\(number)"] = [page([])]
        }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin) { $0.limits[.pages] = limit }
            #expect(report.fetched == limit)
            #expect(report.redirects == limit)
        }
    }

    // MARK: Traps

    @Test func `an endless calendar ends at its limit, and other pages are fetched`() async throws {
        var routes = ["/": [page(["/calendar?month=0", "/a"])], "/a": [page([])]]
        for month in 0..<40 { routes["/calendar?month=\(month)"] = [page(["/calendar?month=\(month + 1)"])] }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin) { $0.traps.alikeLimit = 7 }
            #expect(origin.requests.count == 2 + 7)
            #expect(skips(report) == [.tooManyAlike: 1])
            #expect(report.skipped.first?.examples.map(\.query) == ["month=7"])
            #expect(report.outcome == .incomplete && report.isFailed(at: .requisite))
        }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin) { ($0.traps.alikeLimit, $0.choosesTrapLimit) = (7, true) }
            #expect(report.outcome == .complete && !report.isFailed(at: .link))
        }
        try await TestOrigin.withOrigin(routes) { origin in
            _ = try await crawl(origin) { ($0.traps.alikeLimit, $0.traps.isEnabled) = (7, false) }
            // The last leads to one that isn't there.
            #expect(origin.requests.count == 2 + 41)
        }
    }

    @Test(arguments: ["application/xml", "text/html; charset=utf-8"], [false, true])
    func `a sitemap that robots.txt doesn't name is looked for in its usual place`(
        type: String,
        ignoresRobots: Bool
    ) async throws {
        let map = "<?xml version='1.0'?><urlset><url><loc>/a</loc></url></urlset>"
        let routes: [String: [Answer]] = [
            "/robots.txt": [.text("Disallow:")], "/": [page([])], "/a": [page([])],
            "/sitemap.xml": [.text(map, type: type)],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin) { ($0.ignoresRobots, $0.usesSitemaps) = (ignoresRobots, true) }
            #expect(origin.count(of: "/a") == 1)
            #expect(report.missingSitemaps.isEmpty && report.failures.isEmpty)
        }
        try await TestOrigin.withOrigin(routes) { origin in
            _ = try await crawl(origin) { $0.ignoresRobots = ignoresRobots }
            #expect(origin.count(of: "/sitemap.xml") == 0)
        }
    }

    @Test(arguments: [Answer(404), .html("<!DOCTYPE html><a href=/found>home</a>")])
    func `a sitemap that is missing in its usual place is a note`(answer: TestOrigin.Answer) async throws {
        let routes: [String: [Answer]] = ["/robots.txt": [Answer(404)], "/": [page([])], "/sitemap.xml": [answer]]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin) { ($0.ignoresRobots, $0.usesSitemaps) = (false, true) }
            #expect(report.missingSitemaps.map(\.path) == ["/sitemap.xml"])
            #expect(report.failures.isEmpty && report.misplacedCount == 0 && report.outcome == .complete)
            #expect(origin.count(of: "/found") == 0)
        }
    }

    @Test func `a feed of type text/html leads to its items`() async throws {
        let feed = "<?xml version='1.0'?><rss><channel><item><link>/item</link></item></channel></rss>"
        let routes: [String: [Answer]] = [
            "/": [page([], head: "<link rel=alternate type=application/rss+xml href=/rss>")], "/rss": [.html(feed)],
            "/item": [page([])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            _ = try await crawl(origin)
            #expect(origin.count(of: "/item") == 1)
        }
    }

    @Test func `what a sitemap lists is no trap`() async throws {
        let numbers = 0..<40
        var routes: [String: [Answer]] = [
            "/robots.txt": [.text("Sitemap: /map.xml")], "/": [page(["/p?n=39", "/p?n=38", "/p?n=50"])],
        ]
        for number in numbers { routes["/p?n=\(number)"] = [page([])] }
        let entries = numbers.map { "<url><loc>/p?n=\($0)</loc></url>" }.joined()
        routes["/map.xml"] = [.text("<urlset>\(entries)</urlset>", type: "application/xml")]
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin) {
                ($0.ignoresRobots, $0.usesSitemaps, $0.traps.alikeLimit) = (false, true, 1)
            }
            for number in numbers { #expect(origin.count(of: "/p?n=\(number)") == 1) }
            #expect(skips(report) == [.tooManyAlike: 1])
        }
    }

    @Test func `a path that repeats itself isn't followed deeply`() async throws {
        var routes = ["/": [page(["a/"])]]
        for depth in 1..<20 { routes["/" + String(repeating: "a/", count: depth)] = [page(["a/"])] }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin)
            #expect(origin.targets == ["/", "/a/", "/a/a/", "/a/a/a/"])
            #expect(skips(report) == [.repeatedPath: 1])
        }
    }

    @Test func `endless frames are stopped`() async throws {
        var routes: [String: [Answer]] = [:]
        for number in 0..<60 {
            routes["/f\(number)"] = [.html("<iframe src=\"/f\(number + 1)\"></iframe><img src=\"/i\(number).png\">")]
        }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin, seeds: ["/f0"]) { $0.limits.requisiteChain = 3 }
            #expect(Set(origin.targets) == ["/f0", "/f1", "/i0.png", "/f2", "/i1.png", "/f3", "/i2.png"])
            #expect(skips(report) == [.requisiteChain: 2])
        }
    }

    // MARK: Politeness

    @Test func `the user's delay makes requests sequential`() async throws {
        let targets = (0..<5).map { "/\($0)" }
        try await TestOrigin.withOrigin(Dictionary(uniqueKeysWithValues: targets.map { ($0, [page([])]) })) { origin in
            _ = try await crawl(origin, seeds: targets) { $0.politeness.delay = .milliseconds(10) }
            #expect(origin.mostRunning == 1)
            #expect(origin.requests.count == 5)
        }
    }

    @Test func `a URL that a host refuses at first is requested again, and all others once`() async throws {
        let targets = (0..<20).map { "/\($0)" }
        var routes = Dictionary(uniqueKeysWithValues: targets.map { ($0, [page([])]) })
        for target in targets.prefix(5) { routes[target] = [Answer(429, [("Retry-After", "0")]), page([])] }
        try await TestOrigin.withOrigin(routes) { origin in
            let report = try await crawl(origin, seeds: targets)
            #expect(report.fetched == 20)
            #expect(report.failures.isEmpty)
            for (index, target) in targets.enumerated() { #expect(origin.count(of: target) == (index < 5 ? 2 : 1)) }
        }
    }

    // MARK: Scope

    @Test func `the host that a seed redirects to is in scope, but not that of further redirects`() async throws {
        try await TestOrigin.withOrigin(["/new": [page(["/a", "/out"])], "/a": [page([])]]) { other in
            try await TestOrigin.withOrigin(["/far": [page([])]]) { third in
                other.set("/out", .redirect(third.base + "/far"))
                try await TestOrigin.withOrigin(["/": [.redirect(other.base + "/new")]]) { origin in
                    let report = try await crawl(origin)
                    #expect(Set(other.targets) == ["/new", "/a", "/out"])
                    #expect(third.requests.isEmpty)
                    #expect(skips(report) == [.scope: 1])
                }
            }
        }
    }
}
