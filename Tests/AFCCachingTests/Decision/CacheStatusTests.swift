import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9211: what the cache says of an answer.
struct CacheStatusTests {
    @Test func `the member has the parameters of §2`() {
        var status = CacheStatus(forward: .stale)
        status.forwardStatus = 304
        status.ttl = -86400
        status.isStored = true
        status.isCollapsed = true
        status.key = "https://www.example/\"a\\b\u{E9}"
        status.detail = "more words"
        #expect(
            status.description
                == "afcache; fwd=stale; fwd-status=304; ttl=-86400; stored; collapsed; "
                + "key=\"https://www.example/\\\"a\\\\b?\"; detail=\"more words\""
        )
        #expect(CacheStatus(isHit: true, ttl: 60).description == "afcache; hit; ttl=60")
    }

    @Test(
        arguments: [
            (.bypass, "bypass"), (.method, "method"), (.uriMiss, "uri-miss"), (.varyMiss, "vary-miss"), (.miss, "miss"),
            (.request, "request"), (.stale, "stale"), (.partial, "partial"),
        ] as [(CacheStatus.Forward, String)]
    )
    func `the reasons have the words of §2_2`(reason: CacheStatus.Forward, word: String) {
        #expect(CacheStatus(forward: reason).description == "afcache; fwd=\(word)")
    }

    @Test func `the member follows those of caches nearer to the origin, §2`() {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=60", "Cache-Status: Origin; hit"]
        #expect(cache.send(response).fields[.cacheStatus] == "Origin; hit, afcache; fwd=uri-miss; ttl=60; stored")
        cache.now += 3
        #expect(cache.send(response).fields[.cacheStatus] == "Origin; hit, afcache; hit; ttl=57")
        #expect(cache.stored[0].fields[.cacheStatus] == "Origin; hit")
    }

    @Test func `an answer shared with another request says so, §2_6`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=60", "Cache-Status: Origin; hit"])
        let action = CacheDecision.decide(CacheRequest(), stored: cache.stored, now: cache.time, rules: cache.rules)
        guard case .serve(let answer, _, _) = action else {
            Issue.record("not served")
            return
        }
        #expect(answer.cacheStatus == CacheStatus(isHit: true, ttl: 60))
        let collapsed = answer.collapsed(Forwarding(fields: HTTPFields(), reason: .uriMiss))
        #expect(collapsed.fields[.cacheStatus] == "Origin; hit, afcache; fwd=uri-miss; ttl=60; collapsed")
        #expect(collapsed.body == answer.body)
    }

    @Test func `each kind of answer has its reason`() {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=2", "Vary: Foo", "ETag: \"v\""]
        let first = cache.send(.get, ["Foo: 1"], response)
        let other = cache.send(.get, ["Foo: 2"], ["Cache-Control: no-store"])
        let forced = cache.send(.get, ["Foo: 1", "Cache-Control: no-cache"], status: 304, [])
        let posted = cache.send(.options, [], [])
        cache.now += 3
        let stale = cache.send(.get, ["Foo: 1"], status: 304, [])
        let lines = [first, other, forced, posted, stale].map { $0.fields[.cacheStatus] }
        #expect(
            lines == [
                "afcache; fwd=uri-miss; ttl=2; stored", "afcache; fwd=vary-miss",
                "afcache; fwd=request; fwd-status=304; ttl=2", "afcache; fwd=method",
                "afcache; fwd=stale; fwd-status=304; ttl=2",
            ]
        )
    }
}
