import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9111 §3.2, §4.3.4 and §4.3.5: what a 304, and the answer to a HEAD, change.
struct FresheningTests {
    private static func stale(_ lines: [String]) -> SimulatedCache {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=2", "Date: @0"] + lines)
        cache.now += 3
        return cache
    }

    private static func value(_ fields: HTTPFields, _ name: String) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }

    @Test func `a 304 keeps the stored fields that it omits, §3_2`() {
        var cache = Self.stale(["Last-Modified: @-9000", "Test-Header: A"])
        let seen = cache.send(.get, [], status: 304, ["Last-Modified: @-9000", "Date: @3"])
        #expect(seen.status == 200)
        #expect(seen.body == .whole)
        #expect(Self.value(seen.fields, "Test-Header") == "A")
        #expect(seen.fields[.date] == "Sun, 09 Sep 2001 01:46:43 GMT")
        #expect(seen.fields[.age] == "0")
        #expect(seen.fields[.cacheStatus] == "afcache; fwd=stale; fwd-status=304; ttl=2")
    }

    /// The stored body was selected by all fields that the first answer named.
    @Test(arguments: ["X-B", "X-A", "X-A, X-B", "X-B, X-C"])
    func `a 304 with another Vary doesn't make the response match more requests`(vary: String) {
        var cache = SimulatedCache()
        let asked = ["X-A: 1", "X-B: 1"]
        cache.send(.get, asked, ["Date: @0", "Cache-Control: max-age=2", "ETag: \"e\"", "Vary: X-A, X-B"])
        cache.now += 3
        let fresh = ["Date: @3", "Cache-Control: max-age=600", "ETag: \"e\"", "Vary: \(vary)"]
        #expect(cache.send(.get, asked, status: 304, fresh).status == 200)
        #expect(cache.send(.get, asked, nil).isFromStore)
        for other in [["X-A: 2", "X-B: 1"], ["X-A: 1", "X-B: 2"]] {
            let answer = cache.send(.get, other, ["Date: @3", "Cache-Control: no-store"])
            #expect(!answer.isFromStore, "\(other)")
        }
    }

    @Test(
        arguments: [
            ("Test-Header", "A", "B", "B"), ("X-Test-Header", "A", "B", "B"), ("Content-Foo", "A", "B", "B"),
            ("X-Content-Foo", "A", "B", "B"), ("Cache-Control", "max-age=1", "max-age=3600", "max-age=3600"),
            ("Content-Length", "36", "10", "36"), ("Content-Location", "/foo", "/bar", "/bar"),
            ("Content-Type", "text/plain", "text/plain;charset=utf-8", "text/plain;charset=utf-8"),
            ("Content-Encoding", "x", "y", "x"), ("Content-Range", "x", "y", "x"), ("Content-MD5", "x", "y", "x"),
            (
                "Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT",
                "Mon, 11 Jan 2038 11:11:11 GMT"
            ),
            ("Vary", "X-A", "X-A", "X-A"), ("Set-Cookie", "a=b", "a=c", "a=c"),
            ("X-Frame-Options", "deny", "sameorigin", "sameorigin"),
            ("Keep-Alive", "x", "y", nil), ("Connection", "x", "y", nil),
        ] as [(String, String, String, String?)]
    )
    func `a 304 updates fields, but not those that describe the stored bytes, §3_2`(
        name: String,
        old: String,
        new: String,
        expected: String?
    ) {
        let more = name == "Cache-Control" ? [] : ["Cache-Control: max-age=2"]
        var cache = SimulatedCache()
        cache.send(.get, [], ["Date: @0", "ETag: \"e\"", "\(name): \(old)"] + more, size: 36)
        cache.now += 3
        let seen = cache.send(.get, [], status: 304, ["Date: @3", "ETag: \"e\"", "\(name): \(new)"] + more)
        #expect(seen.status == 200)
        #expect(Self.value(seen.fields, name) == expected)
        let again = cache.send(.get, [], nil)
        #expect(again.isFromStore)
        #expect(Self.value(again.fields, name) == expected)
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], ["ETag: \"a\""], true), (["ETag: \"a\""], ["ETag: W/\"a\""], true),
            (["ETag: W/\"a\""], ["ETag: W/\"a\""], true), (["ETag: \"a\""], [], true),
            (["ETag: \"a\""], ["ETag: \"b\""], false), (["ETag: \"a\""], ["ETag: \"a\"", "ETag: \"b\""], false),
            (["ETag: \"a\"", "Last-Modified: @-9"], ["ETag: \"a\"", "Last-Modified: @-8"], true),
            (["ETag: \"a\"", "Last-Modified: @-9"], ["Last-Modified: @-9"], true),
            (["ETag: \"a\"", "Last-Modified: @-9"], ["Last-Modified: @-8"], false),
            (["Last-Modified: @-9"], ["Last-Modified: @-9"], true), (["Last-Modified: @-9"], [], true),
            (["Last-Modified: @-9"], ["Last-Modified: @-8"], false),
            (["Last-Modified: @-9"], ["Last-Modified: Sunday, 09-Sep-01 01:46:31 GMT"], true),
            (["Last-Modified: @-9"], ["ETag: \"a\""], false),
        ]
    )
    func `a 304 for another validator is useless, and the origin is asked again, §4_3_4`(
        validators: [String],
        answer: [String],
        fits: Bool
    ) {
        var cache = Self.stale(validators)
        let request = ["If-None-Match: \"mine\""]
        let seen = cache.send(.get, request, status: 304, answer + ["Cache-Control: max-age=9"])
        #expect(cache.asked == (fits ? 2 : 3))
        #expect(seen.status == 200)
        guard !fits else { return }
        #expect(seen.forwarding?.validating == nil)
        #expect(seen.forwarding?.fields.isEmpty == true)
        #expect(cache.stored.count == 1)
    }

    @Test(arguments: [([], "0"), (["Age: 7"], "7")])
    func `the age starts again with a 304, §4_2_3`(answer: [String], age: String) {
        var cache = Self.stale(["ETag: \"a\"", "Age: 50"])
        #expect(cache.send(.get, [], status: 304, ["ETag: \"a\"", "Date: @3"] + answer).fields[.age] == age)
    }

    @Test func `a 304 with a strong validator updates all that have it, §4_3_4`() {
        var cache = SimulatedCache()
        for (foo, tag) in [("1", "\"a\""), ("2", "\"a\""), ("3", "W/\"a\""), ("4", "\"b\"")] {
            cache.send(.get, ["Foo: \(foo)"], ["Cache-Control: max-age=2", "Vary: Foo", "ETag: \(tag)"])
        }
        cache.now += 3
        cache.send(.get, ["Foo: 1"], status: 304, ["ETag: \"a\"", "Cache-Control: max-age=60"])
        #expect(cache.stored.map { CacheControl($0.fields).maxAge } == [60, 60, 2, 2])
        #expect(cache.send(.get, ["Foo: 2"], nil).isFromStore)
    }

    /// The stored response came for `Foo: 1, Bar: 1`, and was validated by the same request.
    @Test(
        arguments: [
            ("Foo", "Foo", ["Foo: 1", "Bar: 2"], true), ("Foo", "Foo", ["Foo: 2"], false),
            ("Foo, Bar", "Foo", ["Foo: 1", "Bar: 2"], false), ("Foo, Bar", "Foo", ["Foo: 1", "Bar: 1"], true),
            ("Foo, Bar", "foo", ["Foo: 1"], false), ("Foo", "Bar", ["Foo: 2", "Bar: 1"], false),
            ("Foo", "Bar", ["Foo: 1", "Bar: 2"], false), ("Foo", "Bar", ["Foo: 1", "Bar: 1"], true),
            ("Foo", "Foo, Bar", ["Foo: 1", "Bar: 2"], false), ("Foo", "", ["Foo: 2"], false),
        ]
    )
    func `a 304 or a HEAD with another Vary never lets a response answer more requests, §4_1`(
        first: String,
        second: String,
        request: [String],
        isReused: Bool
    ) {
        for method in [HTTPRequest.Method.get, .head] {
            var cache = SimulatedCache()
            cache.send(.get, ["Foo: 1", "Bar: 1"], ["Cache-Control: max-age=2", "Vary: \(first)", "ETag: \"a\""])
            cache.now += 3
            cache.send(
                method,
                ["Foo: 1", "Bar: 1"],
                status: method == .get ? 304 : 200,
                ["Cache-Control: max-age=60", "Vary: \(second)", "ETag: \"a\""]
            )
            #expect(cache.send(.get, request, []).isFromStore == isReused, "\(method)")
        }
    }

    @Test func `a HEAD updates no other response whose Vary it changes`() {
        var cache = SimulatedCache()
        for bar in ["1", "2"] {
            let response = ["Cache-Control: max-age=2", "Vary: Foo", "ETag: \"\(bar)\""]
            cache.stored.append(contentsOf: Self.stored(["Foo: 1", "Bar: \(bar)"], response))
        }
        cache.now += 3
        cache.send(.head, ["Foo: 1", "Bar: 1"], ["Cache-Control: max-age=60", "Vary: Foo, Bar"])
        #expect(cache.stored.count { CacheControl($0.fields).maxAge == 60 } == 1)
    }

    private static func stored(_ request: [String], _ response: [String]) -> [StoredResponse] {
        var cache = SimulatedCache()
        cache.send(.get, request, response)
        return cache.stored
    }

    @Test func `a full response to a validation replaces the stored one, §4_3_3`() {
        var cache = Self.stale(["ETag: \"a\""])
        let seen = cache.send(.get, [], ["Cache-Control: max-age=60", "ETag: \"b\""], size: 5)
        #expect(seen.fields[.cacheStatus] == "afcache; fwd=stale; ttl=60; stored")
        #expect(cache.stored.map(\.size) == [5])
    }

    @Test(arguments: [(200, 0), (301, 0), (404, 0), (403, 1), (429, 1), (501, 1)])
    func `an unstored answer removes the response it replaces, but an error doesn't`(status: Int, left: Int) {
        var cache = Self.stale(["ETag: \"a\""])
        cache.send(.get, [], status: status, ["Cache-Control: no-store"])
        #expect(cache.stored.count == left)
    }

    @Test(arguments: ["Cache-Control: no-store", "Cache-Control: private", "Vary: *"])
    func `a 304 that forbids storing removes the stored response after serving it`(line: String) {
        var cache = Self.stale(["ETag: \"a\""])
        let seen = cache.send(.get, [], status: 304, ["ETag: \"a\"", line])
        #expect(seen.status == 200)
        #expect(cache.stored.isEmpty)
    }

    @Test func `fields that need validation are sent after a validation, §5_2_2_4`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=2, no-cache=\"a\"", "a: 1", "b: 2", "ETag: \"e\""])
        #expect(Self.value(cache.send([]).fields, "a") == nil)
        cache.now += 3
        #expect(Self.value(cache.send(.get, [], status: 304, ["ETag: \"e\""]).fields, "a") == "1")
    }

    @Test func `a packaged response is updated, and keeps its body`() {
        var cache = SimulatedCache()
        let lines = ["Date: @-9000", "Expires: @-10", "Last-Modified: @-99999"]
        cache.stored = [StoredResponse(status: 200, fields: fields(lines), size: 7, received: cache.time)]
        let seen = cache.send(.get, [], status: 304, ["Date: @0", "Expires: @60"])
        #expect(seen.forwarding?.fields[.ifModifiedSince] == "Fri, 07 Sep 2001 22:00:01 GMT")
        #expect(seen.fields[.contentLength] == "7")
        cache.now += 30
        #expect(cache.send(.get, [], nil).isFromStore)
        #expect(cache.stored[0].source == .package)
    }

    // MARK: HEAD

    @Test(
        arguments: [
            (["Cache-Control: max-age=1000", "Template-A: 2"], true),
            (["ETag: \"a\"", "Cache-Control: max-age=9"], true),
            (["Content-Length: 10", "Cache-Control: max-age=9"], true), (["Content-Length: 11"], false),
            (["ETag: \"b\""], false), (["Last-Modified: @-8"], false),
        ]
    )
    func `a HEAD updates the response it describes, and invalidates others, §4_3_5`(answer: [String], describes: Bool) {
        var cache = Self.stale(["Template-A: 1", "ETag: \"a\""])
        let seen = cache.send(.head, [], answer)
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"a\"")
        #expect(seen.status == 200)
        #expect(cache.stored.count == (describes ? 1 : 0))
        guard describes else { return }
        #expect(seen.body == Resolution.Body.none)
        #expect(seen.fields[.contentLength] == "10")
        #expect(Self.value(seen.fields, "Template-A") == (answer.contains("Template-A: 2") ? "2" : "1"))
        #expect(cache.send(.get, [], nil).isFromStore)
    }

    @Test func `a HEAD is answered from the GET, and by a 304 for it, RFC 9110 §9_3_2`() {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=2", "ETag: \"a\""])
        let served = cache.send(.head, [], nil)
        #expect(served.isFromStore)
        #expect(served.body == Resolution.Body.none)
        cache.now += 3
        let seen = cache.send(.head, [], status: 304, ["ETag: \"a\"", "Cache-Control: max-age=60"])
        #expect(seen.status == 200)
        #expect(seen.fields[.contentLength] == "10")
        #expect(cache.send(.get, [], nil).isFromStore)
    }

    @Test(arguments: [([], 504), (["ETag: \"a\""], 200)])
    func `a HEAD without a validator doesn't revalidate an invalidated response, §4_4`(answer: [String], status: Int) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=60", "ETag: \"a\""])
        cache.send(.post, [], [])
        cache.send(.head, [], answer)
        #expect(cache.send(.get, [], nil).status == status)
    }

    @Test(arguments: [404, 410, 500])
    func `a HEAD with another status changes nothing, §4_3_5`(status: Int) {
        var cache = Self.stale(["Template-A: 1"])
        #expect(cache.send(.head, [], status: status, ["Template-A: 2"]).status == status)
        #expect(Self.value(cache.stored[0].fields, "Template-A") == "1")
    }
}
