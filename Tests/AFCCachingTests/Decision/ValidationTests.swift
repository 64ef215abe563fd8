import AFCCaching
import HTTPTypes
import Testing

/// RFC 9111 §4.3.1 and §4.3.2, RFC 9110 §13: conditions of the cache, and of its clients.
struct ValidationTests {
    @Test(
        arguments: [
            (["ETag: \"abcdef\""], "\"abcdef\"", nil), (["ETag: W/\"abcdef\""], "W/\"abcdef\"", nil),
            (["ETag: abcdef"], "abcdef", nil),
            (["Last-Modified: @-3000"], nil, "Sun, 09 Sep 2001 00:56:40 GMT"),
            (["ETag: \"a\"", "Last-Modified: @-3000"], "\"a\"", "Sun, 09 Sep 2001 00:56:40 GMT"),
            (["ETag: \"a\"", "ETag: \"b\"", "Last-Modified: @-3000"], nil, "Sun, 09 Sep 2001 00:56:40 GMT"),
        ] as [([String], String?, String?)]
    )
    func `a stale response is validated with its own validators, §4_3_1`(
        validators: [String],
        tag: String?,
        date: String?
    ) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=2", "Date: @0"] + validators)
        cache.now += 3
        let client = ["If-None-Match: \"other\"", "If-Modified-Since: @-9000", "Foo: 1", "Connection: Bar", "Bar: 2"]
        let seen = cache.send(.get, client, [])
        #expect(seen.forwarding?.validating == 0)
        #expect(seen.forwarding?.reason == .stale)
        #expect(seen.forwarding?.fields[.ifNoneMatch] == tag)
        #expect(seen.forwarding?.fields[.ifModifiedSince] == date)
        #expect(seen.forwarding?.fields.contains { $0.name.canonicalName == "foo" } == true)
        #expect(seen.forwarding?.fields.contains { ["bar", "connection"].contains($0.name.canonicalName) } == false)
    }

    @Test func `a response without a validator is requested as the client requested it`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=2"])
        cache.now += 3
        let seen = cache.send(.get, ["If-None-Match: \"mine\""], status: 304, ["ETag: \"mine\""])
        #expect(seen.forwarding?.validating == nil)
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"mine\"")
        #expect(seen.status == 304)
    }

    @Test func `on a miss the client's conditions are forwarded, and so is the origin's 304`() {
        var cache = SimulatedCache()
        let seen = cache.send(.get, ["If-None-Match: \"abcdef\""], status: 304, ["ETag: \"abcdef\""])
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"abcdef\"")
        #expect(seen.forwarding?.isCollapsible == false)
        #expect(seen.status == 304)
        #expect(cache.stored.isEmpty)
    }

    @Test(
        arguments: [
            ("\"abcdef\"", "\"abcdef\"", 304), ("W/\"abcdef\"", "W/\"abcdef\"", 304),
            ("\"abcdef\"", "W/\"abcdef\"", 304),
            ("\"abcdef\"", "\"abcdef\", \"1234\", \"5678\"", 304),
            ("\"abcdef\"", "\"1234\", \"abcdef\", \"5678\"", 304),
            ("\"abcdef\"", "\"1234\",W/\"abcdef\"", 304), ("\"abcdef\"", "*", 304), ("\"abcdef\"", "abcdef", 200),
            ("abcdef", "abcdef", 304), ("abcdef", "\"abcdef\"", 200), ("w/\"abcdef\"", "w/\"abcdef\"", 304),
            ("\"abcdef\"", "\"1234\"", 200), ("\"abc\u{FC}\"", "\"abc\u{FC}\"", 304),
        ]
    )
    func `If-None-Match is evaluated on a fresh response, §4_3_2 and RFC 9110 §13_1_2`(
        tag: String,
        condition: String,
        status: Int
    ) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "Date: @0", "ETag: \(tag)", "Content-Type: text/plain"])
        let seen = cache.send(.get, ["If-None-Match: \(condition)"], nil)
        #expect(seen.isFromStore)
        #expect(seen.status == status)
        guard status == 304 else { return }
        #expect(seen.body == Resolution.Body.none)
        #expect(seen.fields[.eTag] == tag)
        #expect(seen.fields[.contentType] == nil)
        #expect(seen.fields[.contentLength] == nil)
    }

    @Test(
        arguments: [
            (["Last-Modified: @-3000"], "Sun, 09 Sep 2001 00:56:40 GMT", 304),
            (["Last-Modified: @-3000"], "Sun, 09 Sep 2001 01:13:20 GMT", 304),
            (["Last-Modified: @-3000"], "Sunday, 09-Sep-01 00:56:40 GMT", 304),
            (["Last-Modified: @-3000"], "Sun Sep  9 00:56:40 2001", 304),
            (["Last-Modified: @-3000"], "Sun, 09 Sep 2001 00:56:39 GMT", 200), (["Last-Modified: @-3000"], "0", 200),
            ([], "Sun, 09 Sep 2001 01:46:40 GMT", 304), ([], "Sun, 09 Sep 2001 00:56:40 GMT", 200),
        ]
    )
    func `If-Modified-Since is evaluated on a fresh response, RFC 9110 §13_1_3`(
        validators: [String],
        date: String,
        status: Int
    ) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "Date: @0"] + validators)
        #expect(cache.send(.get, ["If-Modified-Since: \(date)"], nil).status == status)
    }

    @Test(arguments: [("\"abcdef\"", 304), ("\"other\"", 200)])
    func `If-None-Match takes precedence over If-Modified-Since, RFC 9110 §13_2_2`(condition: String, status: Int) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "Date: @0", "Last-Modified: @-5000", "ETag: \"abcdef\""])
        let date = status == 304 ? -10000 : 0
        let request = ["If-None-Match: \(condition)", "If-Modified-Since: @\(date)"]
        #expect(cache.send(.get, request, nil).status == status)
    }

    @Test(arguments: ["If-Match: \"x\"", "If-Unmodified-Since: @-9000"])
    func `conditions for the origin are forwarded, RFC 9110 §13_1_1 and §13_1_4`(line: String) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=100000", "Date: @0", "ETag: \"v\""])
        let seen = cache.send(.get, [line], status: 412, [])
        #expect(seen.forwarding?.reason == .request)
        #expect(seen.forwarding?.validating == nil)
        #expect(seen.forwarding?.fields.count == 1)
        #expect(seen.status == 412)
        #expect(cache.stored.count == 1)
    }

    @Test(
        arguments: [
            ("If-Modified-Since: @-3000", 304), ("If-Modified-Since: @-4000", 200), ("If-None-Match: \"v\"", 304),
            ("If-None-Match: \"w\"", 200), ("If-None-Match: *", 304), ("Range: bytes=0-1", 206), ("Foo: 1", 200),
        ]
    )
    func `after a validation the client's own conditions are evaluated, §4_3_3`(line: String, status: Int) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=2", "Date: @0", "Last-Modified: @-3000", "ETag: \"v\""])
        cache.now += 3
        let seen = cache.send(.get, [line], status: 304, ["ETag: \"v\"", "Date: @3"])
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"v\"")
        #expect(seen.status == status)
    }

    @Test(arguments: [301, 404])
    func `conditions are ignored unless the response is a success, RFC 9110 §13_2_1`(status: Int) {
        var cache = SimulatedCache()
        cache.send(.get, [], status: status, ["Cache-Control: max-age=100", "ETag: \"v\""])
        #expect(cache.send(.get, ["If-None-Match: *"], nil).status == status)
    }

    @Test(
        arguments: [
            (.get, [], true), (.get, ["Foo: 1"], true), (.head, [], false), (.post, [], false),
            (.get, ["Range: bytes=0-1"], false), (.get, ["Authorization: x"], false),
            (.get, ["If-None-Match: \"a\""], false), (.get, ["Cache-Control: no-store"], false),
            (.get, ["Cache-Control: no-cache"], true),
        ] as [(HTTPRequest.Method, [String], Bool)]
    )
    func `other requests wait for an answer only if it may be used for them`(
        method: HTTPRequest.Method,
        request: [String],
        isCollapsible: Bool
    ) {
        var cache = SimulatedCache()
        #expect(cache.send(method, request, []).forwarding?.isCollapsible == isCollapsible)
    }
}
