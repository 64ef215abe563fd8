import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct ByteRateTests {
    @Test func `bytes arrive at the rate, whatever the size of their pieces`() {
        for piece in [1000, 50_000, 1_000_000] {
            var rate = ByteRate(bytesPerSecond: 100_000)
            var now = Duration.zero
            for _ in 0..<(5_000_000 / piece) { now += rate.wait(for: piece, at: now) }
            // 50 seconds, less a quarter that may come at once.
            #expect(abs((now - .milliseconds(49_750)) / .milliseconds(1)) <= 1)
        }
    }

    @Test func `unused allowance doesn't accumulate`() {
        var rate = ByteRate(bytesPerSecond: 1000)
        #expect(rate.wait(for: 250, at: .seconds(100)) == .zero)
        #expect(rate.wait(for: 1000, at: .seconds(100)) == .seconds(1))
        #expect(rate.wait(for: 0, at: .seconds(101)) == .zero)
        #expect(rate.wait(for: -5, at: .seconds(101)) == .zero)
    }
}
