import AFCHTTP
import AFCResolver
import AFCURL
import Testing

@testable import AFCServer

/// Clients of a proxy choose the origins, and must not fill its log.
@Suite struct OriginFailureLogTests {
    private let noon = Timestamp(secondsSinceEpoch: 1_800_000_000)

    @Test func `a failure of an origin is logged once a minute, without path and query`() throws {
        let log = OriginFailureLog(at: noon)
        let (url, other) = (try WebURL("http://docs.example:81/a?token=1"), try WebURL("http://other.example/"))
        let refused = TransportFailure(.unreachable, "refused", cause: .connectionRefused)
        let slow = TransportFailure(.timedOut, "slow")
        #expect(log.line(refused, url, at: noon) == "cannot fetch from 'http://docs.example:81': refused")
        #expect(log.line(refused, url, at: noon + 59) == nil)
        #expect(log.line(slow, url, at: noon + 59) == "cannot fetch from 'http://docs.example:81': slow")
        #expect(log.line(refused, other, at: noon + 59) != nil)
        #expect(log.line(refused, url, at: noon + 60) != nil)
        #expect(log.line(refused, url, at: noon - 10) != nil, "the clock was set back")
    }

    @Test func `failures of many origins are logged up to a limit`() throws {
        let log = OriginFailureLog(at: noon)
        let failure = TransportFailure(.timedOut, "slow")
        let lines = try (0..<1000).compactMap { log.line(failure, try WebURL("http://h\($0).example/"), at: noon) }
        #expect(lines.count == OriginFailureLog.limit)
    }

    @Test func `lines about the cache are as many as those about origins`() {
        let log = OriginFailureLog(at: noon)
        #expect((0..<100).count { _ in log.mayLogTrouble(at: noon) } == OriginFailureLog.limit)
        #expect(!log.mayLogTrouble(at: noon + 59))
        #expect(log.mayLogTrouble(at: noon + 60))
    }
}
