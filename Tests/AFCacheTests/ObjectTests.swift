import AFCache
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Decoded values by URL and policy, as AFImageCache had them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ObjectTests {
    /// A value that is decoded, as an image is.
    struct Picture: Sendable, Equatable {
        var text: String
    }

    /// Decodes, and counts that.
    final class Decoder: Sendable {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }

        func decode(_ data: Data) -> Picture {
            state.withLock { $0 += 1 }
            return Picture(text: String(decoding: data, as: UTF8.self))
        }
    }

    let decoder = Decoder()

    private func picture(
        _ bench: AppBench,
        _ url: URL,
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> String {
        let decoder = decoder
        return try await bench.cache.object(for: url, policy: policy) { decoder.decode($0) }.text
    }

    @Test func `a value is decoded once while its response is fresh`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one"), .fresh("two")]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            #expect(bench.cache.cachedObject(for: url, as: Picture.self) == nil)
            for _ in 0..<3 { #expect(try await picture(bench, url) == "one") }
            #expect(bench.cache.cachedObject(for: url, as: Picture.self) == Picture(text: "one"))
            #expect(bench.cache.cachedObject(for: url, as: String.self) == nil)
            #expect(decoder.count == 1)
            #expect(bench.cache.objectHits.hits > 0)
            bench.clock.advance(100)
            #expect(bench.cache.cachedObject(for: url, as: Picture.self) == nil)
            #expect(try await picture(bench, url) == "two")
            #expect(decoder.count == 2)
            try await bench.close()
        }
    }

    @Test func `values stay in memory while the process stores other responses`() async throws {
        let paths = (0..<5).map { "/\($0)" }
        let routes = Dictionary(uniqueKeysWithValues: paths.map { ($0, [TestOrigin.Answer.fresh("picture " + $0)]) })
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            // The system's clock: what others change is looked at twenty times a second.
            let cache = try AFCache(directory: URL(fileURLWithPath: scratch.path("cache")))
            // The first start of a cache sets its capacity, after which values are looked up again.
            try await cache.setDiskCapacity(cache.diskCapacity)
            let urls = try paths.map { try URL.parsed(origin.base + $0) }
            let decoder = decoder
            for count in 1...urls.count {
                _ = try await cache.object(for: urls[count - 1]) { decoder.decode($0) }
                try await Task.sleep(for: .milliseconds(120))
                // For the moment in which a response is written, nothing is known about changes.
                try await waitUntil("all \(count) values are in memory") {
                    urls.prefix(count).allSatisfy { cache.cachedObject(for: $0, as: Picture.self) != nil }
                }
            }
            #expect(decoder.count == urls.count)
            try await cache.close()
        }
    }

    @Test func `a confirmed or unchanged response isn't decoded again`() async throws {
        let same = TestOrigin.Answer.fresh("one", for: 60, [("ETag", "\"1\"")])
        let answers = [same, TestOrigin.Answer(304, [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]), same]
        try await TestOrigin.withOrigin(["/a": answers]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            for _ in 0..<3 {
                #expect(try await picture(bench, url) == "one")
                bench.clock.advance(100)
            }
            #expect(origin.count(of: "/a") == 3)
            #expect(decoder.count == 1)
            try await bench.close()
        }
    }

    @Test(arguments: [
        (URLRequest.CachePolicy.useProtocolCachePolicy, "1", 1), (.reloadIgnoringLocalCacheData, "2", 2),
        (.reloadIgnoringLocalAndRemoteCacheData, "2", 2), (.returnCacheDataElseLoad, "1", 1),
        (.returnCacheDataDontLoad, "1", 1), (.reloadRevalidatingCacheData, "2", 2),
    ])
    func `reload policies don't return a value from memory, and replace it`(
        _ policy: URLRequest.CachePolicy,
        _ expected: String,
        _ decoded: Int
    ) async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("2"), .fresh("3")]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            #expect(try await picture(bench, url) == "1")
            #expect((bench.cache.cachedObject(for: url, as: Picture.self, policy: policy) == nil) == (decoded == 2))
            #expect(try await picture(bench, url, policy) == expected)
            #expect(try await picture(bench, url) == expected)
            #expect(decoder.count == decoded)
            try await bench.close()
        }
    }

    @Test func `concurrent callers share one loading and one decoding`() async throws {
        var slow = TestOrigin.Answer.fresh("one")
        slow.delay = .milliseconds(200)
        try await TestOrigin.withOrigin(["/a": [slow]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await picture(bench, url) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(texts == ["one"])
            #expect(decoder.count == 1)
            #expect(origin.count(of: "/a") == 1)
            try await bench.close()
        }
    }

    @Test func `variants of a URL are separate, also if they are made at once`() async throws {
        var slow = TestOrigin.Answer.fresh("picture")
        slow.delay = .milliseconds(100)
        try await TestOrigin.withOrigin(["/a": [slow]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            func side(_ side: Int) async throws -> Int {
                try await bench.cache.object(for: url, variant: side) { _ in side }
            }
            async let small = side(64)
            async let large = side(4096)
            #expect(try await [small, large] == [64, 4096])
            #expect(try await [side(64), side(4096)] == [64, 4096])
            #expect(bench.cache.cachedObject(for: url, as: Int.self, variant: 64) == 64)
            #expect(bench.cache.cachedObject(for: url, as: Int.self, variant: "64") == nil)
            #expect(bench.cache.cachedObject(for: url, as: Int.self) == nil)
            #expect(origin.count(of: "/a") == 1)
            bench.cache.removeObjects(for: url)
            #expect(bench.cache.cachedObject(for: url, as: Int.self, variant: 64) == nil)
            _ = try await side(64)
            bench.cache.removeAllObjects()
            #expect(bench.cache.cachedObject(for: url, as: Int.self, variant: 64) == nil)
            #expect(bench.cache.currentObjectUsage == 0)
            try await bench.close()
        }
    }

    @Test func `values are dropped under pressure and within their capacity, and come back from the disk`() async throws
    {
        let body = String(repeating: "x", count: 10_000)
        let routes = Dictionary(uniqueKeysWithValues: (0..<30).map { ("/\($0)", [TestOrigin.Answer.fresh(body)]) })
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench { $0.objectCapacity = 100_000 }
            for number in 0..<30 { _ = try await picture(bench, try URL.parsed(origin.base + "/\(number)")) }
            #expect(bench.cache.currentObjectUsage <= 100_000)
            #expect(bench.cache.currentObjectUsage > 50_000)
            bench.cache.relieveMemory(.critical)
            #expect(bench.cache.currentObjectUsage == 0)
            #expect(try await picture(bench, try URL.parsed(origin.base + "/7")) == body)
            #expect(origin.count(of: "/7") == 1)
            #expect(decoder.count == 31)
            try await bench.close()
        }
    }

    @Test func `a value that is larger than the capacity, or isn't stored, isn't kept`() async throws {
        let never = TestOrigin.Answer(200, [("Cache-Control", "no-store")], body: [0x61])
        try await TestOrigin.withOrigin(["/a": [.fresh("a")], "/never": [never]]) { origin in
            let bench = try AppBench { $0.objectCapacity = 10_000 }
            let decoder = decoder
            for path in ["/a", "/never"] {
                let url = try URL.parsed(origin.base + path)
                for _ in 0..<2 {
                    _ = try await bench.cache.object(for: url, cost: { _ in 20_000 }) { decoder.decode($0) }
                }
                #expect(bench.cache.cachedObject(for: url, as: Picture.self) == nil)
            }
            #expect(decoder.count == 4)
            #expect(bench.cache.currentObjectUsage == 0)
            try await bench.close()
        }
    }

    @Test func `errors, also of decoding, aren't kept`() async throws {
        struct Broken: Error {}
        let routes: [String: [TestOrigin.Answer]] = ["/a": [.fresh("a")], "/none": [TestOrigin.Answer(404)]]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            await #expect(throws: Broken.self) {
                try await bench.cache.object(for: url) { _ -> Picture in throw Broken() }
            }
            #expect(try await picture(bench, url) == "a")
            let none = try URL.parsed(origin.base + "/none")
            let error = await #expect(throws: AFCache.Failure.self) { try await picture(bench, none) }
            #expect(error?.code == .badResponse)
            try await bench.close()
        }
    }

    @Test func `removing what is stored removes the value, and offline mode keeps it whatever its age`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("2")]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            #expect(try await picture(bench, url) == "1")
            bench.clock.advance(100)
            bench.cache.isOffline = true
            #expect(try await picture(bench, url) == "1")
            #expect(decoder.count == 1)
            bench.cache.isOffline = false
            try bench.cache.removeCachedResponse(for: url)
            #expect(bench.cache.cachedObject(for: url, as: Picture.self, policy: .returnCacheDataDontLoad) == nil)
            #expect(try await picture(bench, url) == "2")
            try await bench.close()
        }
    }
}
