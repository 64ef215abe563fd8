import AFCCaching
import AFCHTTP
import HTTPTypes
import TestSupport
import Testing

/// What holds for every exchange, whatever stands in the fields.
struct InvariantTests {
    /// SplitMix64: the same sequence each time.

    private static let requestLines = [
        "Range: bytes=0-1", "Range: bytes=-3", "Range: bytes=9223372036854775807-",
        "Range: bytes=0-99999999999999999999",
        "Range: bytes=2-,4-5", "If-Range: \"v\"", "If-None-Match: \"v\"", "If-None-Match: *", "If-Modified-Since: @-5",
        "If-Match: \"w\"", "Cache-Control: no-cache", "Cache-Control: max-stale=5", "Cache-Control: max-age=0",
        "Cache-Control: only-if-cached", "Cache-Control: min-fresh=99999999999", "Cache-Control: stale-if-error=9",
        "Authorization: x", "Foo: 1", "Foo: 2", "Accept-Language: de;q=0.5, en", "Connection: Foo", "Pragma: no-cache",
    ]

    private static let responseLines = [
        "Cache-Control: max-age=5", "Cache-Control: max-age=0, must-revalidate", "Cache-Control: no-cache",
        "Cache-Control: no-store", "Cache-Control: private", "Cache-Control: public", "Cache-Control: s-maxage=3",
        "Cache-Control: stale-while-revalidate=4, stale-if-error=9", "Cache-Control: =,\"",
        "Cache-Control: no-cache=\"foo",
        "CDN-Cache-Control: max-age=7", "CDN-Cache-Control: \"", "Expires: @3", "Expires: Thu, 99 Foo", "Age: 3",
        "Age: 99999999999999999999", "Date: @-3", "Date: @9223372036", "ETag: \"v\"", "ETag: W/\"w\"", "ETag: x",
        "Last-Modified: @-9", "Last-Modified: @9", "Vary: Foo", "Vary: *", "Vary: Accept-Language",
        "Content-Language: en", "Content-Range: bytes 0-4/10", "Content-Range: bytes 5-9/10",
        "Content-Range: bytes 3-2/1",
        "Content-Location: /a", "Location: //", "Connection: ETag, Foo", "Content-Length: 7", "Content-Encoding: gzip",
    ]

    private static let statuses = [200, 200, 200, 204, 206, 206, 301, 304, 404, 412, 416, 500, 503, 599]

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `no exchange breaks a rule that has no exception`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            var cache = SimulatedCache(rules: Self.rules(&random))
            for _ in 0..<6 {
                cache.now += Int64.random(in: 0...4, using: &random)
                let method = [HTTPRequest.Method.get, .get, .get, .head, .post].randomElement(using: &random) ?? .get
                let request = Self.pick(Self.requestLines, 3, &random)
                let before = cache.stored
                let asked = cache.asked
                let seen = cache.send(
                    method,
                    request,
                    status: Self.statuses.randomElement(using: &random) ?? 200,
                    Bool.random(using: &random) ? Self.pick(Self.responseLines, 5, &random) : nil,
                    size: Int64.random(in: 0...12, using: &random)
                )
                Self.check(seen, cache, before, asked: asked)
            }
        }
    }

    private static func check(
        _ seen: SimulatedCache.Seen,
        _ cache: SimulatedCache,
        _ before: [StoredResponse],
        asked: Int
    ) {
        if case .offline = cache.rules.connectivity { #expect(cache.asked == asked && seen.forwarding == nil) }
        // RFC 9211: each answer says what became of the request; only an origin's own head is passed without a body of ours.
        #expect(seen.fields[.cacheStatus]?.contains("afcache") == true)
        #expect(seen.fields[values: .age].count <= 2)
        let limit = max(before.map(\.size).max() ?? 0, cache.stored.map(\.size).max() ?? 0)
        switch seen.body {
        case .range(let range): #expect(0 <= range.lowerBound && !range.isEmpty && range.upperBound <= limit)
        case .parts(let parts, _):
            for part in parts { #expect(0 <= part.range.lowerBound && part.range.upperBound <= limit) }
        default: break
        }
        for response in cache.stored where response.source == .received {
            let control = CacheControl(response.fields)
            #expect(cache.rules.targets != [] || !control.isNoStore)
            #expect(cache.rules.sharing == .isPrivate || cache.rules.targets != [] || !control.isPrivate)
            #expect(response.status != 304 && response.fields[.vary] != "*" && response.fields[.date] != nil)
        }
    }

    private static func rules(_ random: inout SeededGenerator) -> CachingRules {
        CachingRules(
            sharing: Bool.random(using: &random) ? .shared : .isPrivate,
            targets: Bool.random(using: &random) ? [.cdnCacheControl] : [],
            connectivity: Int.random(in: 0..<5, using: &random) == 0 ? .offline(OfflinePolicy()) : .online,
            packageStaleSeconds: Bool.random(using: &random) ? .max : 0
        )
    }

    private static func pick(_ lines: [String], _ most: Int, _ random: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0...most, using: &random)).compactMap { _ in lines.randomElement(using: &random) }
    }
}
