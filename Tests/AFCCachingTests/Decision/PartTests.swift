import AFCCaching
import HTTPTypes
import Testing

/// RFC 9111 §3.3 and §3.4, RFC 9110 §14: ranges, from whole responses and from parts.
struct PartTests {
    /// A cache with the last bytes of a body of ten.
    private static func tail(_ more: [String] = [], range: String = "5-9", size: Int64 = 5) -> SimulatedCache {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=3600", "Content-Range: bytes \(range)/10", "Date: @0"] + more
        cache.send(.get, ["Range: bytes=-5"], status: 206, response, size: size)
        return cache
    }

    @Test(
        arguments: [
            ("bytes=0-1", 0..<2, "bytes 0-1/11"), ("bytes=1-", 1..<11, "bytes 1-10/11"),
            ("bytes=-1", 10..<11, "bytes 10-10/11"),
        ] as [(String, Range<Int64>, String)]
    )
    func `ranges are served from a whole response`(range: String, bytes: Range<Int64>, contentRange: String) {
        var cache = SimulatedCache()
        cache.send(.get, [], ["Cache-Control: max-age=3600", "A: 1"], size: 11)
        let seen = cache.send(.get, ["Range: \(range)"], nil)
        #expect(seen.isFromStore)
        #expect(seen.status == 206)
        #expect(seen.body == .range(bytes))
        #expect(seen.fields[.contentRange] == contentRange)
        #expect(seen.fields.contains { $0.name.canonicalName == "a" })
    }

    @Test(
        arguments: [
            ("bytes=-5", 0..<5, "bytes 5-9/10"), ("bytes=6-8", 1..<4, "bytes 6-8/10"),
            ("bytes=6-", 1..<5, "bytes 6-9/10"), ("bytes=6-99", 1..<5, "bytes 6-9/10"),
            ("bytes=-1", 4..<5, "bytes 9-9/10"),
        ] as [(String, Range<Int64>, String)]
    )
    func `a range within a part is served from it`(range: String, bytes: Range<Int64>, contentRange: String) {
        var cache = Self.tail()
        let seen = cache.send(.get, ["Range: \(range)"], nil)
        #expect(seen.isFromStore)
        #expect(seen.status == 206)
        #expect(seen.body == .range(bytes))
        #expect(seen.fields[.contentRange] == contentRange)
        #expect(seen.fields[.contentLength] == String(bytes.count))
    }

    @Test(
        arguments: [
            ("bytes=-5", 0..<5), ("bytes=6-8", 2..<5), ("bytes=6-", 2..<5), ("bytes=-1", 4..<5),
        ] as [(String, Range<Int64>)]
    )
    func `a body shorter than its Content-Range has the length that its origin meant`(
        range: String,
        bytes: Range<Int64>
    ) {
        var cache = Self.tail(range: "4-9")
        #expect(cache.send(.get, ["Range: \(range)"], nil).body == .range(bytes))
    }

    @Test(arguments: [("bytes=-7", nil), ("bytes=-5", 0..<5), ("bytes=6-", 1..<5)] as [(String, Range<Int64>?)])
    func `bytes beyond the Content-Range are never served`(range: String, bytes: Range<Int64>?) {
        var cache = Self.tail(size: 100)
        let seen = cache.send(.get, ["Range: \(range)"], status: 416, [])
        #expect(seen.body == bytes.map { .range($0) })
    }

    @Test(arguments: ["bytes=0-1", "bytes=4-6", "bytes=-6", "bytes=5-5,7-7", "bytes=10-", "lines=1-2", "bytes=x"])
    func `the missing bytes of a part are requested, RFC 9111 §3_3`(range: String) {
        var cache = Self.tail()
        let seen = cache.send(.get, ["Range: \(range)"], status: 416, [])
        #expect(seen.forwarding?.reason == .partial)
        #expect(seen.forwarding?.fields[.range] == range)
        #expect(cache.stored.count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func `a part is never served for a request for the whole`(method: HTTPRequest.Method) {
        var cache = Self.tail()
        #expect(cache.send(method, [], []).forwarding?.reason == .partial)
        #expect(cache.send(method, [], nil).status == 504)
    }

    @Test(
        arguments: [
            "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes */10", "items 5-9/10", "bytes -5/10", "",
            "bytes 5-9/x", "bytes 5-9999999999999999999/*",
        ]
    )
    func `a part at an unknown position is not stored`(contentRange: String) {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=3600", "Content-Range: \(contentRange)"]
        #expect(cache.send(.get, ["Range: bytes=-5"], status: 206, response).status == 206)
        #expect(cache.stored.isEmpty)
    }

    @Test func `a part of a body of unknown length is served for positions within it`() {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=3600", "Content-Range: bytes 0-4/*"]
        cache.send(.get, ["Range: bytes=0-4"], status: 206, response, size: 5)
        #expect(cache.send(.get, ["Range: bytes=1-2"], nil).fields[.contentRange] == "bytes 1-2/*")
        #expect(!cache.send(.get, ["Range: bytes=1-"], status: 416, []).isFromStore)
        #expect(!cache.send(.get, ["Range: bytes=-2"], status: 416, []).isFromStore)
    }

    @Test(
        arguments: [
            ("\"v\"", true), ("\"w\"", false), ("W/\"v\"", false), ("Sat, 08 Sep 2001 01:46:40 GMT", true),
            ("Sat, 08 Sep 2001 01:46:41 GMT", false),
        ]
    )
    func `If-Range is obeyed for several ranges, too, RFC 9110 §13_1_5`(condition: String, isServed: Bool) {
        var cache = Self.tail(["ETag: \"v\"", "Last-Modified: @-86400"])
        let seen = cache.send(.get, ["Range: bytes=-1", "If-Range: \(condition)"], [])
        #expect(seen.isFromStore == isServed)
    }

    @Test func `a whole response is preferred to a part, and replaces it`() {
        var cache = Self.tail(["ETag: \"v\""])
        cache.send(.get, [], ["Cache-Control: max-age=3600", "ETag: \"v\""], size: 10)
        #expect(cache.stored.map(\.status) == [200])
        #expect(cache.send(.get, ["Range: bytes=-1"], nil).body == .range(9..<10))
    }

    @Test func `parts are never combined, and few are kept`() {
        var cache = SimulatedCache()
        for first in 0..<20 {
            let range = "bytes \(first * 10)-\(first * 10 + 9)/200"
            let response = ["Cache-Control: max-age=3600", "ETag: \"v\"", "Content-Range: \(range)"]
            cache.send(.get, ["Range: bytes=\(first * 10)-\(first * 10 + 9)"], status: 206, response, size: 10)
            cache.now += 1
        }
        #expect(cache.stored.count == 8)
        #expect(cache.send(.get, ["Range: bytes=190-199"], nil).isFromStore)
        #expect(!cache.send(.get, ["Range: bytes=180-199"], status: 416, []).isFromStore)
    }

    @Test func `a part of another representation replaces those of the old one`() {
        var cache = Self.tail(["ETag: \"v\""])
        let response = ["Cache-Control: max-age=3600", "ETag: \"w\"", "Content-Range: bytes 0-1/10"]
        cache.send(.get, ["Range: bytes=0-1"], status: 206, response, size: 2)
        #expect(cache.stored.map { $0.fields[.eTag] } == ["\"w\""])
    }

    @Test func `a stale part is validated and served`() {
        var cache = Self.tail(["ETag: \"v\""])
        cache.now += 3601
        let seen = cache.send(.get, ["Range: bytes=-1"], status: 304, ["ETag: \"v\""])
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"v\"")
        #expect(seen.forwarding?.fields[.range] == "bytes=-1")
        #expect(seen.status == 206)
        #expect(seen.body == .range(4..<5))
    }

    @Test func `a part of a new representation removes the stale complete one`() {
        var cache = SimulatedCache()
        cache.send(.get, [], ["Cache-Control: max-age=2", "ETag: \"v\""], size: 10)
        cache.now += 3
        let response = ["Cache-Control: max-age=60", "ETag: \"w\"", "Content-Range: bytes 0-1/9"]
        #expect(cache.send(.get, ["Range: bytes=0-1"], status: 206, response, size: 2).status == 206)
        #expect(cache.stored.map(\.status) == [206])
    }
}
