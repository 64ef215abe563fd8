import AFCURL
import Testing

struct ReaderParameterTests {
    @Test(arguments: [
        ("utm_source", true), ("utm_", true), ("utm", false), ("UTM_source", false), ("gclid", true), ("gclid2", false),
        ("hsCtaTracking", true), ("hsctatracking", false), ("matomo_campaign", true), ("pk_other", false), ("", false),
        ("utm_*", true), ("*", false), ("phpsessid", false),
    ])
    func `a tracking parameter is known by its name as sites write it`(name: String, isOne: Bool) {
        #expect(ReaderParameter.isTracking(name) == isOne)
    }

    @Test(arguments: [
        ("UTM_source", true), ("hsctatracking", true), ("HSCTATRACKING", true), ("sccid", true), ("ScCid", true),
        ("Matomo_x", true), ("utm", false), ("", false),
    ])
    func `with case ignored, any spelling is found`(name: String, isOne: Bool) {
        #expect(ReaderParameter.isTracking(name, ignoresCase: true) == isOne)
    }

    @Test(arguments: [
        ("PHPSESSID", "x", true), ("jsessionid", "", false), ("aspsessionidqqab", "1", true),
        ("aspsession", "1", false),
        ("ASP.NET_SessionId", "1", true),
        // 16 letters and digits, two of each at least; other characters don't count, and some rule it out.
        ("sid", "0123456789abcdef", true), ("SID", "01-23.45_6789abcdef", true), ("sid", "0123456789abcde", false),
        ("s", "internationalisation1", false), ("s", "internationalisation12", true), ("s", "0123456789012345a", false),
        ("s", "0123456789ab+cdef", false), ("s", "", false), ("id", "0123456789abcdef", false),
    ])
    func `a session ID is known by its name, or by a common name and an unlikely value`(
        name: String,
        value: String,
        isOne: Bool
    ) {
        #expect(ReaderParameter.isSession(name, value: value) == isOne)
    }

    @Test func `no parameter is listed twice, or covered by a listed prefix`() {
        for list in [ReaderParameter.tracking, ReaderParameter.session] {
            #expect(Set(list.map { $0.lowercased() }).count == list.count)
            let prefixes = list.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
            #expect(prefixes.allSatisfy { prefix in !list.contains { $0.hasPrefix(prefix) && $0 != prefix + "*" } })
        }
    }
}
