import Testing

@testable import Packager

struct CrawlLimitsTests {
    @Test func `by default nothing but the size of a package ends a crawl`() {
        var taken = CrawlLimits.Taken()
        (taken.pages, taken.bytes, taken.time, taken.urls) = (.max, .max, .seconds(1_000_000), 1_999_999)
        #expect(CrawlLimits().obstacle(to: .link, after: taken) == nil)
        taken.urls = 2_000_000
        #expect(CrawlLimits().obstacle(to: .requisite, after: taken) == .maxURLs)
    }

    @Test func `each limit is reached by what it counts`() {
        var limits = CrawlLimits()
        (limits.pages, limits.bytes, limits.time, limits.requisiteChain) = (10, 100, .seconds(5), 3)
        var taken = CrawlLimits.Taken()
        #expect(limits.obstacle(to: .link, after: taken) == nil)
        taken.pages = 10
        #expect(limits.obstacle(to: .link, after: taken) == .maxPages)
        #expect(limits.obstacle(to: .seed, after: taken) == .maxPages)
        #expect(limits.obstacle(to: .requisite, chain: 3, after: taken) == nil)
        #expect(limits.obstacle(to: .requisite, chain: 4, after: taken) == .requisiteChain)
        taken.bytes = 100
        #expect(limits.obstacle(to: .requisite, after: taken) == .maxBytes)
        taken.time = .seconds(5)
        #expect(limits.obstacle(to: .requisite, after: taken) == .maxTime)
    }

    @Test func `bytes come as fast as the rate, whatever their pieces`() {
        for piece in [1000, 50_000, 1_000_000] {
            var rate = ByteRate(bytesPerSecond: 100_000)
            var now = Duration.zero
            for _ in 0..<(5_000_000 / piece) { now += rate.wait(for: piece, at: now) }
            // 50 seconds, less a quarter that may come at once.
            #expect(abs((now - .milliseconds(49_750)) / .milliseconds(1)) <= 1)
        }
    }

    @Test func `what wasn't used for long isn't made up for`() {
        var rate = ByteRate(bytesPerSecond: 1000)
        #expect(rate.wait(for: 250, at: .seconds(100)) == .zero)
        #expect(rate.wait(for: 1000, at: .seconds(100)) == .seconds(1))
        #expect(rate.wait(for: 0, at: .seconds(101)) == .zero)
        #expect(rate.wait(for: -5, at: .seconds(101)) == .zero)
    }
}
