import Packager
import Testing
import URLStandard

struct FrontierTests {
    private func frontier(_ seeds: [String], maxPages: Int? = nil, depth: Int? = nil) throws -> Frontier {
        var options = CrawlScope.Options()
        options.depth = depth
        let urls = try seeds.map { try WebURL("http://docs.example" + $0) }
        return Frontier(seeds: urls, scope: CrawlScope(seeds: urls, options: options), maxPages: maxPages)
    }

    private func item(
        _ path: String,
        _ role: CrawlScope.Role,
        depth: Int,
        from referrer: String = "/"
    ) throws -> Frontier.Item {
        Frontier.Item(
            url: try WebURL("http://docs.example" + path),
            role: role,
            depth: depth,
            redirects: 0,
            referrer: try WebURL("http://docs.example" + referrer)
        )
    }

    private func paths(_ round: [Frontier.Item]) -> [String] { round.map(\.url.path) }

    @Test func `a round is sorted, and each URL comes in one round only`() throws {
        var frontier = try frontier(["/b", "/a", "/b"])
        #expect(paths(frontier.nextRound()) == ["/a", "/b"])
        for path in ["/d", "/c", "/a", "/d"] { frontier.add(try item(path, .link, depth: 1)) }
        #expect(paths(frontier.nextRound()) == ["/c", "/d"])
        #expect(frontier.nextRound().isEmpty)
    }

    @Test func `what a page requires comes before what it links to`() throws {
        var frontier = try frontier(["/"])
        _ = frontier.nextRound()
        frontier.add(try item("/a", .link, depth: 1))
        frontier.add(try item("/z.css", .requisite, depth: 0))
        #expect(paths(frontier.nextRound()) == ["/z.css"])
        frontier.add(try item("/y.png", .requisite, depth: 0, from: "/z.css"))
        #expect(paths(frontier.nextRound()) == ["/y.png"])
        #expect(paths(frontier.nextRound()) == ["/a"])
    }

    @Test func `a limited set of pages is the same whatever came first, and requisites don't count`() throws {
        for order in [["/c", "/a", "/b"], ["/b", "/c", "/a"]] {
            var frontier = try frontier(["/"], maxPages: 3)
            _ = frontier.nextRound()
            for path in order { frontier.add(try item(path, .link, depth: 1)) }
            frontier.add(try item("/0.css", .requisite, depth: 1))
            #expect(paths(frontier.nextRound()) == ["/0.css", "/a", "/b"])
            #expect(frontier.skipped == [.maxPages: 1])
            frontier.add(try item("/c", .requisite, depth: 1))
            #expect(paths(frontier.nextRound()) == ["/c"])
            #expect(frontier.skipped.isEmpty)
        }
    }

    @Test func `the first referring page is named whatever came first`() throws {
        for order in [["/y", "/x"], ["/x", "/y"]] {
            var frontier = try frontier(["/"])
            _ = frontier.nextRound()
            for referrer in order { frontier.add(try item("/a", .link, depth: 1, from: referrer)) }
            #expect(frontier.nextRound().first?.referrer?.path == "/x")
        }
    }

    @Test func `what robots.txt forbids is counted, and is no page`() throws {
        var frontier = try frontier(["/a", "/b", "/c"], maxPages: 2)
        #expect(paths(frontier.nextRound { $0.path != "/a" }) == ["/b", "/c"])
        #expect(frontier.skipped == [.robots: 1])
        #expect(frontier.examples(of: .robots, limit: 3).map(\.path) == ["/a"])
    }

    @Test func `what is too deep as a link is fetched as a requisite`() throws {
        var frontier = try frontier(["/"], depth: 0)
        _ = frontier.nextRound()
        frontier.add(try item("/a", .link, depth: 1))
        #expect(frontier.skipped == [.depth: 1])
        frontier.add(try item("/a", .requisite, depth: 0))
        #expect(paths(frontier.nextRound()) == ["/a"])
        #expect(frontier.skipped.isEmpty)
    }
}
