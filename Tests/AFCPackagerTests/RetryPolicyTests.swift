import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackager
import Testing

struct RetryPolicyTests {
    private let now = Timestamp(secondsSinceEpoch: 784_111_777)

    @Test(
        arguments: [
            (.status(503, reason: ""), 1, nil, .milliseconds(500)), (.status(503, reason: ""), 2, nil, .seconds(1)),
            (.status(503, reason: ""), 3, nil, nil), (.status(429, reason: ""), 1, "7", .seconds(7)),
            (.status(429, reason: ""), 1, "3600", .seconds(30)), (.status(429, reason: ""), 1, "0", .zero),
            (.status(429, reason: ""), 1, "99999999999999999999", .seconds(30)),
            (.status(503, reason: ""), 1, "Sun, 06 Nov 1994 08:49:42 GMT", .seconds(5)),
            (.status(503, reason: ""), 1, "Sun, 06 Nov 1994 08:00:00 GMT", .zero),
            (.status(503, reason: ""), 1, "soon", .milliseconds(500)), (.status(404, reason: ""), 1, nil, nil),
            (.status(501, reason: ""), 1, nil, nil),
            (.status(408, reason: ""), 1, nil, .milliseconds(500)), (.status(425, reason: ""), 1, "2", .seconds(2)),
            (.status(500, reason: ""), 1, nil, .milliseconds(500)),
            (.status(502, reason: ""), 1, nil, .milliseconds(500)),
            (.status(504, reason: ""), 1, nil, .milliseconds(500)), (.status(401, reason: ""), 1, "1", nil),
            (.status(507, reason: ""), 1, "1", nil), (.privateAddress, 1, nil, nil), (.proxy("x"), 1, nil, nil),
            (.tls("x"), 1, nil, nil), (.timeout, 1, nil, .milliseconds(500)),
            (.connection("reset"), 2, nil, .seconds(1)), (.refused, 1, nil, .milliseconds(500)),
            (.truncated, 1, nil, .milliseconds(500)), (.unknownHost, 1, nil, nil), (.tooLarge(limit: 1), 1, nil, nil),
            (.expansion, 1, nil, nil), (.coding("br"), 1, nil, nil), (.location(""), 1, nil, nil),
        ] as [(FetchFailure, Int, String?, Duration?)]
    ) func `a transient failure is retried after the wait that the origin asks for`(
        failure: FetchFailure,
        attempt: Int,
        retryAfter: String?,
        expected: Duration?
    ) {
        let policy = RetryPolicy()
        #expect(policy.wait(after: failure, attempt: attempt, retryAfter: retryAfter, now: now) == expected)
    }
}
