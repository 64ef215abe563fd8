import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9111 §4.2.4 and RFC 5861: when a stale response is served.
struct StaleTests {
    private static func cache(_ control: String, status: Int = 200, more: [String] = []) -> SimulatedCache {
        var cache = SimulatedCache()
        cache.send(.get, [], status: status, ["Cache-Control: \(control)", "Date: @0", "ETag: \"v\""] + more)
        cache.now += 3
        return cache
    }

    @Test(
        arguments: [
            ("max-age=2", 200), ("max-age=2, must-revalidate", 504), ("max-age=2, proxy-revalidate", 504),
            ("max-age=2, no-cache", 504), ("max-age=2, s-maxage=2", 504), ("max-age=2, stale-if-error=60", 200),
            ("max-age=2, stale-if-error=0", 504), ("max-age=2, stale-if-error=1", 200),
            ("max-age=2, must-revalidate, stale-if-error=60", 504), ("max-age=60, no-cache", 504),
        ]
    )
    func `without an answer a stale response is served unless the origin forbids it, §4_2_4`(
        control: String,
        status: Int
    ) {
        var cache = Self.cache(control)
        let seen = cache.send(.get, [], nil)
        #expect(seen.status == status)
        #expect(cache.asked == 2)
        if status == 200 { #expect(seen.fields[.age] == "3") }
    }

    @Test(arguments: ["max-age=60", "max-age=60, stale-while-revalidate=60"])
    func `a response from after the present time is validated, and served only if that fails`(control: String) {
        var cache = Self.cache(control)
        // The clock is set back by a day.
        cache.now = cache.now - 86_400
        let seen = cache.send(.get, [], nil)
        #expect(seen.status == 200)
        #expect(cache.asked == 2)
    }

    @Test func `a private cache obeys must-revalidate only`() {
        for (control, status) in [("max-age=2, must-revalidate", 504), ("max-age=2, proxy-revalidate", 200)] {
            var cache = SimulatedCache(rules: CachingRules(sharing: .isPrivate))
            cache.send(["Cache-Control: \(control)"])
            cache.now += 3
            #expect(cache.send(.get, [], nil).status == status)
        }
    }

    @Test(
        arguments: [
            ("max-age=2", [], 500, 500), ("max-age=2", [], 502, 200), ("max-age=2", [], 503, 200),
            ("max-age=2", [], 504, 200), ("max-age=2", [], 501, 501), ("max-age=2", [], 404, 404),
            ("max-age=2, stale-if-error=60", [], 500, 200), ("max-age=2, stale-if-error=60", [], 503, 200),
            ("max-age=2, stale-if-error=0", [], 503, 503),
            ("max-age=2", ["Cache-Control: stale-if-error=60"], 500, 200),
            ("max-age=2", ["Cache-Control: stale-if-error=0"], 500, 500),
            ("max-age=2, must-revalidate", [], 503, 503), ("max-age=2, no-cache, stale-if-error=9", [], 503, 503),
        ] as [(String, [String], Int, Int)]
    )
    func `an error that means unavailability counts as no answer, §4_3_3 and RFC 5861 §4`(
        control: String,
        request: [String],
        status: Int,
        seen: Int
    ) {
        var cache = Self.cache(control)
        #expect(cache.send(.get, request, status: status, ["Server: x"]).status == seen)
    }

    @Test func `an answer served instead of an error says so, RFC 9211 §2_3`() {
        var cache = Self.cache("max-age=2, stale-if-error=60")
        let seen = cache.send(.get, [], status: 503, [])
        #expect(seen.fields[.cacheStatus] == "afcache; fwd=stale; fwd-status=503; ttl=-1; detail=stale-if-error")
    }

    @Test(arguments: [500, 502, 503, 504, 599])
    func `a stored error is never served stale`(status: Int) {
        var cache = Self.cache("max-age=2, stale-if-error=60, stale-while-revalidate=60", status: status)
        #expect(cache.send(.get, [], nil).status == 504)
        var other = Self.cache("max-age=2, stale-if-error=60", status: status)
        #expect(other.send(.get, ["Cache-Control: max-stale"], status: 200, []).isFromStore == false)
    }

    @Test func `an error with a lifetime doesn't evict the last good response`() {
        var cache = Self.cache("max-age=2")
        #expect(cache.send(.get, [], status: 500, ["Cache-Control: max-age=5", "Date: @3"]).status == 500)
        #expect(cache.send(.get, [], nil).status == 500)
        cache.now += 6
        let seen = cache.send(.get, [], nil)
        #expect(seen.status == 200)
        #expect(cache.send(.get, [], status: 304, ["ETag: \"v\""]).forwarding?.fields[.ifNoneMatch] == "\"v\"")
        cache.now += 6
        cache.send(.get, [], ["Cache-Control: max-age=5"])
        #expect(cache.stored.map(\.status) == [200])
    }

    @Test(arguments: [(1, true), (4, true), (5, true), (6, false)])
    func `stale-while-revalidate serves at once within its window, RFC 5861 §3`(after: Int64, isServed: Bool) throws {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=1, stale-while-revalidate=4", "ETag: \"abc\""])
        cache.now += after
        let seen = cache.send(.get, ["Foo: 1", "Range: bytes=0-1"], [])
        #expect(seen.isFromStore == isServed)
        guard isServed else { return }
        let behind = try #require(seen.behind)
        #expect(behind.fields[.ifNoneMatch] == "\"abc\"")
        #expect(behind.fields[.range] == nil)
        #expect(behind.fields.map(\.name.canonicalName) == ["foo", "if-none-match"])
        #expect(seen.fields[.cacheStatus]?.hasSuffix("; detail=stale-while-revalidate") == true)
    }

    @Test(arguments: ["must-revalidate", "no-cache", "proxy-revalidate", "s-maxage=1"])
    func `stale-while-revalidate doesn't override the origin's other directives`(control: String) {
        var cache = Self.cache("max-age=1, stale-while-revalidate=60, \(control)")
        #expect(!cache.send([]).isFromStore)
    }

    @Test(arguments: ["no-cache", "max-age=0", "min-fresh=1", "max-stale=0", "max-age=2"])
    func `stale-while-revalidate isn't for clients that demand fresher responses`(control: String) {
        var cache = Self.cache("max-age=1, stale-while-revalidate=60")
        #expect(!cache.send(.get, ["Cache-Control: \(control)"], []).isFromStore)
    }

    @Test func `a client that wants a validation gets the fresh response if the origin fails`() {
        var cache = Self.cache("max-age=60")
        let seen = cache.send(.get, ["Cache-Control: no-cache"], nil)
        #expect(seen.status == 200)
        #expect(seen.fields[.cacheStatus] == "afcache; fwd=request; ttl=57; detail=origin-failed")
    }

    @Test(arguments: [("max-stale=10", 504), ("max-stale=60", 200), ("max-stale", 200)])
    func `a client limits staleness, even if the origin fails, §5_2_1_2`(control: String, status: Int) {
        var cache = Self.cache("max-age=2")
        cache.now += 29
        #expect(cache.send(.get, ["Cache-Control: \(control)"], nil).status == status)
    }

    @Test(
        arguments: [
            (0, "must-revalidate", 10, 504), (0, "public", 10, 200), (60, "must-revalidate", 10, 200),
            (60, "must-revalidate", 61, 504), (60, "no-cache", 10, 200), (.max, "no-cache", 1_000_000_000, 200),
            (60, "stale-if-error=5", 10, 200), (0, "stale-if-error=5", 10, 504),
        ] as [(Int64, String, Int64, Int)]
    )
    func `packages are served stale for as long as the operator says`(
        seconds: Int64,
        control: String,
        staleness: Int64,
        status: Int
    ) {
        var cache = SimulatedCache(rules: CachingRules(packageStaleSeconds: seconds))
        let lines = ["Date: @0", "Cache-Control: max-age=100, \(control)", "ETag: \"p\""]
        cache.stored = [StoredResponse(status: 200, fields: fields(lines), size: 7, received: cache.time)]
        cache.now += 100 + staleness
        let seen = cache.send(.get, [], nil)
        #expect(seen.status == status)
        if seconds > 0, status == 200, control != "stale-if-error=5" {
            #expect(seen.fields[.cacheStatus]?.hasSuffix("detail=origin-overruled") == true)
        }
    }

    @Test(
        arguments: [
            (OriginFailure.unreachable, 504, "origin-unreachable"), (.busy, 503, "too-many-requests"),
            (.timedOut, 504, "origin-timeout"),
            (.malformed, 502, "origin-malformed"),
        ]
    )
    func `with nothing to serve the failure is reported, RFC 9110 §15_6`(
        failure: OriginFailure,
        status: Int,
        detail: String
    ) {
        let action = CacheDecision.fail(
            failure,
            request: CacheRequest(),
            forwarding: Forwarding(fields: HTTPFields(), reason: .uriMiss),
            stored: [],
            now: Timestamp(secondsSinceEpoch: 0),
            rules: CachingRules()
        )
        guard case .refuse(let answer) = action else {
            Issue.record("no refusal")
            return
        }
        #expect(answer.status.code == status)
        #expect(answer.fields[.cacheStatus] == "afcache; fwd=uri-miss; detail=\(detail)")
    }

    @Test func `an unsafe request is never answered from the cache`() {
        var cache = Self.cache("max-age=60")
        #expect(cache.send(.post, [], nil).status == 504)
        #expect(cache.send(.put, [], status: 503, []).status == 503)
    }
}
