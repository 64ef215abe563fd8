import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import TestOrigin
import TestSites
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// A site with one URL for each way of referring to one, crawled over sockets.
struct RequirementCrawlTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    /// A path as browsers, and so the crawler, ask for it.
    private static func asAsked(_ path: String) -> String { path.replacing("|", with: "%7C") }

    /// Crawls the site, and gives what was asked for and what came.
    private func crawl(
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> (asked: Set<String>, kept: Set<String>, report: CrawlReport) {
        try await TestOrigin.withOrigin([:]) { origin in
            for route in RequirementSite.routes(origin: origin.base) {
                origin.set(Self.asAsked(route.path), TestOrigin.Answer(route.status, route.fields, body: route.body))
            }
            let now = now
            var options = CrawlOptions(seeds: [try WebURL(origin.base + RequirementSite.seed)], now: { now })
            options.usesSitemaps = true
            options.retries.backoff = .milliseconds(1)
            change(&options)
            let (resources, report) = try await crawled(options)
            let kept = resources.map { $0.record.url.requestTarget }
            return (Set(origin.targets), Set(kept), report)
        }
    }

    @Test func `everything that a page needs or links to is fetched, and no decoy`() async throws {
        let (asked, kept, report) = try await crawl()
        #expect(Set(RequirementSite.required.map(Self.asAsked)).subtracting(kept).sorted() == [])
        #expect(Set(RequirementSite.linked.map(Self.asAsked)).subtracting(kept).sorted() == [])
        #expect(asked.intersection(RequirementSite.decoys).sorted() == [])
        #expect(report.failures.map { "\($0.url) \($0.reason)" } == [])
        let known = RequirementSite.required + RequirementSite.linked + RequirementSite.guesses
        let own = [RequirementSite.seed, RequirementSite.robots]
        #expect(asked.subtracting((known + own).map(Self.asAsked)).sorted() == [])
        #expect(report.absentGuesses == RequirementSite.guesses.count)
    }

    @Test func `everything that given pages need is fetched, and nothing they link to`() async throws {
        let pages = [RequirementSite.seed] + RequirementSite.pages
        let (asked, kept, _) = try await crawl { options in
            options.seeds = pages.compactMap { try? WebURL($0, base: options.seeds[0]) }
            options.scope.extent = .page
            options.usesSitemaps = false
        }
        // Pages lead to feeds and sitemaps, and those need images of their own.
        let elsewhere = ["/r/atom-icon.png", "/r/atom-logo.png", "/r/rss-image.png", "/r/sitemap-image.png"]
        let needed = Set(RequirementSite.required).subtracting(elsewhere)
        #expect(needed.subtracting(kept).sorted() == [])
        #expect(asked.intersection(RequirementSite.linked).subtracting(needed).subtracting(pages).sorted() == [])
        #expect(asked.intersection(RequirementSite.decoys).sorted() == [])
    }
}
