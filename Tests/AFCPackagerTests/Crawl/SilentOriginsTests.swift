import AFCCrawlRules
import Testing

@testable import AFCCrawler

/// When a crawl stops to ask an origin that doesn't answer.
struct SilentOriginsTests {
    private let start = ContinuousClock.now
    private let origins = SilentOrigins()

    private func at(_ seconds: Int) -> FetchFailure? { origins.failure(of: "http://a", at: start + .seconds(seconds)) }

    private func fail(_ count: Int, _ failure: FetchFailure = .timeout) {
        for _ in 0..<count { origins.note(failure, of: "http://a") }
    }

    @Test func `an origin that has answered nothing is asked again after a pause only`() {
        #expect(at(0) == nil)
        fail(SilentOrigins.limit - 1)
        #expect(at(0) == nil)
        fail(1, .refused)
        #expect(at(0) == .refused && at(9) == .refused)
        #expect(origins.failure(of: "http://b", at: start) == nil)
        // One request, whose answer is due.
        #expect(at(10) == nil && at(11) == .refused && at(19) == .refused)
        fail(1)
        #expect(at(19) == .timeout && at(20) == nil)
        origins.note(nil, of: "http://a")
        #expect(at(20) == nil && at(21) == nil)
    }

    @Test func `an origin that has answered once is always asked`() {
        origins.note(nil, of: "http://a")
        fail(100)
        #expect(at(0) == nil)
    }

    @Test func `other failures say nothing about an origin`() {
        fail(100, .truncated)
        #expect(at(0) == nil)
        fail(SilentOrigins.limit, .tls("x"))
        fail(1, .tooLarge(limit: 1))
        #expect(at(0) == .tls("x"))
    }
}
