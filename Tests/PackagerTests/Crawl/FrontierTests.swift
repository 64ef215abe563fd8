import HTTPCaching
import Testing
import URLStandard

@testable import Packager

/// The frontier by itself: answers come in a random order, what is taken does not.
struct FrontierTests {
    /// A site: what each page refers to.
    private let site: [String: [(path: String, role: CrawlScope.Role)]] = {
        var site: [String: [(path: String, role: CrawlScope.Role)]] = [:]
        for number in 0..<200 {
            site["/p\(number)"] = [
                ("/p\(number * 2 + 1)", .link), ("/i\(number % 17)", .requisite), ("/p\(number * 2 + 2)", .link),
                ("/p\(number / 3)", .link), ("/s\(number)", .requisite),
            ]
            site["/s\(number)"] = [("/f\(number % 5)", .requisite), ("/p\(number + 1)", .requisite)]
        }
        return site
    }()

    private func url(_ path: String) throws -> WebURL { try WebURL("http://docs.example" + path) }

    /// Crawls the site with answers in an order that the seed gives.
    ///
    /// - Returns: The paths in the order in which they were asked for by ID, which is that of their being found.
    private func crawl(
        seed: UInt64,
        of pages: [String: [(path: String, role: CrawlScope.Role)]]? = nil,
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) throws -> [String] {
        let site = pages ?? site
        var options = CrawlOptions(seeds: [try url("/p0")], now: { Timestamp(secondsSinceEpoch: 0) })
        options.ignoresRobots = true
        change(&options)
        var frontier = Frontier(options: options)
        frontier.begin()
        var random = seed
        var running: [(item: CrawlItem, ticket: Frontier.Ticket)] = []
        var taken: [Int64] = []
        var paths: [Int64: String] = [:]
        var clock: Duration = .zero
        loop: while true {
            clock += .milliseconds(1)
            switch frontier.next(at: clock) {
            case .start(let item, _, let ticket, _):
                running.append((item, ticket))
                continue
            case .finished: break loop
            case .learn, .load, .wait: throw Unexpected()
            case .busy: break
            }
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let (item, ticket) = running.remove(at: Int(random >> 33) % running.count)
            let found = try (site[item.url.path] ?? []).map { FoundURL(try url($0.path), role: $0.role) }
            frontier.finish(ticket, FetchOutcome(content: .planned(found), requests: 1), at: clock)
            let changes = frontier.takeChanges()
            for row in changes.found { paths[row.item.id] = row.item.url.path }
            taken += changes.results.map(\.id)
        }
        taken += frontier.takeChanges().results.map(\.id)
        return taken.compactMap { paths[$0] }
    }

    private struct Unexpected: Error {}

    @Test func `what is taken, and when, doesn't depend on which answer comes first`() throws {
        let expected = try crawl(seed: 1)
        #expect(expected.count > 400)
        #expect(Set(expected).count == expected.count)
        for seed in 2..<30 { #expect(try crawl(seed: UInt64(seed)) == expected) }
    }

    @Test(arguments: [1, 2, 10, 33]) func `a number of pages is the same pages each time`(limit: Int) throws {
        let expected = try crawl(seed: 1) { $0.limits.pages = limit }
        for seed in 2..<20 { #expect(try crawl(seed: UInt64(seed)) { $0.limits.pages = limit } == expected) }
        // Pages that others need as frames don't count.
        #expect(try crawl(seed: 5) { $0.limits.pages = 1 }.first == "/p0")
    }

    @Test func `what a page needs isn't far behind it`() throws {
        var pages: [String: [(path: String, role: CrawlScope.Role)]] = [:]
        for number in 0..<600 {
            pages["/p\(number)"] = [
                ("/p\(number + 1)", .link), ("/s\(number)", .requisite), ("/t\(number)", .requisite),
            ]
        }
        let order = try crawl(seed: 3, of: pages)
        for number in 0..<600 {
            let page = try #require(order.firstIndex(of: "/p\(number)"))
            let style = try #require(order.firstIndex(of: "/s\(number)"))
            #expect(style - page <= 2 * Frontier.requisitesWaiting)
        }
    }

    @Test func `depth counts links from the seeds`() throws {
        let order = try crawl(seed: 4) {
            $0.scope.depth = 0
            $0.limits.requisiteChain = 1
        }
        #expect(order == ["/p0", "/i0", "/s0"])
    }
}
