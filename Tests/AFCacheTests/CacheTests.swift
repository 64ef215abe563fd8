import AFCCache
import AFCHTTP
import AFCResolver
import AFCache
import Foundation
import HTTPTypes
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cache of an app, as NSURLCache's users know it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CacheTests {
    @Test func `two lines set up a cache, which can be made the shared one`() async throws {
        let bench = try AppBench()
        let before = bench.cache
        AFCache.shared = before
        #expect(AFCache.shared === before)
        let other = try AppBench()
        AFCache.shared = other.cache
        #expect(AFCache.shared === other.cache)
        #expect(AFCache.shared.memoryCapacity == 8 << 20)
        #expect(AFCache.shared.diskCapacity == 64 << 20)
        try await bench.close()
        try await other.close()
    }

    @Test func `a fresh response is served from memory, then from disk after a restart, without asking again`()
        async throws
    {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600)]]) { origin in
            let bench = try AppBench(in: scratch)
            let answers = [
                try await bench.load(origin.base + "/a"), try await bench.load(origin.base + "/a"),
                try await bench.load(origin.base + "/a"),
            ]
            #expect(answers == ["miss one", "hit one", "hit one"])
            #expect(bench.cache.memoryHits.hits > 0)
            try await bench.close()
            let again = try AppBench(in: scratch)
            #expect(try await again.load(origin.base + "/a") == "hit one")
            #expect(again.cache.memoryHits.hits == 0)
            #expect(origin.count(of: "/a") == 1)
            try await again.close()
        }
    }

    @Test func `a response from memory has its age, and ends being fresh in time`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 100), .fresh("two", for: 100)]]) { origin in
            let bench = try AppBench()
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            for _ in 0..<2 { _ = try await bench.cache.load(request) }
            var ages: [String?] = []
            for _ in 0..<3 {
                bench.clock.advance(30)
                let loaded = try await bench.cache.load(request)
                #expect(loaded.source == .hit)
                ages.append(loaded.response.value(forHTTPHeaderField: "Age"))
                let ttl = loaded.response.value(forHTTPHeaderField: "Cache-Status")
                #expect(ttl?.contains("ttl=\(100 - 30 * ages.count)") == true, "\(ttl ?? "")")
            }
            #expect(ages == ["30", "60", "90"])
            #expect(bench.cache.memoryHits.hits > 0)
            bench.clock.advance(10)
            #expect(try await bench.load(origin.base + "/a") == "miss two")
            try await bench.close()
        }
    }

    @Test func `a response from memory states its time to live behind what other caches wrote`() async throws {
        let answer = TestOrigin.Answer.fresh("one", for: 100, [("cache-status", "Edge; hit; ttl=7")])
        try await TestOrigin.withOrigin(["/a": [answer]]) { origin in
            let bench = try AppBench()
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            _ = try await bench.cache.load(request)
            // What is pending is written, so that nothing changes afterwards.
            _ = try await bench.cache.currentDiskUsage()
            bench.clock.advance(1)
            for _ in 0..<2 { _ = try await bench.cache.load(request) }
            bench.clock.advance(29)
            let hits = bench.cache.memoryHits.hits
            let loaded = try await bench.cache.load(request)
            #expect(bench.cache.memoryHits.hits == hits + 1)
            let status = loaded.response.value(forHTTPHeaderField: "Cache-Status")
            #expect(status == "Edge; hit; ttl=7, afcache; hit; ttl=70")
            try await bench.close()
        }
    }

    @Test func `nothing is served from memory after the clock was set back, and the origin is asked`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one"), .fresh("two")]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            func value() async throws -> String {
                try await bench.cache.object(for: url) { String(decoding: $0, as: UTF8.self) }
            }
            for expected in ["miss one", "hit one", "hit one"] {
                #expect(try await bench.load(url.absoluteString) == expected)
            }
            #expect(try await value() == "one")
            // Back by 30 days, and two hours on.
            for seconds in [-30 * 86_400, 7200] as [TimeInterval] {
                bench.clock.advance(seconds)
                #expect(bench.cache.cachedObject(for: url, as: String.self) == nil)
            }
            let answer = try await bench.load(url.absoluteString)
            #expect(answer == "miss two")
            #expect(try await value() == "two")
            try await bench.close()
        }
    }

    /// What each policy gives for a fresh, a stale and a missing response.
    struct PolicyCase: Sendable, CustomTestStringConvertible {
        var policy: URLRequest.CachePolicy
        var expected: [String]
        var testDescription: String { "\(policy.rawValue)" }
    }

    @Test(arguments: [
        PolicyCase(policy: .useProtocolCachePolicy, expected: ["hit old", "revalidated old", "miss new"]),
        PolicyCase(policy: .reloadIgnoringLocalCacheData, expected: ["miss new", "miss new", "miss new"]),
        PolicyCase(policy: .reloadIgnoringLocalAndRemoteCacheData, expected: ["miss new", "miss new", "miss new"]),
        PolicyCase(policy: .returnCacheDataElseLoad, expected: ["hit old", "stale old", "miss new"]),
        PolicyCase(policy: .returnCacheDataDontLoad, expected: ["hit old", "stale old", "error -1008"]),
        PolicyCase(policy: .reloadRevalidatingCacheData, expected: ["revalidated old", "revalidated old", "miss new"]),
    ])
    func `all six cache policies take effect`(_ sample: PolicyCase) async throws {
        for (state, expected) in zip(["fresh", "stale", "missing"], sample.expected) {
            // A 304 for those that ask with a condition.
            let reloads = expected.hasPrefix("miss")
            let second = reloads ? TestOrigin.Answer.fresh("new") : TestOrigin.Answer(304, [("ETag", "\"1\"")])
            let answers: [TestOrigin.Answer] =
                state == "missing" ? [.fresh("new")] : [.fresh("old", for: 60, [("ETag", "\"1\"")]), second]
            try await TestOrigin.withOrigin(["/a": answers]) { origin in
                let bench = try AppBench()
                let url = origin.base + "/a"
                if state != "missing" { #expect(try await bench.load(url) == "miss old") }
                if state == "stale" { bench.clock.advance(100) }
                #expect(try await bench.load(url, sample.policy) == expected, "\(state)")
                if sample.policy == .reloadIgnoringLocalAndRemoteCacheData {
                    let last = try #require(origin.requests.last)
                    #expect(last.fields.contains { $0.lowercased() == "cache-control: no-cache" })
                    #expect(last.fields.contains { $0.lowercased() == "pragma: no-cache" })
                }
                try await bench.close()
            }
        }
    }

    @Test func `offline mode serves what is stored whatever its age, and fails at once otherwise`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one")]]) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/a") == "miss one")
            bench.clock.advance(1_000_000)
            bench.cache.isOffline = true
            #expect(try await bench.load(origin.base + "/a") == "stale one")
            #expect(
                try await bench.load(origin.base + "/b") == "error \(URLError.Code.notConnectedToInternet.rawValue)"
            )
            #expect(
                try await bench.load(
                    origin.base + "/a",
                    .useProtocolCachePolicy,
                    AFCache.LoadOptions(.revalidateEvenOffline)
                )
                    == "miss one"
            )
            #expect(origin.count(of: "/b") == 0)
            bench.cache.isOffline = false
            #expect(try await bench.load(origin.base + "/b") == "miss 404 ")
            try await bench.close()
        }
    }

    @Test func `an origin that can't be reached gives the error of the URL loading system`() async throws {
        let port = try DeadPort()
        let unreachable = try AppBench()
        let dead = try await unreachable.load(port.base + "/a")
        try await unreachable.close()
        #expect(dead == "error \(URLError.Code.cannotConnectToHost.rawValue)")
        let bench = try AppBench()
        #expect(try await bench.load("ftp://h.example/a") == "error \(URLError.Code.unsupportedURL.rawValue)")
        try await bench.close()
    }

    /// A transport that always fails.
    private struct Failing: OriginTransport {
        var failure: TransportFailure

        func send(
            _ request: TransportRequest,
            interim: @escaping @Sendable (Int, HTTPFields) async -> Void
        ) async throws(TransportFailure) -> TransportResponse { throw failure }
    }

    @Test(
        arguments: [
            (.unreachable, .unknownHost, .reachable, -1003), (.unreachable, .connectionRefused, .reachable, -1004),
            (.unreachable, .unreachable, .reachable, -1004), (.unreachable, .unknownHost, .unreachable, -1009),
            (.unreachable, .unreachable, .unreachable, -1009), (.unreachable, .connectionRefused, .unreachable, -1004),
            (.timedOut, .timedOut, .reachable, -1001), (.disconnected, .reset, .reachable, -1005),
            (.disconnected, .closed, .reachable, -1005), (.malformed, .malformed, .reachable, -1011),
            (.insecure, .tls, .reachable, -1200), (.insecure, .expiredCertificate, .reachable, -1201),
            (.insecure, .untrustedCertificate, .reachable, -1202), (.insecure, .wrongCertificate, .reachable, -1202),
            (.insecure, .unacceptedCertificate, .reachable, -1202), (.insecure, .earlyCertificate, .reachable, -1204),
        ] as [(TransportFailure.Code, TransportFailure.Cause, AFCache.Reachability, Int)]
    )
    func `each failure of an origin has the code of the URL loading system, and its reason`(
        _ kind: TransportFailure.Code,
        _ cause: TransportFailure.Cause,
        _ network: AFCache.Reachability,
        _ code: Int
    ) async throws {
        let failure = TransportFailure(kind, "the reason in words", cause: cause)
        let bench = try AppBench { configuration in
            configuration.transport = Failing(failure: failure)
            configuration.networkProbe = { network }
        }
        let url = try URL.parsed("https://h.example/a")
        let error = await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(from: url) }
        #expect(error?.urlErrorCode.rawValue == code)
        #expect((error.map { $0 as NSError })?.code == code && error?.urlError.code.rawValue == code)
        #expect(error?.localizedDescription == "cannot load 'https://h.example/a': the reason in words")
        #expect(error?.cause as? TransportFailure == failure)
        try await bench.close()
    }

    @Test func `a body that breaks off is a lost connection`() async throws {
        let cut = TestOrigin.Answer(200, [("Content-Length", "100")], body: Array("short".utf8), closes: true)
        try await TestOrigin.withOrigin(["/a": [cut]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            let error = await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(from: url) }
            #expect(error?.code == .connectionLost)
            #expect(error?.localizedDescription.hasSuffix("before the response's body was complete") == true)
            try await bench.close()
        }
    }

    @Test func `a closed cache says so instead of loading, and nobody was cancelled`() async throws {
        var slow = TestOrigin.Answer.fresh("slow")
        slow.delay = .seconds(3600)
        try await TestOrigin.withOrigin(["/slow": [slow]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/slow")
            let waiting = Task { try await bench.cache.data(from: url) }
            try await waitUntil("the origin is asked") { origin.count(of: "/slow") > 0 }
            try await bench.close()
            let first = await #expect(throws: AFCache.Failure.self) { try await waiting.value }
            let later = await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(from: url) }
            for error in [first, later] {
                #expect(error?.code == .closed)
                #expect(error?.localizedDescription.hasPrefix("the cache was closed") == true)
            }
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await bench.cache.data(from: url)
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
        }
    }

    @Test(arguments: [
        (URLCache.StoragePolicy.allowed, true, true), (.allowedInMemoryOnly, true, false), (.notAllowed, false, false),
    ])
    func `a storage policy decides where a response is stored`(
        _ policy: URLCache.StoragePolicy,
        _ isStored: Bool,
        _ survives: Bool
    ) async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600)]]) { origin in
            let bench = try AppBench(in: scratch)
            let options = AFCache.LoadOptions(storagePolicy: policy)
            #expect(try await bench.load(origin.base + "/a", .useProtocolCachePolicy, options) == "miss one")
            #expect(
                try await bench.load(origin.base + "/a", .returnCacheDataDontLoad)
                    == (isStored ? "hit one" : "error -1008")
            )
            try await bench.close()
            let again = try AppBench(in: scratch)
            #expect(
                try await again.load(origin.base + "/a", .returnCacheDataDontLoad)
                    == (survives ? "hit one" : "error -1008")
            )
            try await again.close()
        }
    }

    @Test func `willCacheResponse changes, vetoes and annotates what is stored`() async throws {
        try await TestOrigin.withOrigin([
            "/changed": [.fresh("body", for: 600)], "/vetoed": [.fresh("body", for: 600)],
            "/memory": [.fresh("body", for: 600)],
        ]) { origin in
            let scratch = try Scratch()
            let bench = try AppBench(in: scratch) { configuration in
                configuration.willCacheResponse = { proposed in
                    #expect(proposed.response.statusCode == 200)
                    switch proposed.request.url?.path {
                    case "/changed":
                        proposed.headerFields["X-Changed"] = "yes"
                        proposed.userInfo = ["by": "test"]
                        proposed.changeData = { $0 + Data("!".utf8) }
                    case "/memory": proposed.storagePolicy = .allowedInMemoryOnly
                    default: proposed.storagePolicy = .notAllowed
                    }
                }
            }
            for path in ["/changed", "/vetoed", "/memory"] {
                #expect(try await bench.load(origin.base + path) == "miss body")
            }
            let url = try URL.parsed(origin.base + "/changed")
            let changed = try await bench.cache.load(URLRequest(url: url))
            #expect(String(decoding: changed.data, as: UTF8.self) == "body!")
            #expect(changed.response.value(forHTTPHeaderField: "X-Changed") == "yes")
            #expect(changed.userInfo == ["by": "test"])
            #expect(try await bench.load(origin.base + "/vetoed", .returnCacheDataDontLoad) == "error -1008")
            #expect(try await bench.load(origin.base + "/memory", .returnCacheDataDontLoad) == "hit body")
            try await bench.close()
            let again = try AppBench(in: scratch)
            #expect(try again.cache.cachedResponse(for: URLRequest(url: url))?.userInfo == ["by": "test"])
            #expect(try await again.load(origin.base + "/memory", .returnCacheDataDontLoad) == "error -1008")
            try await again.close()
        }
    }

    @Test func `a default lifetime and a lifetime per request replace what the origin doesn't say`() async throws {
        let plain = TestOrigin.Answer(200, [], body: Array("body".utf8))
        let short = TestOrigin.Answer.fresh("body", for: 1)
        try await TestOrigin.withOrigin(["/plain": [plain], "/short": [short], "/never": [.fresh("x", for: 60)]]) {
            origin in
            let bench = try AppBench { $0.defaultLifetime = 3600 }
            let day = AFCache.LoadOptions(lifetime: 86_400)
            #expect(try await bench.load(origin.base + "/plain") == "miss body")
            #expect(try await bench.load(origin.base + "/short", .useProtocolCachePolicy, day) == "miss body")
            bench.clock.advance(3000)
            #expect(try await bench.load(origin.base + "/plain") == "hit body")
            #expect(try await bench.load(origin.base + "/short") == "hit body")
            bench.clock.advance(3000)
            #expect(try await bench.load(origin.base + "/plain") == "miss body")
            #expect(try await bench.load(origin.base + "/short") == "hit body")
            try await bench.close()
        }
    }

    @Test func `without capacities nothing is stored, and without a disk capacity only in memory`() async throws {
        for (memory, disk, expected) in [(0, 0, "error -1008"), (1 << 20, 0, "hit one"), (0, 1 << 20, "hit one")] {
            let scratch = try Scratch()
            try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600)]]) { origin in
                let bench = try AppBench(memoryCapacity: memory, diskCapacity: disk, in: scratch)
                #expect(try await bench.load(origin.base + "/a") == "miss one")
                #expect(try await bench.load(origin.base + "/a", .returnCacheDataDontLoad) == expected)
                #expect((bench.cache.currentMemoryUsage > 0) == (memory > 0))
                #expect(try await bench.cache.currentDiskUsage() == (disk > 0 ? 3 : 0))
                try await bench.close()
            }
        }
    }

    @Test func `the disk capacity evicts, and a lower one evicts more`() async throws {
        let body = String(repeating: "x", count: 20_000)
        let routes = Dictionary(
            uniqueKeysWithValues: (0..<40).map { ("/\($0)", [TestOrigin.Answer.fresh(body, for: 600)]) }
        )
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench(memoryCapacity: 0, diskCapacity: 400_000)
            for number in 0..<40 { _ = try await bench.load(origin.base + "/\(number)") }
            try await waitUntil("the cache fits its capacity") { try await bench.cache.currentDiskUsage() <= 400_000 }
            #expect(try await bench.cache.currentDiskUsage() > 200_000)
            try await bench.cache.setDiskCapacity(100_000)
            #expect(try await bench.cache.currentDiskUsage() <= 100_000)
            #expect(try await bench.load(origin.base + "/39", .returnCacheDataDontLoad).hasPrefix("hit"))
            try await bench.close()
        }
    }

    @Test func `the memory capacity bounds what is in memory, and a scan doesn't displace what is used often`()
        async throws
    {
        let body = String(repeating: "x", count: 10_000)
        let routes = Dictionary(
            uniqueKeysWithValues: (0..<60).map { ("/\($0)", [TestOrigin.Answer.fresh(body, for: 600)]) }
        )
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench(memoryCapacity: 400_000)
            for _ in 0..<5 { for number in 0..<5 { _ = try await bench.load(origin.base + "/\(number)") } }
            for number in 5..<60 { for _ in 0..<2 { _ = try await bench.load(origin.base + "/\(number)") } }
            #expect(bench.cache.currentMemoryUsage <= 400_000)
            let before = bench.cache.memoryHits.hits
            for number in 0..<5 { _ = try await bench.load(origin.base + "/\(number)") }
            #expect(bench.cache.memoryHits.hits > before)
            bench.cache.memoryCapacity = 0
            #expect(bench.cache.currentMemoryUsage == 0)
            #expect(try await bench.load(origin.base + "/3").hasPrefix("hit"))
            try await bench.close()
        }
    }

    @Test func `what is removed or replaced isn't served from memory`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("2"), .fresh("3")], "/b": [.fresh("b")]]) {
            origin in
            let bench = try AppBench()
            let url = origin.base + "/a"
            for expected in ["miss 1", "hit 1", "hit 1"] { #expect(try await bench.load(url) == expected) }
            #expect(try await bench.load(url, .reloadIgnoringLocalCacheData) == "miss 2")
            for _ in 0..<3 { #expect(try await bench.load(url) == "hit 2") }
            try bench.cache.removeCachedResponse(for: try URL.parsed(url))
            #expect(try await bench.load(url) == "miss 3")
            for _ in 0..<2 { #expect(try await bench.load(origin.base + "/b").hasSuffix(" b")) }
            _ = try await bench.cache.removeAllCachedResponses()
            for path in ["/a", "/b"] {
                #expect(try await bench.load(origin.base + path, .returnCacheDataDontLoad) == "error -1008")
            }
            try await bench.close()
        }
    }

    @Test func `memory pressure frees memory but not the disk`() async throws {
        struct Source: AFCache.MemoryPressureSource {
            let stream: AsyncStream<AFCache.MemoryPressure>
            func levels() -> AsyncStream<AFCache.MemoryPressure> { stream }
        }
        let (stream, continuation) = AsyncStream<AFCache.MemoryPressure>.makeStream()
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600)]]) { origin in
            let bench = try AppBench { $0.memoryPressure = Source(stream: stream) }
            for _ in 0..<2 { _ = try await bench.load(origin.base + "/a") }
            #expect(bench.cache.currentMemoryUsage > 0)
            continuation.yield(.critical)
            try await waitUntil("memory is empty") { bench.cache.currentMemoryUsage == 0 }
            #expect(try await bench.load(origin.base + "/a") == "hit one")
            try await bench.close()
        }
    }

    @Test func `packages are installed, listed, served offline, rolled back and removed`() async throws {
        let bench = try AppBench()
        let url = "https://docs.example/page"
        let first = try await AppBench.package([url: "one", "https://docs.example/other": "x"], in: bench.scratch)
        let installed = try await bench.cache.install(first, isPinned: true)
        #expect(installed.name == "site")
        #expect(installed.resources == 2)
        #expect(installed.isPinned)
        bench.cache.isOffline = true
        for _ in 0..<3 { #expect(try await bench.load(url) == "hit one") }
        let second = try await AppBench.package([url: "two"], in: bench.scratch, named: "site.zip")
        try await bench.cache.install(second)
        #expect(try await bench.load(url) == "hit two")
        #expect(try bench.cache.packages().map(\.resources) == [1])
        try await bench.cache.rollBackPackage("site")
        #expect(try await bench.load(url) == "hit one")
        try await bench.cache.removePackage("site")
        #expect(try bench.cache.packages().isEmpty)
        #expect(try await bench.load(url) == "error \(URLError.Code.notConnectedToInternet.rawValue)")
        try await bench.close()
    }

    @Test func `a package that another process installs is noticed`() async throws {
        let scratch = try Scratch()
        let one = try AppBench(in: scratch)
        // A value of its own, as another process has it.
        let other = try DiskCache(path: scratch.path("cache"), access: .readWrite)
        let (url, now) = ("https://docs.example/page", Timestamp(secondsSinceEpoch: 1_800_000_000))
        one.cache.isOffline = true
        _ = try await other.install(try await AppBench.package([url: "one"], in: scratch).path, now: now)
        for _ in 0..<3 { #expect(try await one.load(url) == "hit one") }
        _ = try await other.install(try await AppBench.package([url: "two"], in: scratch).path, now: now)
        one.clock.advance(0.1)
        #expect(try await one.load(url) == "hit two")
        try await one.close()
        try other.close()
    }

    @Test func `one process stores, another reads, clears and installs, and takes over when the first is killed`()
        async throws
    {
        let tool = (Program.afcache as NSString).deletingLastPathComponent + "/receivingwriter"
        try await TestOrigin.withOrigin(["/a": [.fresh("a", for: 600)]]) { origin in
            let scratch = try Scratch()
            let writer = try RunningProgram(tool, ["stream", scratch.path("cache")])
            #expect(try await writer.firstLine() == "ready")
            let bench = try AppBench(in: scratch)
            #expect(!bench.cache.storesResponses)
            bench.cache.isOffline = true
            /// Returns how many of the writer's responses are there; each must be whole and of one round.
            func read() async throws -> Int {
                var found = 0
                for number in 0..<300 {
                    let request = URLRequest(url: try URL.parsed("http://r.example/\(number)"))
                    guard let bytes = try? await [UInt8](bench.cache.load(request).data) else { continue }
                    found += 1
                    let expected = (0..<(number % 10 == 0 ? 40_000 : 500)).map {
                        $0 % 2 == 0 ? UInt8(truncatingIfNeeded: number) : bytes[1]
                    }
                    #expect(bytes == expected, "\(number)")
                }
                return found
            }
            #expect(try await read() > 0)
            let page = "https://docs.example/"
            for round in 1...3 {
                #expect(try await bench.cache.removeAllCachedResponses() > 0)
                try await bench.cache.install(try await AppBench.package([page: "\(round)"], in: scratch))
                #expect(try await bench.load(page) == "hit \(round)")
                try await waitUntil("what the writer stores afterwards is seen") { try await read() > 0 }
            }
            #expect(writer.stop(SIGKILL) == -SIGKILL, "it was writing when it was killed")
            #expect(try await read() > 0)
            bench.cache.isOffline = false
            try await waitUntil("the right to store is taken over") { bench.cache.storesResponses }
            #expect(try await bench.load(origin.base + "/a") == "miss a")
            bench.cache.isOffline = true
            #expect(try await bench.load(origin.base + "/a") == "hit a")
            #expect(try await bench.load(page) == "hit 3")
            try await bench.close()
            let checked = try DiskCache(path: scratch.path("cache"), access: .existing)
            #expect(try checked.verify().findings == [])
            try checked.close()
        }
    }

    @Test func `two caches of one process share what is in their folder, and notice each other's changes at once`()
        async throws
    {
        let scratch = try Scratch()
        let answers = ["1", "2", "3"].map { TestOrigin.Answer.fresh($0, for: 600) }
        try await TestOrigin.withOrigin(["/a": answers, "/b": [.fresh("b", for: 600)]]) { origin in
            let (one, two) = (try AppBench(in: scratch), try AppBench(in: scratch))
            #expect(one.cache.storesResponses && two.cache.storesResponses)
            let url = origin.base + "/a"
            for expected in ["miss 1", "hit 1", "hit 1"] { #expect(try await one.load(url) == expected) }
            #expect(try await two.load(url) == "hit 1")
            #expect(try await two.load(url, .reloadIgnoringLocalCacheData) == "miss 2")
            #expect(try await one.load(url) == "hit 2")
            try two.cache.removeCachedResponse(for: URL.parsed(url))
            #expect(try await one.load(url) == "miss 3")
            try await one.cache.install(try await AppBench.package(["https://docs.example/": "page"], in: scratch))
            try await one.close()
            #expect(!one.cache.storesResponses)
            #expect(try await two.load("https://docs.example/") == "hit page")
            #expect(try await two.load(origin.base + "/b") == "miss b")
            try await two.close()
            #expect(one.troubles.all.isEmpty && two.troubles.all.isEmpty)
            let again = try AppBench(in: scratch)
            #expect(try await again.load(url) == "hit 3")
            #expect(try await again.load(origin.base + "/b") == "hit b")
            try await again.close()
        }
    }

    @Test func `who can't store responses since another process does can be told, and takes over when that ends`()
        async throws
    {
        let scratch = try Scratch()
        let other = try DiskCache(path: scratch.path("cache"), access: .readWrite)
        try other.startReceiving()
        let never = TestOrigin.Answer(200, [("Cache-Control", "no-store")], body: [0x61])
        try await TestOrigin.withOrigin(["/a": [.fresh("a", for: 600)], "/never": [never]]) { origin in
            let bench = try AppBench(in: scratch)
            #expect(bench.troubles.all.count == 1)
            #expect(bench.troubles.all.first?.hasPrefix("responses are loaded, but not stored: ") == true)
            #expect(!bench.cache.storesResponses)
            let urls = try ["/a", "/never"].map { try URL.parsed(origin.base + $0) }
            var report = try await bench.cache.prefetch(urls, atOnce: 1)
            #expect(report.loaded == 2 && report.failures.isEmpty)
            #expect(report.notStored == [urls[0]: .otherProcess, urls[1]: .otherProcess])
            try other.close()
            #expect(bench.cache.storesResponses)
            report = try await bench.cache.prefetch(urls, atOnce: 1)
            #expect(report.notStored == [urls[1]: .forbidden])
            bench.cache.isOffline = true
            #expect(try await bench.load(origin.base + "/a") == "hit a")
            try await bench.close()
        }
    }

    @Test(arguments: [false, true])
    func `a folder that is removed or emptied while it is open is reported, and closing says that it is gone`(
        _ isEmptied: Bool
    ) async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600)]]) { origin in
            let bench = try AppBench()
            for _ in 0..<3 { _ = try await bench.load(origin.base + "/a") }
            #expect(bench.troubles.all.isEmpty)
            try FileManager.default.removeItem(at: bench.cache.directory)
            let folder = bench.cache.directory
            if isEmptied { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
            bench.clock.advance(0.1)
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            // What it returns, or that it can't be read, isn't what this is about.
            for _ in 0..<3 { _ = Result { try bench.cache.cachedResponse(for: request) } }
            #expect(bench.troubles.all.count == 1)
            #expect(bench.troubles.all.first?.contains("was removed or emptied while the cache was open") == true)
            await #expect(throws: AFCache.Failure.self) { try await bench.close() }
        }
    }

    @Test func `redirects are stored and followed offline`() async throws {
        let redirect = TestOrigin.Answer(302, [("Location", "/b"), ("Cache-Control", "max-age=600")])
        try await TestOrigin.withOrigin(["/a": [redirect], "/b": [.fresh("there", for: 600)]]) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/a") == "miss there")
            bench.cache.isOffline = true
            let loaded = try await bench.cache.load(URLRequest(url: try URL.parsed(origin.base + "/a")))
            #expect(loaded.response.url?.path == "/b")
            #expect(String(decoding: loaded.data, as: UTF8.self) == "there")
            #expect(origin.targets == ["/a", "/b"])
            try await bench.close()
        }
    }

    @Test func `endless redirects end with an error`() async throws {
        try await TestOrigin.withOrigin(["/a": [.redirect("/b")], "/b": [.redirect("/a")]]) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/a") == "error \(URLError.Code.httpTooManyRedirects.rawValue)")
            try await bench.close()
        }
    }

    @Test func `a list of URLs is loaded ahead, a few at a time, and errors don't end it`() async throws {
        var routes = Dictionary(uniqueKeysWithValues: (0..<20).map { ("/\($0)", [TestOrigin.Answer.fresh("\($0)")]) })
        for target in routes.keys { routes[target]?[0].delay = .milliseconds(20) }
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/3") == "miss 3")
            let dead = try DeadPort()
            let broken = try URL.parsed(dead.base + "/x")
            let missing = try URL.parsed(origin.base + "/none")
            let urls = try (0..<20).map { try URL.parsed(origin.base + "/\($0)") } + [broken, missing, broken]
            let steps = Mutex<[Int]>([])
            let report = try await bench.cache.prefetch(urls, atOnce: 3) { done in steps.withLock { $0.append(done) } }
            #expect(report.loaded == 19)
            #expect(report.known == 1)
            #expect(report.refused == [missing: 404])
            #expect(Array(report.failures.keys) == [broken])
            #expect(steps.withLock { $0 } == Array(1...22))
            #expect(origin.mostRunning <= 3)
            bench.cache.isOffline = true
            for number in 0..<20 { #expect(try await bench.load(origin.base + "/\(number)") == "hit \(number)") }
            try await bench.close()
        }
    }

    @Test func `progress and changes can be observed`() async throws {
        let body = String(repeating: "x", count: 300_000)
        try await TestOrigin.withOrigin(["/a": [.fresh(body, for: 600)]]) { origin in
            let bench = try AppBench()
            let seen = Mutex<[AFCache.LoadProgress]>([])
            var changes = bench.cache.changes.makeAsyncIterator()
            let url = try URL.parsed(origin.base + "/a")
            _ = try await bench.cache.data(for: URLRequest(url: url)) { step in seen.withLock { $0.append(step) } }
            #expect(seen.withLock { $0.first } == AFCache.LoadProgress(received: 0, expected: 300_000))
            #expect(seen.withLock { $0.last } == AFCache.LoadProgress(received: 300_000, expected: 300_000))
            #expect(await changes.next() == .resource(url))
            try await bench.close()
            #expect(await changes.next() == nil)
        }
    }

    @Test func `a response of the program's own is stored by its fields, and serves offline even without any`()
        async throws
    {
        let bench = try AppBench()
        let cases: [(String, [String: String], String)] = [
            ("fresh", ["Cache-Control": "max-age=60"], "hit own"), ("plain", [:], "stale own"),
            ("never", ["Cache-Control": "no-store"], "error -1008"),
        ]
        for (name, fields, expected) in cases {
            let url = try URL.parsed("https://own.example/\(name)")
            let head = try #require(
                HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            )
            try bench.cache.store(head, Data("own".utf8), for: URLRequest(url: url))
            #expect(try await bench.load(url.absoluteString, .returnCacheDataDontLoad) == expected)
            #expect((try bench.cache.cachedResponse(for: URLRequest(url: url)) != nil) == (name == "fresh"))
        }
        try await bench.close()
    }

    @Test func `a coded body is decoded`() async throws {
        // "hello" by gzip -n.
        let coded: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
        ]
        let answer = TestOrigin.Answer(
            200,
            [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"), ("Cache-Control", "max-age=60")],
            body: coded
        )
        var broken = answer
        broken.body = Array(coded.dropLast(10))
        try await TestOrigin.withOrigin(["/a": [answer], "/b": [broken]]) { origin in
            let bench = try AppBench()
            for expected in ["miss hello", "hit hello", "hit hello"] {
                #expect(try await bench.load(origin.base + "/a") == expected)
            }
            #expect(bench.cache.memoryHits.hits > 0)
            #expect(
                try await bench.load(origin.base + "/b") == "error \(URLError.Code.cannotDecodeContentData.rawValue)"
            )
            try await bench.close()
        }
    }
}
