import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// A cache that may not ask: RFC 9111 §4.2.4, and the last column of what is required offline.
struct OfflineDecisionTests {
    private static func cache(
        _ lines: [String],
        _ policy: OfflinePolicy.Expired = .serve,
        source: StoredResponse.Source = .received,
        request: [String]? = [],
        status: Int = 200
    ) -> SimulatedCache {
        var cache = SimulatedCache(rules: CachingRules(connectivity: .offline(OfflinePolicy(expired: policy))))
        cache.stored = [
            StoredResponse(
                status: status,
                fields: fields(["Date: @0"] + lines),
                size: 10,
                received: cache.time,
                requestFields: request.map { AFCCachingTests.fields($0) },
                source: source
            )
        ]
        return cache
    }

    @Test(
        arguments: [
            ([], .get), ([], .head), (["Cache-Control: no-cache"], .get), (["Cache-Control: max-age=0"], .get),
            (["If-None-Match: \"x\""], .get), (["Range: bytes=0-1"], .get), (["If-Match: \"x\""], .get),
            (["Authorization: x"], .get), ([], .post), ([], .put), ([], .options), (["Cache-Control: no-store"], .get),
        ] as [([String], HTTPRequest.Method)]
    )
    func `nothing is ever forwarded`(request: [String], method: HTTPRequest.Method) {
        var empty = SimulatedCache(rules: CachingRules(connectivity: .offline(OfflinePolicy())))
        let missed = empty.send(method, request, [])
        #expect(missed.status == (method == .get || method == .head ? 504 : 405))
        for control in ["max-age=60", "max-age=0", "no-cache", "max-age=0, stale-while-revalidate=60"] {
            var cache = Self.cache(["Cache-Control: \(control)", "ETag: \"v\""])
            cache.now += 3
            let seen = cache.send(method, request, [])
            #expect(cache.asked == 0)
            #expect(seen.forwarding == nil)
            #expect(seen.behind == nil)
        }
    }

    @Test(
        arguments: [
            (.serve, "max-age=60", 200), (.serve, "max-age=1", 200), (.serve, "max-age=1, must-revalidate", 504),
            (.serve, "max-age=60, no-cache", 504), (.refuse, "max-age=1", 504), (.refuse, "max-age=60", 200),
            (.always, "max-age=1, must-revalidate", 200), (.always, "no-cache", 200),
        ] as [(OfflinePolicy.Expired, String, Int)]
    )
    func `the policy decides about responses that aren't fresh`(
        policy: OfflinePolicy.Expired,
        control: String,
        status: Int
    ) {
        for source in [StoredResponse.Source.package, .received] {
            var cache = Self.cache(["Cache-Control: \(control)"], policy, source: source)
            cache.now += 3
            #expect(cache.send(.get, [], nil).status == status)
        }
    }

    @Test func `a received response to other request fields isn't served, but a packaged one is`() {
        let lines = ["Cache-Control: max-age=60", "Vary: Accept-Language"]
        var received = Self.cache(lines, request: ["Accept-Language: en"])
        let refused = received.send(.get, ["Accept-Language: de"], nil)
        #expect(refused.status == 504)
        #expect(refused.fields[.cacheStatus] == "afcache; detail=offline-vary-miss")
        var packaged = Self.cache(lines, source: .package, request: ["Accept-Language: en"])
        let served = packaged.send(.get, ["Accept-Language: de"], nil)
        #expect(served.fields[.cacheStatus] == "afcache; hit; ttl=60; detail=vary-ignored")
    }

    @Test func `a received response is served with its coding`() {
        let lines = ["Cache-Control: max-age=60", "Content-Encoding: gzip", "Vary: Accept-Encoding"]
        var cache = Self.cache(lines, request: ["Accept-Encoding: gzip"])
        #expect(cache.send(.get, ["Accept-Encoding: gzip"], nil).fields[.contentEncoding] == "gzip")
        #expect(cache.send(.get, ["Accept-Encoding: br"], nil).status == 504)
    }

    @Test func `the matching one of several variants is used`() {
        var cache = Self.cache(["Cache-Control: max-age=60", "Vary: Foo"], request: ["Foo: 1"])
        var other = cache.stored[0]
        other.requestFields = AFCCachingTests.fields(["Foo: 2"])
        other.size = 20
        cache.stored.append(other)
        #expect(cache.send(.get, ["Foo: 1"], nil).fields[.contentLength] == "10")
        #expect(cache.send(.get, ["Foo: 2"], nil).fields[.contentLength] == "20")
    }

    @Test func `conditions and ranges are answered without the origin`() {
        let lines = ["Cache-Control: max-age=60", "ETag: \"v\""]
        for (request, status) in [
            ("If-None-Match: \"v\"", 304), ("If-Match: \"w\"", 412), ("Range: bytes=0-1", 206),
            ("Range: bytes=10-", 416),
        ] {
            var cache = Self.cache(lines)
            #expect(cache.send(.get, [request], nil).status == status)
        }
    }

    @Test func `a stored error is served only while it is fresh`() {
        var cache = Self.cache(["Cache-Control: max-age=60"], status: 503)
        #expect(cache.send(.get, [], nil).status == 503)
        cache.now += 61
        #expect(cache.send(.get, [], nil).fields[.cacheStatus] == "afcache; ttl=-1; detail=origin-forbids-stale")
    }

    @Test func `an invalidated response is refused unless the user overrides that`() {
        for (policy, status) in [(OfflinePolicy.Expired.serve, 504), (.always, 200)] {
            var cache = Self.cache(["Cache-Control: max-age=60"], policy)
            cache.stored[0].isInvalidated = true
            #expect(cache.send(.get, [], nil).status == status)
        }
    }

    @Test func `an age of years is reported`() {
        var cache = Self.cache(["Cache-Control: max-age=60"], source: .package)
        cache.now += 315_360_000
        let seen = cache.send(.get, [], nil)
        #expect(seen.fields[.age] == "315360000")
        #expect(seen.fields[.date] == "Sun, 09 Sep 2001 01:46:40 GMT")
        #expect(seen.fields[.cacheStatus] == "afcache; hit; ttl=-315359940; detail=offline")
    }
}
