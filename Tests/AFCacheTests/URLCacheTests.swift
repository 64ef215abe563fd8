import AFCCache
import AFCache
import Foundation
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `URLCache` whose answers are right.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct URLCacheTests {
    private let bench: AppBench
    private let cache: URLCache

    init() throws {
        bench = try AppBench()
        cache = bench.cache.urlCache
    }

    private func store(
        _ text: String,
        _ url: String,
        _ fields: [String: String] = ["Cache-Control": "max-age=60"],
        _ policy: URLCache.StoragePolicy = .allowed,
        _ userInfo: [String: String]? = nil
    ) throws {
        let url = try URL.parsed(url)
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        let response = CachedURLResponse(
            response: head,
            data: Data(text.utf8),
            userInfo: userInfo,
            storagePolicy: policy
        )
        cache.storeCachedResponse(response, for: URLRequest(url: url))
    }

    private func text(_ url: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) throws -> String? {
        let request = URLRequest(url: try URL.parsed(url), cachePolicy: policy)
        return cache.cachedResponse(for: request).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test func `query, scheme and port are part of the key`() throws {
        let urls = [
            "http://h.example/a?id=1", "http://h.example/a?id=2", "https://h.example/a?id=1",
            "http://h.example:8080/a?id=1",
            "http://h.example/a",
        ]
        for url in urls { try store(url, url) }
        for url in urls { #expect(try text(url) == url) }
        #expect(try text("http://h.example/a?id=3") == nil)
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], [true, true, false]),
            (
                ["Expires": "Fri, 15 Jan 2027 08:01:00 GMT", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"],
                [true, true, false]
            ),
            (["Expires": "Thu, 01 Jan 2004 00:00:00 GMT"], [false, false, false]),
            (["Cache-Control": "max-age=60", "Age": "40"], [true, false, false]), ([:], [false, false, false]),
            (["Cache-Control": "no-cache", "ETag": "\"1\""], [false, false, false]),
            (["Cache-Control": "max-age=60, no-store"], [false, false, false]),
        ] as [([String: String], [Bool])]
    )
    func `dates, age and directives decide for how long it is returned`(
        _ fields: [String: String],
        _ expected: [Bool]
    ) throws {
        let url = "http://h.example/a"
        try store("x", url, fields)
        var found: [Bool] = []
        // After 0, 30 and 90 seconds.
        for step in [0, 30, 60] {
            bench.clock.advance(TimeInterval(step))
            found.append(try text(url) != nil)
        }
        #expect(found == expected)
    }

    @Test func `a stale response is kept for the policies that want it`() throws {
        try store("x", "http://h.example/a")
        bench.clock.advance(100)
        #expect(try text("http://h.example/a") == nil)
        #expect(try text("http://h.example/a", .returnCacheDataElseLoad) == "x")
        #expect(try text("http://h.example/a", .returnCacheDataDontLoad) == "x")
        #expect(try text("http://h.example/a", .reloadIgnoringLocalCacheData) == nil)
    }

    @Test func `deep paths, long names and slashes are stored`() throws {
        let deep = "http://h.example/" + String(repeating: "folder/", count: 100) + "page.html"
        let long =
            "http://h.example/" + String(repeating: "n", count: 2000) + "?q=" + String(repeating: "v", count: 2000)
        for url in [deep, long, "http://h.example/a%2Fb", "http://h.example/"] { try store(url, url) }
        for url in [deep, long, "http://h.example/a%2Fb", "http://h.example/"] { #expect(try text(url) == url) }
    }

    @Test func `storage policy and user info are kept`() async throws {
        try store("x", "http://h.example/a", ["Cache-Control": "max-age=600"], .allowed, ["seen": "yes"])
        try store("x", "http://h.example/m", ["Cache-Control": "max-age=600"], .allowedInMemoryOnly, ["seen": "once"])
        try store("x", "http://h.example/n", ["Cache-Control": "max-age=600"], .notAllowed)
        let found = try ["a", "m", "n"].map { name in
            cache.cachedResponse(for: URLRequest(url: try URL.parsed("http://h.example/\(name)")))?.userInfo?["seen"]
                as? String
        }
        #expect(found == ["yes", "once", nil])
        #expect(try text("http://h.example/n") == nil)
        try await bench.close()
        let again = try AppBench(in: bench.scratch)
        let request = URLRequest(url: try URL.parsed("http://h.example/a"))
        #expect(again.cache.urlCache.cachedResponse(for: request)?.userInfo?["seen"] as? String == "yes")
        let memory = URLRequest(url: try URL.parsed("http://h.example/m"))
        #expect(again.cache.urlCache.cachedResponse(for: memory) == nil)
        try await again.close()
    }

    @Test func `responses are removed one by one, since a date, and all`() throws {
        for name in ["a", "b"] { try store(name, "http://h.example/\(name)", ["Cache-Control": "max-age=600"]) }
        cache.removeCachedResponse(for: URLRequest(url: try URL.parsed("http://h.example/a")))
        #expect(try text("http://h.example/a") == nil)
        bench.clock.advance(100)
        try store("c", "http://h.example/c", ["Cache-Control": "max-age=600"])
        cache.removeCachedResponses(since: bench.clock.now.addingTimeInterval(-50))
        #expect(try text("http://h.example/b") == "b")
        #expect(try text("http://h.example/c") == nil)
        cache.removeAllCachedResponses()
        #expect(try text("http://h.example/b") == nil)
        #expect(cache.currentDiskUsage == 0)
    }

    @Test func `capacities are those of the cache`() async throws {
        #expect(cache.memoryCapacity == 8 << 20)
        #expect(cache.diskCapacity == 64 << 20)
        for number in 0..<10 { try store(String(repeating: "x", count: 10_000), "http://h.example/\(number)") }
        #expect(cache.currentDiskUsage == 100_000)
        cache.diskCapacity = 50_000
        #expect(cache.diskCapacity == 50_000)
        cache.memoryCapacity = 1 << 20
        try await waitUntil("the capacity is in effect") { cache.currentDiskUsage <= 50_000 }
        #expect(bench.cache.memoryCapacity == 1 << 20)
        try await bench.close()
    }

    @Test func `of capacities that are set one after the other the last counts, and closing waits for it`() async throws
    {
        for number in 0..<10 { try store(String(repeating: "x", count: 10_000), "http://h.example/\(number)") }
        for capacity in stride(from: 100_000, through: 20_000, by: -5000) {
            cache.diskCapacity = capacity
            #expect(cache.diskCapacity == capacity)
        }
        cache.diskCapacity = 40_000
        try await bench.close()
        let store = try DiskCache(path: bench.scratch.path("cache"), access: .readOnly)
        #expect(try store.limits().bytes == 40_000)
        #expect(try store.info().bodyBytes <= 40_000)
    }

    @Test func `a capacity below what a pinned package needs is reported, and the one before it counts again`()
        async throws
    {
        let page = String(repeating: "page ", count: 1000)
        let package = try await AppBench.package(["https://docs.example/": page], in: bench.scratch)
        try await bench.cache.install(package, isPinned: true)
        try await bench.cache.setDiskCapacity(64 << 20)
        cache.diskCapacity = 100
        try await bench.close()
        #expect(cache.diskCapacity == 64 << 20)
        #expect(bench.troubles.all.count == 1)
        #expect(bench.troubles.all.first?.hasPrefix("cannot set the capacity of ") == true)
    }

    @Test func `a session with this URL cache gets what is stored, and only while it is fresh`() async throws {
        try await TestOrigin.withOrigin(["/a?id=1": [.fresh("live 1")], "/a?id=2": [.fresh("live 2")]]) { origin in
            let bench = try AppBench { $0.now = { Date() } }
            let configuration = URLSessionConfiguration.default
            configuration.urlCache = bench.cache.urlCache
            let session = URLSession(configuration: configuration)
            defer { session.invalidateAndCancel() }
            let one = try URL.parsed(origin.base + "/a?id=1")
            let head = try #require(
                HTTPURLResponse(
                    url: one,
                    statusCode: 200,
                    httpVersion: "HTTP/1.1",
                    headerFields: ["Cache-Control": "max-age=3600"]
                )
            )
            bench.cache.urlCache.storeCachedResponse(
                CachedURLResponse(response: head, data: Data("stored".utf8)),
                for: URLRequest(url: one)
            )
            #expect(try await session.data(from: one).0 == Data("stored".utf8))
            #expect(try await session.data(from: URL.parsed(origin.base + "/a?id=2")).0 == Data("live 2".utf8))
            #expect(origin.targets == ["/a?id=2"])
            try await bench.close()
        }
    }
}
