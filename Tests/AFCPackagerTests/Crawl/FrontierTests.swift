import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFormat
import AFCURL
import AFCZip
import Foundation
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

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
    /// - Parameters:
    ///   - seed: Gives the order.
    ///   - pages: The site.
    ///   - late: What is answered only when nothing else is left to answer.
    ///   - bounds: How much is kept in memory.
    ///   - endsBeforeLate: Whether time is over when nothing but late answers is left.
    ///   - change: Changes the options.
    /// - Returns: The paths in the order in which they were taken, and how many answers came before the first late one.
    /// - Throws: `Unexpected` where the frontier asks for something else.
    private func run(
        seed: UInt64,
        of pages: [String: [(path: String, role: CrawlScope.Role)]]? = nil,
        late: Set<String> = [],
        bounds: Frontier.Bounds = Frontier.Bounds(),
        endsBeforeLate: Bool = false,
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) throws -> (taken: [String], early: Int) {
        let site = pages ?? site
        let body = CrawledBody(place: .spool([]), crc32: 0, size: 0, compressedSize: 0, isDeflated: false)
        func outcome(_ item: CrawlItem) throws -> FetchOutcome {
            let found = try (site[item.url.path] ?? []).map { FoundURL(try url($0.path), role: $0.role) }
            return FetchOutcome(content: .resource(ResourceRecord(url: item.url), body, found), requests: 1)
        }
        var options = CrawlOptions(seeds: [try url("/p0")], now: { Timestamp(secondsSinceEpoch: 0) })
        options.ignoresRobots = true
        change(&options)
        var frontier = Frontier(options: options, bounds: bounds)
        frontier.begin()
        var random = seed
        var running: [(item: CrawlItem, ticket: Frontier.Ticket)] = []
        var taken: [Int64] = []
        var paths: [Int64: String] = [:]
        var answers: Set<String> = []
        var early: Int?
        func note(_ changes: CrawlChanges) {
            for row in changes.found { paths[row.item.id] = row.item.url.path }
            taken += changes.results.map(\.id)
        }
        var clock: Duration = .zero
        loop: while true {
            clock += .milliseconds(1)
            switch frontier.next(at: clock) {
            case .start(let item, _, let ticket, _):
                running.append((item, ticket))
                continue
            case .finished: break loop
            case .recall(let item, let ticket, _):
                frontier.recall(ticket, try outcome(item))
                continue
            case .load(let load) where load.isForScouts:
                let changes = frontier.takeChanges()
                note(changes)
                #expect(!changes.found.contains { $0.item.id <= load.after })
                frontier.load([], for: load)
                continue
            case .learn, .load, .reread, .wait: throw Unexpected()
            case .busy: break
            }
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let prompt = running.indices.filter { !late.contains(running[$0].item.url.path) }
            if prompt.isEmpty, endsBeforeLate {
                frontier.endInTime()
                continue
            }
            // Something is always under way until all is taken.
            guard !running.isEmpty else { throw Unexpected() }
            let indices = prompt.isEmpty ? Array(running.indices) : prompt
            let (item, ticket) = running.remove(at: indices[Int(random >> 33) % indices.count])
            if early == nil, late.contains(item.url.path) { early = answers.count }
            #expect(answers.insert(item.url.path).inserted, "\(item.url.path) is asked for once")
            frontier.finish(ticket, try outcome(item), at: clock)
            note(frontier.takeChanges())
            frontier.noteWritten()
        }
        note(frontier.takeChanges())
        return (try taken.map { try #require(paths[$0]) }, early ?? answers.count)
    }

    /// What can be found while some answers are missing, but for them.
    private func found(without late: Set<String>) -> Set<String> {
        var found = Set(["/p0"]).subtracting(late)
        var next = Array(found)
        while let path = next.popLast() {
            for (path, _) in site[path] ?? [] where !late.contains(path) && found.insert(path).inserted {
                next.append(path)
            }
        }
        return found
    }

    /// What is taken, in its order.
    private func crawl(
        seed: UInt64,
        of pages: [String: [(path: String, role: CrawlScope.Role)]]? = nil,
        late: Set<String> = [],
        bounds: Frontier.Bounds = Frontier.Bounds(),
        endsBeforeLate: Bool = false,
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) throws -> [String] {
        try run(seed: seed, of: pages, late: late, bounds: bounds, endsBeforeLate: endsBeforeLate, change).taken
    }

    private struct Unexpected: Error {}

    @Test func `which URLs are taken, and when, doesn't depend on the order of responses`() throws {
        let expected = try crawl(seed: 1)
        #expect(expected.count > 400)
        #expect(Set(expected).count == expected.count)
        for seed in 2..<30 { #expect(try crawl(seed: UInt64(seed)) == expected) }
    }

    @Test(arguments: [1, 2, 10, 33]) func `a page limit selects the same pages each time`(limit: Int) throws {
        let expected = try crawl(seed: 1) { $0.limits[.pages] = limit }
        for seed in 2..<20 { #expect(try crawl(seed: UInt64(seed)) { $0.limits[.pages] = limit } == expected) }
        // Pages that others need as frames don't count.
        #expect(try crawl(seed: 5) { $0.limits[.pages] = 1 }.first == "/p0")
    }

    @Test func `a page's requisites follow soon after it`() throws {
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

    @Test(arguments: [["/p1"], ["/i0"], ["/p0"], ["/p1", "/p2", "/s0", "/p40"]])
    func `a slow response blocks no other, and changes no result`(late: Set<String>) throws {
        let expected = try crawl(seed: 1)
        for seed in 1..<6 {
            let (taken, early) = try run(seed: UInt64(seed), late: late)
            #expect(taken == expected)
            // Whatever can be found without the late answers has come before the first of them.
            #expect(early == found(without: late).count)
        }
    }

    @Test func `what exceeds memory is read again, without any change of the result`() throws {
        let expected = try crawl(seed: 1)
        var bounds = Frontier.Bounds()
        bounds.answers = 3
        bounds.references = 10
        bounds.recalled = 2
        for seed in 1..<6 {
            #expect(try crawl(seed: UInt64(seed), late: ["/p1", "/i1"], bounds: bounds) == expected)
        }
    }

    @Test func `at the time limit answered URLs are taken, and only late ones aren't`() throws {
        let expected = try crawl(seed: 1)
        for bounds in [Frontier.Bounds(), Frontier.Bounds(answers: 3, references: 10)] {
            let taken = try crawl(seed: 2, late: ["/s0"], bounds: bounds, endsBeforeLate: true)
            #expect(Set(taken) == Set(expected).subtracting(["/s0"]))
        }
    }

    @Test(arguments: [10, 33]) func `a late response doesn't change which pages a page limit selects`(limit: Int) throws
    {
        let expected = try crawl(seed: 1) { $0.limits[.pages] = limit }
        for seed in 1..<6 {
            #expect(try crawl(seed: UInt64(seed), late: ["/p1", "/s0"]) { $0.limits[.pages] = limit } == expected)
        }
    }

    @Test func `requests ahead of their turn stay below the limit`() throws {
        let expected = try crawl(seed: 1)
        var bounds = Frontier.Bounds()
        bounds.early = 20
        let (taken, early) = try run(seed: 1, late: ["/p1"], bounds: bounds)
        #expect(taken == expected)
        #expect((20..<200).contains(early))
    }

    @Test func `depth counts links from the seeds`() throws {
        let order = try crawl(seed: 4) {
            $0.scope.depth = 0
            $0.limits.requisiteChain = 1
        }
        #expect(order == ["/p0", "/i0", "/s0"])
    }
}
