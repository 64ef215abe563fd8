import AFCCaching
import HTTPTypes
import Testing

/// RFC 9111 §3: what is stored.
struct StoringTests {
    @Test(
        arguments: [
            ("max-age=10000, no-store", false), ("No-StOrE", false), ("no-store, max-age=3600, must-understand", true),
            ("private, max-age=3600", false), ("private=\"a\", max-age=3600", true),
            ("private=\"\", max-age=3600", false),
            ("max-age=10000, no-cache", false), ("max-age=10000, No-CaChE", false),
            ("max-age=10000, no-cache=\"a\"", true), ("max-age=10000, no-cache=\"\"", false),
            ("public", false), ("max-age=10000, must-revalidate", true),
        ]
    )
    func `the origin's directives decide, §3 and §5_2_2`(control: String, isReusable: Bool) {
        #expect(isReused(["Cache-Control: \(control)"]) == isReusable)
    }

    @Test func `a private cache stores private responses, §5_2_2_7`() {
        #expect(isReused(["Cache-Control: private, max-age=3600"], rules: CachingRules(sharing: .isPrivate)))
    }

    /// A response without a lifetime, and what a program wants that stores it all the same.
    @Test(
        arguments: [
            (200, [], true), (200, ["Cache-Control: private"], true), (200, ["Cache-Control: no-cache"], true),
            (200, ["Cache-Control: max-age=0"], true), (200, ["Cache-Control: no-store"], false),
            (200, ["Vary: *"], false), (200, ["Content-Type: text/event-stream; charset=utf-8"], false),
            (200, ["Content-Type: multipart/x-mixed-replace; boundary=a"], false), (204, [], true),
            (301, ["Location: /b"], true), (302, ["Location: /b"], true), (303, ["Location: /b"], true),
            (307, ["Location: /b"], true), (308, ["Location: /b"], true), (304, [], false), (401, [], false),
            (404, [], false), (500, [], false),
        ] as [(Int, [String], Bool)]
    )
    func `without a lifetime and a validator, a private cache stores it if told so, and never as fresh`(
        status: Int,
        fields: [String],
        isStored: Bool
    ) {
        var rules = CachingRules(sharing: .isPrivate)
        for (tells, sharing) in [(true, Freshness.Sharing.isPrivate), (true, .shared), (false, .isPrivate)] {
            (rules.storesWithoutLifetime, rules.sharing) = (tells, sharing)
            var cache = SimulatedCache(rules: rules)
            cache.send(.get, [], status: status, fields)
            #expect(cache.stored.count == (isStored && tells && sharing == .isPrivate ? 1 : 0))
            #expect(!cache.send(.get, [], status: status, fields).isFromStore)
        }
        rules.storesWithoutLifetime = true
        var cache = SimulatedCache(rules: rules)
        cache.send(.post, [], status: status, fields)
        #expect(cache.stored.isEmpty)
    }

    /// What the login page of a network sends, and what an origin does.
    @Test(
        arguments: [
            (302, [], "image/png", 200), (303, [], "text/html", 200), (307, [], "application/json", 200),
            (302, ["Cache-Control: no-store"], "text/html", 200), (302, ["Cache-Control: max-age=0"], "image/png", 200),
            (302, ["Expires: @-10"], "image/png", 200), (302, ["ETag: \"p\""], "image/png", 200),
            (302, ["Cache-Control: max-age=60"], "image/png", 302), (301, [], "image/png", 301),
            (308, [], "image/png", 308), (511, ["Content-Type: text/html"], "image/png", 200),
            (200, ["Content-Type: text/html"], "image/png", 200),
            (200, ["Content-Type: text/html", "Cache-Control: no-store"], "application/json", 200),
            (200, ["Content-Type: text/html; charset=utf-8", "a: new"], "text/html", 201),
            (200, ["Content-Type: text/html", "a: new", "ETag: \"p\""], "image/png", 201),
            (200, ["Content-Type: text/html", "a: new", "Cache-Control: max-age=60"], "image/png", 201),
            (200, ["Content-Type: application/json", "a: new"], "image/png", 201),
        ] as [(Int, [String], String, Int)],
        [true, false]
    )
    func `the login page of a network doesn't take the place of a success`(
        answer: (status: Int, fields: [String], old: String, kept: Int),
        validates: Bool
    ) throws {
        var rules = CachingRules(sharing: .isPrivate)
        rules.storesWithoutLifetime = true
        var cache = SimulatedCache(rules: rules)
        cache.send(["Content-Type: \(answer.old)"] + (validates ? ["ETag: \"1\""] : []))
        cache.now += 10
        let seen = cache.send(.get, [], status: answer.status, ["Location: /login"] + answer.fields)
        #expect(seen.status == answer.status && !seen.isFromStore)
        #expect(seen.forwarding?.validating == (validates ? 0 : nil))
        let name = try #require(HTTPField.Name("a"))
        // A 201 in the table stands for the new 200.
        #expect(cache.stored.map { $0.fields[name] == "new" ? 201 : $0.status } == [answer.kept])
        cache.rules.connectivity = .offline(OfflinePolicy())
        #expect(cache.send([]).status == (answer.kept == 201 ? 200 : answer.kept))
        cache.rules.connectivity = .online
        cache.now += 100
        cache.send(.get, [], ["Content-Type: \(answer.old)", "b: 2"])
        #expect(cache.stored.map(\.status) == [200], "the next success replaces it")
    }

    @Test(
        arguments: [
            200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599,
        ]
    )
    func `any final status with explicit freshness is stored and reused, §3`(status: Int) {
        #expect(isReused(["Cache-Control: max-age=100000", "Date: @0"], status: status))
        #expect(!isReused(["Expires: @-5000", "Last-Modified: @-100000", "Date: @0"], status: status))
    }

    @Test(arguments: [101, 206, 304, 412, 416])
    func `interim statuses, parts without range and failed conditions are not stored, §3`(status: Int) {
        #expect(!isReused(["Cache-Control: max-age=100000", "Content-Range: bytes 0-4/10"], status: status))
    }

    @Test(arguments: [428, 429, 431, 511], [Freshness.Sharing.shared, .isPrivate])
    func `statuses that no cache may store are not stored, RFC 6585`(status: Int, sharing: Freshness.Sharing) {
        let fields = ["Cache-Control: public, max-age=100000", "ETag: \"1\"", "Date: @0"]
        #expect(!isReused(fields, status: status, rules: CachingRules(sharing: sharing)))
        var cache = SimulatedCache(rules: CachingRules(sharing: sharing))
        cache.send(.get, [], ["Cache-Control: max-age=1", "ETag: \"1\"", "Date: @0"])
        cache.now += 10
        cache.send(.get, [], status: status, fields)
        #expect(cache.stored.map(\.status) == [200], "what it validated stays")
    }

    @Test(arguments: [(599, false), (299, false), (200, true), (404, true)])
    func `must-understand asks whether the status is known, §5_2_2_3`(status: Int, isReusable: Bool) {
        #expect(
            isReused(["Cache-Control: max-age=3600, no-store, must-understand"], status: status) == isReusable
        )
        #expect(isReused(["Cache-Control: max-age=3600, must-understand"], status: status) == isReusable)
    }

    @Test(
        arguments: [
            ("max-age=3600", false), ("max-age=3600, public", true), ("max-age=3600, must-revalidate", true),
            ("s-maxage=3600", true), ("max-age=3600, proxy-revalidate", false),
        ]
    )
    func `a response to credentials needs permission in a shared cache, §3_5`(control: String, isReusable: Bool) {
        let response = ["Cache-Control: \(control)", "Date: @0"]
        #expect(isReused(response, first: ["Authorization: FOO"]) == isReusable)
        let rules = CachingRules(sharing: .isPrivate)
        #expect(isReused(["Cache-Control: max-age=3600"], first: ["Authorization: FOO"], rules: rules))
    }

    @Test func `a response to a request with no-store isn't stored, §5_2_1_5`() {
        #expect(!isReused(["Cache-Control: max-age=3600"], first: ["Cache-Control: no-store"]))
    }

    @Test(arguments: ["*", "*, *", ", *", "*, Foo", "Foo, *", "Foo Bar", "a/b"])
    func `a response with Vary * is not stored, §4_1`(vary: String) {
        #expect(!isReused(["Cache-Control: max-age=5000", "Vary: \(vary)"]))
    }

    @Test(arguments: [("Foo", true), ("AFCache", true), ("afcache-status", false), ("Foo, AFCache-Source", false)])
    func `a response that varies by a reserved name is not stored`(vary: String, isStored: Bool) {
        #expect(isReused(["Cache-Control: max-age=5000", "Vary: \(vary)"]) == isStored)
    }

    @Test func `connection fields, and those Connection lists, are neither stored nor forwarded, §3_1`() {
        var cache = SimulatedCache()
        let response = [
            "Cache-Control: max-age=3600", "Connection: a, b", "a: 1", "b: 2", "c: 3", "Keep-Alive: x",
            "Proxy-Authenticate: x", "Proxy-Authentication-Info: x", "Proxy-Authorization: x", "Proxy-Connection: x",
            "TE: x", "Transfer-Encoding: x", "Upgrade: x", "Trailer: x", "Set-Cookie: a=b", "Content-Encoding: x",
            "Content-Range: x", "Public-Key-Pins: x",
        ]
        let passed = cache.send(response)
        let served = cache.send([])
        #expect(served.isFromStore)
        let kept: Set<String> = [
            "cache-control", "c", "set-cookie", "content-encoding", "content-range", "public-key-pins", "date",
            "cache-status",
        ]
        #expect(Set(passed.fields.map(\.name.canonicalName)) == kept)
        #expect(
            Set(served.fields.map(\.name.canonicalName)) == kept.union(["age", "accept-ranges", "content-length"])
        )
    }

    @Test(
        arguments: [
            ("Cache-Control: no-store", "Cache-Control"), ("Vary: *", "vary"), ("Age: 7200", "AGE"),
        ]
    )
    func `Connection can't remove end-to-end fields, RFC 9110 §7_6_1`(line: String, listed: String) {
        #expect(!isReused(["Expires: @3600", "Date: @0", "Connection: \(listed)", line]))
    }

    @Test func `a response matches the request that its origin received`() {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=60", "Vary: Foo, Accept-Language"]
        let seen = cache.send(.get, ["Foo: 1", "Accept-Language: de", "Connection: Foo, Accept-Language"], response)
        #expect(seen.forwarding?.fields.map(\.name.canonicalName) == ["accept-language"])
        #expect(!cache.send(.get, ["Foo: 1", "Accept-Language: de"], response).isFromStore)
        #expect(cache.send(.get, ["Accept-Language: de"], response).isFromStore)
    }

    @Test func `the same request never fills the cache`() {
        var cache = SimulatedCache()
        for _ in 0..<5 {
            cache.send(.get, ["Foo: 1", "Connection: Foo"], ["Cache-Control: max-age=60", "Vary: Foo"])
        }
        #expect(cache.stored.count == 1)
    }

    @Test func `a list of more than 64 names is the strictest of its kind`() {
        let names = (0..<65).map { "a\($0)" }.joined(separator: ", ")
        #expect(isReused(["Cache-Control: max-age=60", "Vary: a, b"]))
        #expect(!isReused(["Cache-Control: max-age=60", "Vary: \(names)"]))
        #expect(!isReused(["Cache-Control: max-age=60, no-cache=\"\(names)\""]))
        #expect(!isReused(["Cache-Control: max-age=60, private=\"\(names)\""]))
    }

    @Test func `private fields are forwarded but not stored, §5_2_2_7`() throws {
        var cache = SimulatedCache()
        let name = try #require(HTTPField.Name("a"))
        #expect(cache.send(["Cache-Control: max-age=3600, private=\"A\"", "a: 1", "b: 2"]).fields[name] == "1")
        let served = cache.send([])
        #expect(served.isFromStore)
        #expect(served.fields[name] == nil)
    }

    @Test func `Date and Age of a forwarded response are unchanged, RFC 9110 §6_6_1`() {
        var cache = SimulatedCache()
        let seen = cache.send(["Date: foo", "Age: 77", "Cache-Control: max-age=3600"])
        #expect(seen.fields[.date] == "foo")
        #expect(seen.fields[.age] == "77")
        let undated = cache.send(.get, ["Cache-Control: no-cache"], ["Server: x"])
        #expect(undated.fields[.date] == "Sun, 09 Sep 2001 01:46:40 GMT")
        #expect(undated.fields[.age] == nil)
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=3600", "Content-Location: /a"], 200, true),
            (["Cache-Control: max-age=3600", "Content-Location: /a"], 201, false),
            (["Cache-Control: max-age=3600"], 200, false), (["Content-Location: /a", "ETag: \"x\""], 200, false),
        ]
    )
    func `the answer to a POST is stored where it says that a GET gets it, RFC 9110 §9_3_3`(
        response: [String],
        status: Int,
        isStored: Bool
    ) {
        var cache = SimulatedCache()
        let seen = cache.send(.post, [], status: status, response)
        #expect(seen.reception?.storesOnlyAt == (isStored ? "/a" : nil))
        #expect(cache.send([]).isFromStore == isStored)
    }

    @Test(arguments: [HTTPRequest.Method.head, .put, .options, .delete])
    func `answers to other methods are not stored, §3`(method: HTTPRequest.Method) {
        var cache = SimulatedCache()
        cache.send(method, [], ["Cache-Control: max-age=3600", "Content-Location: /a"])
        #expect(cache.stored.isEmpty)
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], true), (["Cache-Control: s-maxage=60"], true), (["Expires: @60"], true),
            (["Cache-Control: public", "ETag: \"x\""], true), (["Last-Modified: @-1000"], false),
            (["ETag: \"x\""], false),
            (["Cache-Control: no-cache", "ETag: \"x\""], false), (["Cache-Control: max-age=0", "ETag: \"x\""], false),
        ]
    )
    func `a cookie isn't shared unless the origin gives a lifetime or says public`(response: [String], isStored: Bool) {
        var cache = SimulatedCache()
        cache.send(response + ["Set-Cookie: id=1", "Date: @0"])
        #expect(cache.stored.count == (isStored ? 1 : 0))
    }

    @Test(
        arguments: [
            (["ETag: \"x\""], true), (["Last-Modified: @-10"], true),
            (["Cache-Control: no-cache", "ETag: \"x\""], true),
            (["Cache-Control: no-cache"], false), (["Cache-Control: max-age=0"], false),
            (["Cache-Control: max-age=0, stale-if-error=60"], true), (["Cache-Control: no-cache, max-age=60"], false),
        ]
    )
    func `responses that could never be used aren't stored`(response: [String], isStored: Bool) {
        var cache = SimulatedCache()
        cache.send(response)
        #expect(cache.stored.count == (isStored ? 1 : 0))
    }
}
