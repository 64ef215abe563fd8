import AFCache
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Situations in which other caches were reported to go wrong; docs/developers/from-nsurlcache.md names the reports.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PublicReportTests {
    // Alamofire#526
    @Test func `a page without a stated lifetime is served while it is fresh, and after its server has stopped`()
        async throws
    {
        // As Python's http.server sends it.
        let fields = [("Content-Type", "text/html"), ("Last-Modified", "Sat, 27 Mar 2004 18:43:30 GMT")]
        let page = TestOrigin.Answer(200, fields, body: Array("page".utf8))
        try await TestOrigin.withOrigin(["/a": [page]]) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/a") == "miss page")
            origin.set("/a", .reset)
            bench.clock.advance(86_400)
            #expect(try await bench.load(origin.base + "/a") == "hit page")
            // Estimated freshness is at most a week (RFC 9111 §4.2.2).
            bench.clock.advance(7 * 86_400)
            #expect(try await bench.load(origin.base + "/a") == "stale page")
            #expect(origin.count(of: "/a") > 1)
            try await bench.close()
        }
    }

    // Nuke#430, react-native#7571
    @Test func `a resource that was missing is loaded once it exists`() async throws {
        let answers = [TestOrigin.Answer(404), .fresh("there")]
        try await TestOrigin.withOrigin(["/a": answers, "/b": answers]) { origin in
            let bench = try AppBench()
            for expected in ["miss 404 ", "miss there", "hit there"] {
                #expect(try await bench.load(origin.base + "/a") == expected)
            }
            let url = try URL.parsed(origin.base + "/b")
            func text() async throws -> String {
                try await bench.cache.object(for: url) { String(decoding: $0, as: UTF8.self) }
            }
            await #expect(throws: AFCache.Failure.self) { try await text() }
            #expect(try await text() == "there")
            try await bench.close()
        }
    }

    // mapbox-gl-native#3479
    @Test func `an origin's errors don't replace the last good response`() async throws {
        let answers: [TestOrigin.Answer] = [.fresh("good"), TestOrigin.Answer(503), TestOrigin.Answer(500)]
        try await TestOrigin.withOrigin(["/a": answers]) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/a") == "miss good")
            bench.clock.advance(100)
            #expect(try await bench.load(origin.base + "/a") == "stale good")
            #expect(try await bench.load(origin.base + "/a") == "miss 500 ")
            bench.cache.isOffline = true
            #expect(try await bench.load(origin.base + "/a") == "stale good")
            #expect(origin.count(of: "/a") == 3)
            try await bench.close()
        }
    }

    // Kingfisher#439
    @Test func `a URL that redirects to another image each time gives that image`() async throws {
        let redirects = ["/1", "/2", "/3"].map { TestOrigin.Answer.redirect($0, status: 302) }
        let routes: [String: [TestOrigin.Answer]] = [
            "/random": redirects, "/1": [.fresh("1")], "/2": [.fresh("2")], "/3": [.fresh("3")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/random")
            #expect(try await bench.load(url.absoluteString) == "miss 1")
            for expected in ["2", "3"] {
                let text = try await bench.cache.object(for: url) { String(decoding: $0, as: UTF8.self) }
                #expect(text == expected)
            }
            try await bench.close()
        }
    }

    // Kingfisher#690, #642, #2180, #1156
    @Test func `URLs that end with the same file name, or differ in the query, are separate`() async throws {
        let targets = ["/a/picture.png", "/b/picture.png", "/a/picture.png?w=1", "/a/picture.png?w=2", "/picture.png"]
        let routes = Dictionary(uniqueKeysWithValues: targets.map { ($0, [TestOrigin.Answer.fresh($0, for: 600)]) })
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            for expected in ["miss", "hit", "hit"] {
                for target in targets {
                    #expect(try await bench.load(origin.base + target) == "\(expected) \(target)")
                    let url = try URL.parsed(origin.base + target)
                    let text = try await bench.cache.object(for: url) { String(decoding: $0, as: UTF8.self) }
                    #expect(text == target)
                }
            }
            #expect(bench.cache.memoryHits.hits > 0)
            try await bench.close()
        }
    }

    // AFNetworking#3571
    @Test func `after everything was removed, no decoded value is returned`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("old"), .fresh("new")]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            func text() async throws -> String {
                try await bench.cache.object(for: url) { String(decoding: $0, as: UTF8.self) }
            }
            for _ in 0..<2 { #expect(try await text() == "old") }
            try await bench.cache.removeAllCachedResponses()
            #expect(bench.cache.cachedObject(for: url, as: String.self, policy: .returnCacheDataDontLoad) == nil)
            #expect(try await text() == "new")
            try await bench.close()
        }
    }

    // Nuke#973, #801, SDWebImage#1958
    @Test func `callers that are cancelled end as such, and those who load the same URLs get everything`() async throws
    {
        let body = String(repeating: "x", count: 50_000)
        var routes = Dictionary(uniqueKeysWithValues: (0..<10).map { ("/\($0)", [TestOrigin.Answer.fresh(body)]) })
        for target in routes.keys { routes[target]?[0].delay = .milliseconds(20) }
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            let cache = bench.cache
            var tasks: [Task<Data, any Error>] = []
            for number in 0..<200 {
                let url = try URL.parsed(origin.base + "/\(number % 10)")
                tasks.append(Task { try await cache.data(from: url).0 })
            }
            for (number, task) in tasks.enumerated() where number % 3 == 0 {
                if number % 2 == 0 { await Task.yield() }
                task.cancel()
            }
            for (number, task) in tasks.enumerated() {
                do {
                    let data = try await task.value
                    #expect(data == Data(body.utf8))
                } catch is CancellationError {
                    #expect(number % 3 == 0)
                }
            }
            for number in 0..<10 { #expect(try await bench.load(origin.base + "/\(number)") == "hit \(body)") }
            try await bench.close()
        }
    }

    // swift-corelibs-foundation#3250
    @Test func `a task that is cancelled ends with the code of a cancellation`() async throws {
        var slow = TestOrigin.Answer.fresh("slow")
        slow.delay = .seconds(3600)
        try await TestOrigin.withOrigin(["/slow": [slow]]) { origin in
            let bench = try AppBench()
            let session = URLSession(configuration: bench.cache.urlSessionConfiguration())
            defer { session.invalidateAndCancel() }
            let ends = Mutex<[URLError.Code?]>([])
            let task = session.dataTask(with: try URL.parsed(origin.base + "/slow")) { _, _, error in
                ends.withLock { $0.append((error as? URLError)?.code) }
            }
            task.resume()
            try await waitUntil("the origin is asked") { origin.count(of: "/slow") > 0 }
            task.cancel()
            try await waitUntil("the task has ended") { !ends.withLock { $0.isEmpty } }
            #expect(ends.withLock { $0 } == [.cancelled])
            try await bench.close()
        }
    }

    // openradar-mirror#12724, #3905, libs-base#85, swift-corelibs-foundation#1700
    @Test func `each Set-Cookie line of a redirect is a cookie, also if its date has a comma`() async throws {
        let login = TestOrigin.Answer(
            302,
            [
                ("Location", "/home"), ("Set-Cookie", "id=7; Path=/; Expires=Thu, 01 Jan 2037 00:00:00 GMT"),
                ("Set-Cookie", "theme=dark; Path=/"),
            ]
        )
        try await TestOrigin.withOrigin(["/login": [login], "/home": [.fresh("home")]]) { origin in
            let bench = try AppBench()
            // Its cookies are in memory only.
            let configuration = URLSessionConfiguration.ephemeral
            bench.cache.configure(configuration)
            let session = URLSession(configuration: configuration)
            defer { session.invalidateAndCancel() }
            #expect(try await session.data(from: URL.parsed(origin.base + "/login")).0 == Data("home".utf8))
            #expect(origin.targets == ["/login", "/home"])
            let sent = origin.requests.last?.value("cookie") ?? ""
            #expect(Set(sent.components(separatedBy: "; ")) == ["id=7", "theme=dark"])
            try await bench.close()
        }
    }

    // swift-corelibs-foundation#1700
    @Test func `a cookie that a redirect renews is sent to its target, and no other path gets it`() async throws {
        func login(_ id: Int) -> TestOrigin.Answer {
            TestOrigin.Answer(302, [("Location", "/home/"), ("Set-Cookie", "id=\(id); Path=/home/")])
        }
        try await TestOrigin.withOrigin(["/login": [login(1), login(2)], "/home/": [.fresh("home")]]) { origin in
            let bench = try AppBench()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            bench.cache.configure(configuration)
            let session = URLSession(configuration: configuration)
            defer { session.invalidateAndCancel() }
            for _ in 0..<2 { _ = try await session.data(from: URL.parsed(origin.base + "/login")) }
            #expect(origin.targets == ["/login", "/home/", "/login", "/home/"])
            #expect(origin.requests.map { $0.value("cookie") ?? "" } == ["", "id=1", "", "id=2"])
            // A session that handles no cookies sends the app's own, also if it looks like a known one.
            let plain = URLSessionConfiguration.ephemeral
            (plain.httpCookieStorage, plain.httpShouldSetCookies) = (configuration.httpCookieStorage, false)
            plain.requestCachePolicy = .reloadIgnoringLocalCacheData
            bench.cache.configure(plain)
            let other = URLSession(configuration: plain)
            defer { other.invalidateAndCancel() }
            var request = URLRequest(url: try URL.parsed(origin.base + "/home/"))
            request.setValue("id=2", forHTTPHeaderField: "Cookie")
            _ = try await other.data(for: request)
            #expect(origin.requests.count == 5 && origin.requests.last?.value("cookie") == "id=2")
            try await bench.close()
        }
    }

    // NetworkEye#4, yeatse/NSURLProtocol-WebKitSupport#7
    @Test func `the body of a session's POST arrives whole`() async throws {
        let body = String(repeating: "body ", count: 20_000)
        try await TestOrigin.withOrigin(["/a": [.fresh("posted")]]) { origin in
            let bench = try AppBench()
            let session = URLSession(configuration: bench.cache.urlSessionConfiguration())
            defer { session.invalidateAndCancel() }
            var post = URLRequest(url: try URL.parsed(origin.base + "/a"))
            post.httpMethod = "POST"
            post.httpBody = Data(body.utf8)
            #expect(try await session.data(for: post).0 == Data("posted".utf8))
            let isWhole = origin.requests.last?.body == body
            #expect(isWhole)
            try await bench.close()
        }
    }

    // flutter#143203, CachingPlayerItem#23, PersistentStreamPlayer#1
    @Test(arguments: [("bytes=-3", "789"), ("bytes=7-", "789"), ("bytes=0-1", "01"), ("bytes=8-100", "89")])
    func `parts of a stored film, such as its end, need no origin`(_ range: String, _ expected: String) async throws {
        try await TestOrigin.withOrigin(["/film": [.fresh("0123456789", for: 600)]]) { origin in
            let bench = try AppBench()
            let url = origin.base + "/film"
            #expect(try await bench.load(url) == "miss 0123456789")
            for isOffline in [false, true] {
                bench.cache.isOffline = isOffline
                let part = try await bench.load(url, fields: ["Range": range])
                #expect(part.hasSuffix(" 206 \(expected)"), "\(part)")
            }
            #expect(origin.count(of: "/film") == 1)
            try await bench.close()
        }
    }

    // SDWebImage#846
    @Test func `a request with a condition of its own gets a 304 without a body`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600, [("ETag", "\"1\"")])]]) { origin in
            let bench = try AppBench()
            #expect(try await bench.load(origin.base + "/a") == "miss one")
            let same = try await bench.load(origin.base + "/a", fields: ["If-None-Match": "\"1\""])
            #expect(same.hasSuffix(" 304 "), "\(same)")
            let other = try await bench.load(origin.base + "/a", fields: ["If-None-Match": "\"2\""])
            #expect(other == "hit one")
            try await bench.close()
        }
    }

    // swiftui-cached-async-image#14
    @Test func `a body that takes nearly the whole capacity of the disk is stored`() async throws {
        let body = String(repeating: "x", count: 900_000)
        try await TestOrigin.withOrigin(["/a": [.fresh(body, for: 600)]]) { origin in
            let bench = try AppBench(diskCapacity: 1_000_000)
            #expect(try await bench.load(origin.base + "/a").hasPrefix("miss"))
            #expect(try await bench.load(origin.base + "/a", .returnCacheDataDontLoad).hasPrefix("hit"))
            #expect(try await bench.cache.currentDiskUsage() == 900_000)
            try await bench.close()
        }
    }

    // PINCache#240, #312
    @Test func `a cache that is opened again keeps all that fits its capacity`() async throws {
        let body = String(repeating: "x", count: 20_000)
        let routes = Dictionary(
            uniqueKeysWithValues: (0..<15).map { ("/\($0)", [TestOrigin.Answer.fresh(body, for: 600)]) }
        )
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench(memoryCapacity: 0, diskCapacity: 400_000, in: scratch)
            for number in 0..<15 { _ = try await bench.load(origin.base + "/\(number)") }
            try await bench.close()
            let again = try AppBench(memoryCapacity: 0, diskCapacity: 400_000, in: scratch)
            #expect(try await again.cache.currentDiskUsage() == 300_000)
            for number in 0..<15 {
                #expect(try await again.load(origin.base + "/\(number)", .returnCacheDataDontLoad) == "hit \(body)")
            }
            try await again.close()
        }
    }

    /// The number of bytes of all files below a folder.
    private static func size(_ folder: String) -> Int {
        (FileManager.default.subpaths(atPath: folder) ?? []).reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    // openradar-mirror#16314
    @Test func `the usage of the disk is what the bodies' files take`() async throws {
        let body = String(repeating: "x", count: 100_000)
        let routes = Dictionary(
            uniqueKeysWithValues: (0..<10).map { ("/\($0)", [TestOrigin.Answer.fresh(body, for: 600)]) }
        )
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            let folder = bench.scratch.path("cache/received")
            for number in 0..<10 { _ = try await bench.load(origin.base + "/\(number)") }
            #expect(try await bench.cache.currentDiskUsage() == 1_000_000)
            #expect(Self.size(folder) == 1_000_000)
            try await bench.cache.removeAllCachedResponses()
            #expect(try await bench.cache.currentDiskUsage() == 0)
            try await waitUntil("the files are removed") { Self.size(folder) == 0 }
            try await bench.close()
        }
    }

    // openradar-mirror#19377
    @Test func `a large body isn't kept in memory as well as on the disk`() async throws {
        let body = String(repeating: "x", count: 2_000_000)
        try await TestOrigin.withOrigin(["/a": [.fresh(body, for: 600)]]) { origin in
            let bench = try AppBench(memoryCapacity: 64 << 20)
            for _ in 0..<3 { _ = try await bench.load(origin.base + "/a") }
            #expect(origin.count(of: "/a") == 1)
            #expect(try await bench.cache.currentDiskUsage() == 2_000_000)
            #expect(bench.cache.currentMemoryUsage < 1_000_000)
            try await bench.close()
        }
    }

    // artifacts/AFCache#3
    @Test func `the media type of a stored response survives a restart`() async throws {
        let scratch = try Scratch()
        let image = TestOrigin.Answer.fresh("image", for: 600, [("Content-Type", "image/svg+xml; charset=utf-8")])
        try await TestOrigin.withOrigin(["/a": [image]]) { origin in
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            for _ in 0..<2 {
                let bench = try AppBench(in: scratch)
                let (_, response) = try await bench.cache.data(for: request)
                #expect(response.value(forHTTPHeaderField: "Content-Type") == "image/svg+xml; charset=utf-8")
                try await bench.close()
            }
            #expect(origin.count(of: "/a") == 1)
        }
    }

    // artifacts/AFCache#32
    @Test func `a file isn't loaded by its URL`() async throws {
        let bench = try AppBench()
        try bench.scratch.write(Array("text".utf8), to: "file")
        let url = URL(fileURLWithPath: bench.scratch.path("file"))
        #expect(try await bench.load(url.absoluteString) == "error \(URLError.Code.unsupportedURL.rawValue)")
        try await bench.close()
    }
}
