import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// RFC 9111 §4.2: how long responses are fresh, and how old they are.
struct FreshnessTests {
    @Test(
        arguments: [
            ([], false), (["Cache-Control: max-age=3600"], true), (["Cache-Control: max-age=2"], false),
            (["Cache-Control: max-age=3"], false), (["Cache-Control: max-age=4"], true),
            (["Cache-Control: max-age=0"], false), (["Cache-Control: max-age=0", "Expires: @3600"], false),
            (["Cache-Control: max-age=3600", "Expires: @-7200"], true),
            (["Cache-Control: max-age=3600", "Expires: 0"], true),
            (["Cache-Control: s-maxage=3600"], true), (["Cache-Control: max-age=3600, s-maxage=1"], false),
            (["Cache-Control: s-maxage=1, max-age=3600"], false),
            (["Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"], false),
            (["Cache-Control: max-age=1, s-maxage=3600"], true),
            (["Expires: @-10", "Cache-Control: max-age=0, s-maxage=3600"], true),
            (["Expires: @2592000", "Date: @0"], true), (["Expires: @-2592000", "Date: @0"], false),
            (["Expires: @0", "Date: @0"], false), (["Expires: @300", "Date: @400"], false),
            (["Expires: @10", "Date: foo"], true),
        ]
    )
    func `s-maxage overrides max-age, which overrides Expires, §4_2_1`(response: [String], isFresh: Bool) {
        #expect(isReused(response) == isFresh)
    }

    @Test(
        arguments: [
            ("MaX-aGe=3600", true), ("foobar, max-age=3600", true), ("max-age=-3600", false),
            ("max-age=2147483647", true), ("max-age=2147483648", true), ("max-age=2147483649", true),
            ("max-age=99999999999", true), ("max-age=99999999999999999999999999", true), ("max-age=003600", true),
            ("max-age=\"3600\"", true), ("max-age='3600'", false), ("max-age =3600", false), ("max-age= 3600", false),
            ("max-age=3600.0", false), ("max-age=3600.5", false), ("max-age=a3600", false), ("max-age=3600a", false),
            ("max-age=", false), ("max-age", false), ("max-age=\"3600", false),
            ("extension=\"max-age=3600\", max-age=1", false), ("max-age=1, extension=\"max-age=3600\"", false),
            ("extension=\"a\\\", max-age=3600\", max-age=1", false),
            ("max-age=1800, max-age=1", true), ("max-age=1, max-age=1800", false), (",,max-age=3600,", true),
            ("\tmax-age=3600 , public", true),
        ]
    )
    func `delta-seconds are read strictly, and the first directive counts, §1_2_2 and §4_2_1`(
        control: String,
        isFresh: Bool
    ) {
        #expect(isReused(["Cache-Control: \(control)"]) == isFresh)
    }

    @Test func `seconds beyond 2^31 are 2^31, §1_2_2`() {
        #expect(CacheControl(values: ["max-age=2147483647"]).maxAge == 2_147_483_647)
        #expect(CacheControl(values: ["max-age=2147483649"]).maxAge == 2_147_483_648)
        #expect(CacheControl(values: ["max-age=99999999999999999999999999"]).maxAge == 2_147_483_648)
    }

    @Test(
        arguments: [
            ("Tue, 19 Jan 2038 14:14:08 GMT", true), ("Sun, 21 Nov 2286 04:46:39 GMT", true),
            ("Thursday, 18-Aug-50 02:01:18 GMT", true), ("Thu Aug  8 02:01:18 2050", true),
            ("THU, 18 Aug 2050 02:01:18 GMT", true), ("Thu, 18 AUG 2050 02:01:18 GMT", true),
            ("Thu, 18 Aug 2050 02:01:18 gMT", true), ("Thu, 18 Aug 2050 02:01:18 UTC", false),
            ("Thu, 18 Aug 2050 02:01:18 AEST", false), ("Thu, 18 Aug 50 02:01:18 GMT", false),
            ("Thu 18 Aug 2050 02:01:18 GMT", false), ("Thu, 18  Aug  2050 02:01:18 GMT", false),
            ("Thu, 18-Aug-2050 02:01:18 GMT", false), ("Thu, 18 Aug 2050 02.01.18 GMT", false),
            ("Thu, 18 Aug 2050 2:01:18 GMT", false), ("0", false), ("", false),
        ]
    )
    func `Expires is read strictly, and an invalid date counts as past, §5_3`(expires: String, isFresh: Bool) {
        #expect(isReused(["Expires: \(expires)", "Date: @0"]) == isFresh)
    }

    @Test func `the first of two Expires lines counts, §4_2_1`() {
        #expect(!isReused(["Expires: 0", "Expires: @3600", "Date: @0"]))
        #expect(isReused(["Expires: @3600", "Expires: 0", "Date: @0"]))
    }

    @Test(
        arguments: [
            (["Age: 7200"], false), (["Age: abc"], true), (["Age: -7200"], true), (["Age: 7200.0"], true),
            (["Age: 2147483647"], false), (["Age: 2147483648"], false), (["Age: 2147483649"], false),
            (["Age: 99999999999999999999999"], false), (["Age: 7200, 0"], false), (["Age: 0, 7200"], true),
            (["Age: 7200", "Age: 0"], false), (["Age: 0", "Age: 7200"], true), (["Age: 0, 0"], true),
            (["Age: 0", "Age: 0"], true), (["Age: 1800", "Age: 1800"], true), (["Age: 7200;foo=bar"], true),
            (["Age: "], true),
        ]
    )
    func `Age is the first value of the first line, and ignored unless all digits, §5_1`(age: [String], isFresh: Bool) {
        #expect(isReused(["Date: @0", "Cache-Control: max-age=3600"] + age) == isFresh)
    }

    @Test(
        arguments: [
            (["Date: @-7200", "Cache-Control: max-age=3600"], false),
            (["Date: @7200", "Cache-Control: max-age=3600"], true),
            (["Date: @-10", "Expires: @10", "Age: 25"], false), (["Date: @10", "Expires: @20", "Age: 15"], false),
        ]
    )
    func `the age is the greater of apparent and stated age, §4_2_3`(response: [String], isFresh: Bool) {
        #expect(isReused(response, after: 0) == isFresh)
    }

    @Test(arguments: [(nil, "160"), (1_000_000_000, "160"), (999_999_990, "170"), (1_000_000_010, "160")])
    func `the time that the answer took counts, §4_2_3`(requested: Int64?, age: String) {
        let response = StoredResponse(
            status: 200,
            fields: fields(["Date: @0", "Age: 100", "Cache-Control: max-age=3600"]),
            size: 1,
            received: Timestamp(secondsSinceEpoch: 1_000_000_000),
            requested: requested.map { Timestamp(secondsSinceEpoch: $0) },
            source: .received
        )
        let now = Timestamp(secondsSinceEpoch: 1_000_000_060)
        let freshness = Freshness(of: response, at: now, sharing: .shared)
        #expect(String(freshness.age) == age)
    }

    @Test(
        arguments: [
            (200, [], true), (201, [], false), (202, [], false), (203, [], true), (204, [], true), (301, [], true),
            (302, [], false), (308, [], true), (403, [], false), (404, [], true), (405, [], true), (410, [], true),
            (414, [], true), (500, [], false), (501, [], true), (502, [], false), (503, [], false), (504, [], false),
            (599, [], false), (599, ["Cache-Control: public"], true),
        ]
    )
    func `freshness is estimated for some statuses, and with public, §4_2_2`(
        status: Int,
        more: [String],
        isFresh: Bool
    ) {
        #expect(isReused(["Date: @0", "Last-Modified: @-86400"] + more, status: status) == isFresh)
    }

    @Test(arguments: [(30, 3, false), (40, 3, true), (100, 9, true), (100, 10, false), (0, 0, false), (-50, 0, false)])
    func `freshness is estimated as a tenth of the time since the last change, §4_2_2`(
        unchanged: Int64,
        age: Int64,
        isFresh: Bool
    ) {
        #expect(isReused(["Date: @0", "Last-Modified: @\(-unchanged)"], after: age) == isFresh)
    }

    @Test func `estimated freshness is at most a week, §4_2_2`() {
        let response = ["Date: @0", "Last-Modified: @-900000000"]
        #expect(isReused(response, after: 604_799))
        #expect(!isReused(response, after: 604_800))
    }

    @Test(arguments: ["Cache-Control: max-age=0", "Expires: 0", "Cache-Control: s-maxage=0"])
    func `freshness is not estimated if the origin states it, §4_2_2`(line: String) {
        #expect(!isReused(["Date: @0", "Last-Modified: @-86400", line]))
    }

    @Test func `freshness is not estimated for packaged responses`() {
        let response = StoredResponse(
            status: 200,
            fields: fields(["Date: @0", "Last-Modified: @-86400"]),
            size: 1,
            received: Timestamp(secondsSinceEpoch: 1_000_000_000)
        )
        let freshness = Freshness(of: response, at: Timestamp(secondsSinceEpoch: 1_000_000_001), sharing: .shared)
        #expect(freshness.lifetime == nil)
        #expect(freshness.ttl == -1)
    }

    @Test func `a private cache ignores s-maxage, §5_2_2_10`() {
        let rules = CachingRules(sharing: .isPrivate)
        #expect(!isReused(["Cache-Control: s-maxage=3600, max-age=1"], rules: rules))
        #expect(!isReused(["Cache-Control: s-maxage=3600"], rules: rules))
        #expect(isReused(["Cache-Control: s-maxage=1, max-age=3600"], rules: rules))
    }

    @Test func `an answer from the cache has an Age and keeps its Date, §4 and §5_1`() {
        var cache = SimulatedCache()
        cache.send(["Date: @-20", "Age: 30", "Expires: @2592000"])
        cache.now += 3
        let seen = cache.send([])
        #expect(seen.fields[.age] == "33")
        #expect(seen.fields[.date] == "Sun, 09 Sep 2001 01:46:20 GMT")
        #expect(seen.fields[.expires] == "Tue, 09 Oct 2001 01:46:40 GMT")
    }
}

extension SimulatedCache {
    /// A GET without fields.
    @discardableResult
    mutating func send(_ response: [String]) -> Seen { send(.get, [], response) }
}
