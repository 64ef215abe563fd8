import AFCCaching
import Testing

/// RFC 9111 §5.2.1: how long a response goes on to meet what a client demands of its freshness.
struct ClientDemandTests {
    @Test(arguments: [
        ("min-fresh=5", 12, 0, 8), ("min-fresh=12", 12, 0, 1), ("min-fresh=13", 12, 0, 0), ("max-stale=5", -5, 90, 1),
        ("max-stale=5", -2, 90, 4), ("max-stale=5", 3, 90, 9), ("max-stale=5", -6, 90, 0), ("max-age=60", 12, 60, 1),
        ("max-age=60", 12, 20, 41), ("max-age=0", 12, 0, 1), ("max-age=60, min-fresh=5", 12, 20, 8),
    ])
    func `the last second in which it does counts`(_ value: String, _ ttl: Int64, _ age: Int64, _ seconds: Int64) {
        #expect(CacheControl(values: [value]).seconds(met: ttl, age: age) == seconds)
    }

    @Test(arguments: ["", "max-stale", "no-cache", "only-if-cached"])
    func `without a demand it always does`(_ value: String) {
        #expect(CacheControl(values: [value]).seconds(met: -7, age: 1 << 31) > 1 << 31)
    }

    @Test func `a cache without origins doesn't heed the age, and no number is too large`() {
        #expect(CacheControl(values: ["max-age=1"]).seconds(met: 5, age: nil) > 1 << 31)
        let large = "99999999999999999999"
        #expect(CacheControl(values: ["max-stale=\(large)"]).seconds(met: .min, age: .max) < 2)
        #expect(CacheControl(values: ["min-fresh=\(large)"]).seconds(met: 5, age: 0) < 0)
        #expect(CacheControl(values: ["max-age=\(large)"]).seconds(met: 5, age: .max) < 2)
    }
}
