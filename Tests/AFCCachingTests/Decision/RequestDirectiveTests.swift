import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9111 §5.2.1 and §5.4: what clients ask for; RFC 8246: what they needn't.
struct RequestDirectiveTests {
    @Test(
        arguments: [
            ("max-age=0", "max-age=100000", [], false), ("max-age=1", "max-age=100000", [], false),
            ("max-age=3", "max-age=100000", [], true), ("max-age=600", "max-age=100000", ["Age: 1800"], false),
            ("max-age=x", "max-age=100000", [], false), ("max-stale=1000", "max-age=2", [], true),
            ("max-stale", "max-age=2", [], true), ("max-stale=0", "max-age=2", [], false),
            ("max-stale=x", "max-age=2", [], false), ("max-stale=1000", "max-age=1500", ["Age: 2000"], true),
            ("max-stale=100", "max-age=1500", ["Age: 2000"], false),
            ("max-stale", "max-age=2, must-revalidate", [], false),
            ("max-stale", "max-age=2, no-cache", [], false), ("max-stale", "s-maxage=2", [], false),
            ("max-stale=9, max-age=2", "max-age=2", [], false), ("max-stale=9, max-age=9", "max-age=2", [], true),
            ("min-fresh=2000", "max-age=1500", [], false), ("min-fresh=1000", "max-age=1500", ["Age: 1000"], false),
            ("min-fresh=1000", "max-age=1500", [], true), ("no-cache", "max-age=3600", [], false),
            ("No-Cache", "max-age=3600", [], false), ("no-store", "max-age=3600", [], true),
            ("unknown=1", "max-age=3600", [], true),
        ]
    )
    func `directives of requests are obeyed, §5_2_1`(
        request: String,
        control: String,
        more: [String],
        isServed: Bool
    ) {
        let response = ["Cache-Control: \(control)", "Date: @0"] + more
        #expect(isReused(response, second: ["Cache-Control: \(request)"]) == isServed)
    }

    @Test(
        arguments: [
            (["ETag: \"v\""], "if-none-match"), (["Last-Modified: @-10000"], "if-modified-since"),
        ]
    )
    func `a client's no-cache validates a fresh response, §5_2_1_4`(validator: [String], name: String) {
        var cache = SimulatedCache()
        cache.send(["Cache-Control: max-age=3600", "Date: @0"] + validator)
        let seen = cache.send(.get, ["Cache-Control: no-cache"], status: 304, [])
        #expect(seen.forwarding?.fields.contains { $0.name.canonicalName == name } == true)
        #expect(seen.fields[.cacheStatus] == "afcache; fwd=request; fwd-status=304; ttl=3600")
        #expect(seen.status == 200)
    }

    @Test(
        arguments: [
            ([], [], 504), (["Cache-Control: max-age=3600"], [], 200), (["Cache-Control: max-age=2"], [], 504),
            (["Cache-Control: max-age=2"], ["Cache-Control: max-stale"], 200),
            (["Cache-Control: max-age=3600"], ["Cache-Control: no-cache"], 504),
            (["Cache-Control: max-age=2, stale-while-revalidate=9"], [], 200),
        ]
    )
    func `only-if-cached is answered from the cache, or with 504, §5_2_1_7`(
        response: [String],
        request: [String],
        status: Int
    ) {
        var cache = SimulatedCache()
        cache.send(response)
        cache.now += 3
        let seen = cache.send(.get, ["Cache-Control: only-if-cached"] + request, [])
        #expect(seen.status == status)
        #expect(cache.asked == 1)
        if status == 504 { #expect(seen.fields[.cacheStatus] == "afcache; detail=only-if-cached") }
    }

    @Test(
        arguments: [
            (["Pragma: no-cache"], false), (["Pragma: x, No-Cache"], false), (["Pragma: unrecognised-extension"], true),
            (["Pragma: no-cache", "Cache-Control: max-age=60"], true),
        ]
    )
    func `Pragma counts if there is no Cache-Control, §5_4`(request: [String], isServed: Bool) {
        #expect(isReused(["Cache-Control: max-age=3600"], second: request) == isServed)
    }

    @Test func `Pragma in a response means nothing, §5_4`() {
        #expect(isReused(["Cache-Control: max-age=3600", "Pragma: no-cache"]))
        #expect(isReused(["Date: @0", "Last-Modified: @-10000", "Pragma: no-cache"]))
    }

    @Test(
        arguments: [
            ("max-age=3600, immutable", "max-age=0", true), ("max-age=3600, immutable", "no-cache", false),
            ("max-age=3600, immutable", "max-age=1", false), ("max-age=2, immutable", "max-age=0", false),
            ("immutable", "max-age=0", false),
        ]
    )
    func `a reload doesn't validate a fresh immutable response, RFC 8246 §2`(
        control: String,
        request: String,
        isServed: Bool
    ) {
        #expect(
            isReused(["Cache-Control: \(control)", "ETag: \"v\""], second: ["Cache-Control: \(request)"]) == isServed
        )
    }

    @Test(arguments: ["Cookie: a=b", "Authorization: x", "Foo: 1"])
    func `other fields of a request don't matter, §4`(line: String) {
        #expect(isReused(["Cache-Control: max-age=3600", "Set-Cookie: a=b"], second: [line]))
    }
}
