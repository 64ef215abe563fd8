import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9111 §4.4: what unsafe requests make doubtful.
struct InvalidationTests {
    private static func method(_ name: String) throws -> HTTPRequest.Method {
        try #require(HTTPRequest.Method(rawValue: name))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "UNKNOWN"], [200, 201, 204, 299, 301, 303])
    func `a request that isn't known to be safe invalidates its URI, unless it fails`(name: String, status: Int) throws
    {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "Date: @0"])
        let seen = cache.send(try Self.method(name), [], status: status, ["Server: x"])
        #expect(seen.reception?.invalidates == [""])
        #expect(seen.fields[.cacheStatus] == "afcache; fwd=method")
        #expect(!cache.send([]).isFromStore)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "M-SEARCH"], [400, 404, 409, 500, 503])
    func `an error invalidates nothing`(name: String, status: Int) throws {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "Date: @0"])
        let seen = cache.send(try Self.method(name), [], status: status, ["Location: /a", "Content-Location: /b"])
        #expect(seen.reception?.invalidates == [])
        #expect(cache.send(.get, [], nil).isFromStore)
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"])
    func `a safe method invalidates nothing, RFC 9110 §9_2_1`(name: String) throws {
        var cache = SimulatedCache()
        let seen = cache.send(try Self.method(name), [], ["Location: /a"])
        #expect(seen.reception?.invalidates == [])
    }

    @Test func `Location and Content-Location are invalidated, too`() {
        var cache = SimulatedCache()
        let seen = cache.send(.post, [], status: 201, ["Location: /a", "Content-Location: https://www.example/b"])
        #expect(seen.reception?.invalidates == ["", "/a", "https://www.example/b"])
    }

    @Test func `an invalidated response can be used again after a validation`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "ETag: \"v\""])
        cache.send(.delete, [], status: 204, [])
        let seen = cache.send(.get, [], status: 304, ["ETag: \"v\""])
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"v\"")
        #expect(seen.forwarding?.reason == .stale)
        #expect(cache.send(.get, [], nil).isFromStore)
    }

    @Test func `an invalidated response isn't served if the origin fails`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000, stale-if-error=60, stale-while-revalidate=60"])
        cache.send(.put, [], status: 204, [])
        #expect(cache.send(.get, [], nil).status == 504)
        #expect(cache.send(.get, ["Cache-Control: max-stale"], nil).status == 504)
    }

    @Test func `a POST invalidates first and is stored then, RFC 9110 §9_3_3`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000"])
        cache.send(.post, [], ["Cache-Control: max-age=3600", "Content-Location: /a", "Date: @1"], size: 3)
        let seen = cache.send(.get, [], nil)
        #expect(seen.isFromStore)
        #expect(seen.fields[.contentLength] == "3")
    }
}
