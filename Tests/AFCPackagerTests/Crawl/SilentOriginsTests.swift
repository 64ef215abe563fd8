import AFCHTTP
import AFCURL
import Synchronization
import TestOrigin
import Testing

@testable import AFCCrawlRules
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

    @Test func `a crawl asks a dead host for some of its URLs, and reports all`() async throws {
        // Nobody listens there: the origins of tests have another address of this machine.
        let images = (0..<60).map { "<img src='http://127.0.0.2:8099/\($0).png'>" }.joined()
        try await TestOrigin.withOrigin(["/": [.text(images, type: "text/html")]]) { origin in
            var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")]) { Timestamp(secondsSinceEpoch: 0) }
            options.ignoresRobots = true
            options.retries.retries = 1
            options.retries.backoff = .milliseconds(1)
            options.scope.allowsPrivate = true
            options.scope.takesForeignRequisites = true
            let repeated = Mutex(0)
            let report = try await crawled(options) { event in
                if case .retrying = event { repeated.withLock { $0 += 1 } }
            }.report
            #expect(report.failures.count == 60, "\(report.failures.count)")
            #expect(repeated.withLock { $0 } < 30)
        }
    }
}
