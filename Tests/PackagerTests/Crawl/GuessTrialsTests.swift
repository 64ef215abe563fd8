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
}
