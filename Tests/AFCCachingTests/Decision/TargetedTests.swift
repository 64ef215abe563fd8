import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9213: fields that replace Cache-Control for some caches.
struct TargetedTests {
    private static let rules = CachingRules(targets: [.cdnCacheControl])

    @Test(
        arguments: [
            ("max-age=3600", [], true), ("max-age=2147483648", [], true), ("max-age=99999999999", [], true),
            ("max-age=3600", ["Age: 7200"], false), ("max-age=0", [], false), ("max-age=-3600", [], false),
            ("foobar, max-age=3600", [], true), ("max-age=3600;a=b", [], true),
            ("max-age=3600", ["Expires: @-10000"], true), ("max-age=3600", ["Expires: 0"], true),
            ("max-age=0", ["Expires: @10000"], false), ("max-age=3600", ["Cache-Control: max-age=1"], true),
            ("max-age=1", ["Cache-Control: max-age=3600"], false),
            ("private", ["Cache-Control: max-age=10000", "Expires: @10000"], false),
            ("no-cache", ["Cache-Control: max-age=10000", "Expires: @10000"], false),
            ("no-store", ["Cache-Control: max-age=10000", "Expires: @10000"], false),
            ("no-store=?0, max-age=60", [], true), ("max-age=10000", ["Cache-Control: no-store"], true),
            ("foo", ["Expires: @10000"], false),
        ]
    )
    func `a valid field replaces Cache-Control and Expires, §2_2`(field: String, more: [String], isReusable: Bool) {
        let response = ["CDN-Cache-Control: \(field)", "Date: @0"] + more
        #expect(isReused(response, rules: Self.rules) == isReusable)
    }

    @Test(
        arguments: [
            "max-age=10000, &&&&&", "max-age=\"10000\"", "max-age=10000.0", "max-age", "MaX-aGe=3600", "max-age =100",
            "max-age= 100", "", ",", "max-age=1, ", "max-age=99999999999999999999", "max-age=(1 2)",
        ]
    )
    func `a field that is no dictionary, empty, or of the wrong type is ignored, §2_1 and §2_2`(field: String) {
        #expect(!isReused(["CDN-Cache-Control: \(field)", "Cache-Control: no-store"], rules: Self.rules))
        #expect(!isReused(["CDN-Cache-Control: \(field)", "Cache-Control: max-age=1"], rules: Self.rules))
        #expect(isReused(["CDN-Cache-Control: \(field)", "Cache-Control: max-age=60"], rules: Self.rules))
    }

    @Test func `several lines form one dictionary`() {
        #expect(!isReused(["CDN-Cache-Control: max-age=60", "CDN-Cache-Control: no-store"], rules: Self.rules))
    }

    @Test func `the first valid field of the target list counts, §2_2`() throws {
        let other = try #require(HTTPField.Name("Other-Cache-Control"))
        let rules = CachingRules(targets: [other, .cdnCacheControl])
        #expect(isReused(["CDN-Cache-Control: no-store", "Other-Cache-Control: max-age=60"], rules: rules))
        #expect(!isReused(["CDN-Cache-Control: no-store", "Other-Cache-Control: max-age=?"], rules: rules))
        #expect(isReused(["CDN-Cache-Control: max-age=60", "Cache-Control: no-store"], rules: rules))
    }

    @Test func `without a target list the field means nothing`() {
        #expect(!isReused(["CDN-Cache-Control: max-age=3600"]))
        #expect(isReused(["CDN-Cache-Control: no-store", "Cache-Control: max-age=3600"]))
    }

    @Test func `the field is passed on, and served from the cache`() {
        var cache = SimulatedCache(rules: Self.rules)
        let response = ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age=60", "Expires: @1", "Date: @0"]
        #expect(cache.send(response).fields[.cdnCacheControl] == "max-age=60")
        cache.now += 3
        let seen = cache.send(response)
        #expect(seen.isFromStore)
        #expect(seen.fields[.cdnCacheControl] == "max-age=60")
        #expect(seen.fields[.age] == "3")
        #expect(seen.fields[.expires] == "Sun, 09 Sep 2001 01:46:41 GMT")
    }

    @Test(arguments: [("max-age=9, public", true), ("max-age=9, must-revalidate", true), ("max-age=9", false)])
    func `the permission to store with credentials is in the same field, RFC 9111 §3_5`(field: String, isReusable: Bool)
    {
        #expect(
            isReused(
                ["CDN-Cache-Control: \(field)", "Cache-Control: public"],
                first: ["Authorization: x"],
                rules: Self.rules
            ) == isReusable
        )
    }
}
