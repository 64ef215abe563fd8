import AFCache
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// URL sessions that are answered from a cache.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SessionTests {
    /// A session with a cache, ended after use.
    private func withSession(
        _ bench: AppBench,
        _ change: (URLSessionConfiguration) -> Void = { _ in },
        options: AFCache.LoadOptions = AFCache.LoadOptions(),
        _ body: (URLSession) async throws -> Void
    ) async throws {
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = nil
        change(configuration)
        bench.cache.configure(configuration, options: options)
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        try await body(session)
    }

    private func get(_ session: URLSession, _ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await session.data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    /// The fields that the cache adds to what it serves, and those of the connection.
    private static let own: Set<String> = [
        "age", "cache-status", "accept-ranges", "date", "connection", "keep-alive", "content-length",
    ]

    private func comparable(_ response: HTTPURLResponse) -> [String: String] {
        response.allHeaderFields.reduce(into: [:]) { fields, field in
            let name = "\(field.key)".lowercased()
            if !Self.own.contains(name) { fields[name] = "\(field.value)" }
        }
    }

    /// A site with many kinds of bodies and URLs: empty and large ones, queries, escapes and deep paths.
    private static func site() -> [String: [TestOrigin.Answer]] {
        var routes: [String: [TestOrigin.Answer]] = [:]
        for number in 0..<200 {
            let size = [0, 1, 700, 16_384, 70_000, 300_000][number % 6]
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 7) }
            let target =
                switch number % 4 {
                case 0: "/pages/\(number).html"
                case 1: "/query?id=\(number)"
                case 2: "/" + String(repeating: "deep/", count: 60) + "\(number)"
                default: "/caf%C3%A9/%7Euser/\(number)%2Fx"
                }
            routes[target] = [
                TestOrigin.Answer(
                    number % 50 == 7 ? 404 : 200,
                    [
                        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "max-age=600"),
                        ("ETag", "\"\(number)\""), ("X-Number", "\(number)"),
                        ("Last-Modified", "Sat, 27 Mar 2004 18:43:30 GMT"),
                    ],
                    body: body
                )
            ]
        }
        return routes
    }

    /// Loads all targets with many tasks at a time.
    private func loadAll(_ session: URLSession, _ base: String, _ targets: [String], at once: Int) async throws
        -> [String: (status: Int, fields: [String: String], data: Data)]
    {
        try await withThrowingTaskGroup(of: (String, Int, [String: String], Data).self) { group in
            var rest = targets[...]
            func next() throws {
                guard let target = rest.popFirst() else { return }
                let request = URLRequest(url: try URL.parsed(base + target))
                group.addTask {
                    let (data, response) = try await get(session, request)
                    return (target, response.statusCode, comparable(response), data)
                }
            }
            for _ in 0..<once { try next() }
            var all: [String: (status: Int, fields: [String: String], data: Data)] = [:]
            while let (target, status, fields, data) = try await group.next() {
                all[target] = (status, fields, data)
                try next()
            }
            return all
        }
    }

    @Test func `a session gets the same bytes and fields offline as from the live server, with 50 tasks at a time`()
        async throws
    {
        let routes = Self.site()
        let targets = routes.keys.sorted()
        try await TestOrigin.withOrigin(routes) { origin in
            let plain = URLSession(configuration: .ephemeral)
            defer { plain.invalidateAndCancel() }
            let live = try await loadAll(plain, origin.base, targets, at: 4)
            let bench = try AppBench()
            try await withSession(bench) { session in
                for isOffline in [false, true] {
                    bench.cache.isOffline = isOffline
                    let asked = origin.requests.count
                    let answers = try await loadAll(session, origin.base, targets, at: 50)
                    #expect(answers.count == targets.count)
                    var different: [String] = []
                    for target in targets {
                        let (one, two) = (try #require(live[target]), try #require(answers[target]))
                        let isSame = one.status == two.status && one.fields == two.fields && one.data == two.data
                        if !isSame {
                            let (live, ours) = ("\(one.status) \(one.fields)", "\(two.status) \(two.fields)")
                            different.append("\(target): \(live), \(ours), \(one.data.count), \(two.data.count)")
                        }
                    }
                    #expect(different.isEmpty, "\(different.prefix(2))")
                    #expect(origin.requests.count - asked == (isOffline ? 0 : targets.count))
                }
            }
            try await bench.close()
        }
    }

    #if os(Linux)
    /// What goes wrong with Linux's own cache in the same place; docs/developers/from-nsurlcache.md explains it.
    @Test func `Linux's bare URLCache stores nothing by itself, and serves the body of another query`() async throws {
        let one = TestOrigin.Answer.fresh("one", for: 600)
        let two = TestOrigin.Answer.fresh("two", for: 600)
        try await TestOrigin.withOrigin(["/a?id=1": [one], "/a?id=2": [two]]) { origin in
            let scratch = try Scratch()
            let configuration = URLSessionConfiguration.default
            let bare = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: scratch.path("bare"))
            configuration.urlCache = bare
            let session = URLSession(configuration: configuration)
            defer { session.invalidateAndCancel() }
            let requests = try ["/a?id=1", "/a?id=2"].map { URLRequest(url: try URL.parsed(origin.base + $0)) }
            for _ in 0..<2 { _ = try await get(session, requests[0]) }
            #expect(origin.count(of: "/a?id=1") == 2, "a fresh response was not asked for again")
            let (data, response) = try await get(session, requests[0])
            bare.storeCachedResponse(CachedURLResponse(response: response, data: data), for: requests[0])
            #expect(bare.cachedResponse(for: requests[1])?.data == Data("one".utf8), "the query is part of the key")
        }
    }
    #endif

    @Test func `redirects are followed and large bodies arrive whole`() async throws {
        let large = [UInt8](repeating: 0x61, count: 5_000_000)
        let routes: [String: [TestOrigin.Answer]] = [
            "/a": [.redirect("/b?x=1", status: 302)], "/b?x=1": [.redirect("/c", status: 307)],
            "/c": [TestOrigin.Answer(200, [("Cache-Control", "max-age=600")], body: large)],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                for _ in 0..<2 {
                    let (data, response) = try await get(session, URLRequest(url: try URL.parsed(origin.base + "/a")))
                    #expect(data.count == large.count)
                    #expect(data.allSatisfy { $0 == 0x61 })
                    #expect(response.url?.path == "/c")
                }
                #expect(origin.count(of: "/c") == 1)
            }
            try await bench.close()
        }
    }

    @Test func `https is answered as well`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withSecureOrigin(
            ["/a": [.fresh("secret", for: 600)]],
            host: "localhost",
            protocols: ["http/1.1"]
        ) { origin, authority in
            try scratch.write(Array(authority.utf8), to: "ca.pem")
            let bench = try AppBench { $0.certificates = URL(fileURLWithPath: scratch.path("ca.pem")) }
            try await withSession(bench) { session in
                let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
                for _ in 0..<2 { #expect(try await get(session, request).0 == Data("secret".utf8)) }
                #expect(origin.count(of: "/a") == 1)
            }
            try await bench.close()
            let strict = try AppBench { $0.now = { Date() } }
            try await withSession(strict) { session in
                let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
                let error = await #expect(throws: URLError.self) { try await get(session, request) }
                #expect(error?.code == .serverCertificateUntrusted)
                #expect(error?.localizedDescription.contains("certificate") == true)
            }
            try await strict.close()
        }
    }

    @Test func `an https origin that the app doesn't accept gets no request, and one that it accepts is asked`()
        async throws
    {
        let scratch = try Scratch()
        try await TestOrigin.withSecureOrigin(["/a": [.fresh("secret", for: 600)]], host: "localhost") {
            origin,
            authority in
            try scratch.write(Array(authority.utf8), to: "ca.pem")
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            let package = try URL.parsed(origin.base + "/none.zip")
            let seen = Mutex<[AFCache.ServerCertificate]>([])
            func bench(pinning pin: String) throws -> AppBench {
                try AppBench {
                    $0.certificates = URL(fileURLWithPath: scratch.path("ca.pem"))
                    $0.acceptsServer = { server in
                        seen.withLock { $0.append(server) }
                        return server.publicKeyPin == pin
                    }
                }
            }
            let strict = try bench(pinning: String(repeating: "A", count: 43) + "=")
            try await withSession(strict) { session in
                await #expect(throws: URLError.self) { try await get(session, request) }
            }
            await #expect(throws: (any Error).self) { try await strict.cache.installPackage(from: package) }
            try await strict.close()
            #expect(origin.requests.isEmpty)
            let server = try #require(seen.withLock { $0.last })
            #expect(server.host == "localhost" && server.port == origin.port)
            // The first bytes of a key on the curve P-256 (RFC 5480 §2.1.1.1).
            #expect(server.publicKey.prefix(4) == Data([0x30, 0x59, 0x30, 0x13]))

            let pinned = try bench(pinning: server.publicKeyPin)
            try await withSession(pinned) { session in
                let data = try await get(session, request).0
                #expect(data == Data("secret".utf8))
            }
            await #expect(throws: (any Error).self) { try await pinned.cache.installPackage(from: package) }
            try await pinned.close()
            #expect(origin.targets == ["/a", "/none.zip"])
        }
    }

    @Test func `a session whose proxy the cache wouldn't use isn't changed, and that is reported`() throws {
        let bench = try AppBench()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = ["HTTPSProxy": "proxy.example", "HTTPSPort": 8080]
        let before = configuration.protocolClasses?.count
        #expect(!bench.cache.configure(configuration))
        #expect(configuration.protocolClasses?.count == before)
        #expect(
            bench.troubles.all == [
                "a URL session isn't answered by the cache, which can't keep the proxies of its configuration"
            ]
        )
        configuration.connectionProxyDictionary = nil
        #expect(bench.cache.configure(configuration))
    }

    @Test func `a session's policy, fields, options and cookies take effect, and its requests' own precede them`()
        async throws
    {
        let cookie = TestOrigin.Answer(200, [("Cache-Control", "no-store"), ("Set-Cookie", "id=7; Path=/")])
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("2")], "/cookie": [cookie]]) { origin in
            let bench = try AppBench()
            let url = try URL.parsed(origin.base + "/a")
            try await withSession(
                bench,
                { configuration in
                    configuration.requestCachePolicy = .returnCacheDataDontLoad
                    configuration.httpAdditionalHeaders = ["X-App": "reader"]
                    configuration.httpCookieStorage = HTTPCookieStorage.sharedCookieStorage(
                        forGroupContainerIdentifier: UUID().uuidString
                    )
                },
                options: AFCache.LoadOptions(lifetime: 3600)
            ) { session in
                let error = await #expect(throws: URLError.self) { try await get(session, URLRequest(url: url)) }
                #expect(error?.code == .resourceUnavailable)
                var reload = URLRequest(url: url)
                reload.cachePolicy = .reloadIgnoringLocalCacheData
                #expect(try await get(session, reload).0 == Data("1".utf8))
                #expect(origin.requests.last?.fields.contains("X-App: reader") == true)
                bench.clock.advance(3000)
                #expect(try await get(session, URLRequest(url: url)).1.value(forHTTPHeaderField: "Age") == "3000")
                var login = URLRequest(url: try URL.parsed(origin.base + "/cookie"))
                login.cachePolicy = .reloadIgnoringLocalCacheData
                for _ in 0..<2 { _ = try await get(session, login) }
                let sent = origin.requests.filter { $0.target == "/cookie" }
                #expect(sent.map { $0.fields.contains("Cookie: id=7") } == [false, true])
            }
            try await bench.close()
        }
    }

    @Test func `bodies are sent, and change what is stored`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("posted"), .fresh("2")]]) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
                #expect(try await get(session, request).0 == Data("1".utf8))
                var post = request
                post.httpMethod = "POST"
                post.httpBody = Data("abc".utf8)
                #expect(try await get(session, post).0 == Data("posted".utf8))
                #expect(origin.requests.last?.fields.contains("Content-Length: 3") == true)
                #expect(try await get(session, request).0 == Data("2".utf8))
            }
            try await bench.close()
        }
    }

    @Test func `an upload invalidates what only memory has`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("sent"), .fresh("2")]]) { origin in
            let bench = try AppBench { $0.storagePolicy = .allowedInMemoryOnly }
            try await withSession(bench) { session in
                let url = try URL.parsed(origin.base + "/a")
                for _ in 0..<2 { #expect(try await get(session, URLRequest(url: url)).0 == Data("1".utf8)) }
                var post = URLRequest(url: url)
                post.httpMethod = "POST"
                let sent = try await session.upload(for: post, from: Data("abc".utf8)).0
                #expect(sent == Data("sent".utf8))
                #expect(try await get(session, URLRequest(url: url)).0 == Data("2".utf8))
            }
            try await bench.close()
        }
    }

    @Test func `a cancelled task ends at once, and so does its transfer`() async throws {
        var slow = TestOrigin.Answer.fresh("slow")
        slow.delay = .seconds(3600)
        try await TestOrigin.withOrigin(["/slow": [slow], "/a": [.fresh("a")]]) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                let request = URLRequest(url: try URL.parsed(origin.base + "/slow"))
                let tasks = (0..<30).map { _ in Task { try await get(session, request) } }
                try await waitUntil("the origin is asked") { origin.count(of: "/slow") > 0 }
                for task in tasks { task.cancel() }
                for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
                #expect(try await get(session, URLRequest(url: try URL.parsed(origin.base + "/a"))).0 == Data("a".utf8))
            }
            try await bench.close()
        }
    }

    @Test func `a suspended task ends when it is resumed`() async throws {
        var slow = TestOrigin.Answer.fresh("slow")
        slow.delay = .milliseconds(100)
        try await TestOrigin.withOrigin(["/slow": [slow]]) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                let ended = Mutex<[Data?]>([])
                let task = session.dataTask(with: try URL.parsed(origin.base + "/slow")) { data, _, _ in
                    ended.withLock { $0.append(data) }
                }
                task.resume()
                try await waitUntil("the origin is asked") { origin.count(of: "/slow") > 0 }
                task.suspend()
                #expect(task.state == .suspended)
                task.resume()
                try await waitUntil("the task has ended") { !ended.withLock { $0.isEmpty } }
                #expect(ended.withLock { $0 } == [Data("slow".utf8)])
            }
            try await bench.close()
        }
    }

    @Test func `tasks cancelled while answers arrive end once each`() async throws {
        let body = String(repeating: "x", count: 1000)
        let routes = Dictionary(uniqueKeysWithValues: (0..<10).map { ("/\($0)", [TestOrigin.Answer.fresh(body)]) })
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                let ended = Mutex(0)
                for round in 0..<300 {
                    let url = try URL.parsed(origin.base + "/\(round % 10)")
                    let task = session.dataTask(with: url) { _, _, _ in ended.withLock { $0 += 1 } }
                    task.resume()
                    if round % 3 > 0 { await Task.yield() }
                    if round % 2 > 0 { task.cancel() }
                }
                try await waitUntil("all tasks have ended") { ended.withLock { $0 } == 300 }
            }
            try await bench.close()
        }
    }

    @Test func `a request that bypasses the cache reaches the network, so a cache can't wait for itself`() async throws
    {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("2"), .fresh("3")]]) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
                #expect(try await get(session, request).0 == Data("1".utf8))
                #expect(try await get(session, AFCache.bypassing(request)).0 == Data("2".utf8))
                #expect(try await get(session, request).0 == Data("1".utf8))
            }
            try await bench.close()
        }
    }

    @Test func `two sessions with two caches don't mix, and a session outlives its cache with an error`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1"), .fresh("2")]]) { origin in
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            let one = try AppBench()
            try await withSession(one) { first in
                #expect(try await get(first, request).0 == Data("1".utf8))
                var two: AppBench? = try AppBench()
                let configuration = URLSessionConfiguration.ephemeral
                two?.cache.configure(configuration)
                let second = URLSession(configuration: configuration)
                defer { second.invalidateAndCancel() }
                #expect(try await get(second, request).0 == Data("2".utf8))
                #expect(try await get(first, request).0 == Data("1".utf8))
                try await two?.close()
                two = nil
                // Without its cache, the session loads from the network, or fails if the request was already taken.
                #expect(try await get(first, request).0 == Data("1".utf8))
            }
            try await one.close()
        }
    }

    @Test func `progress of a session's requests is reported`() async throws {
        let seen = Mutex<[AFCache.LoadProgress]>([])
        let body = String(repeating: "x", count: 200_000)
        try await TestOrigin.withOrigin(["/a": [.fresh(body)]]) { origin in
            let bench = try AppBench { $0.onProgress = { _, step in seen.withLock { $0.append(step) } } }
            try await withSession(bench) { session in
                _ = try await get(session, URLRequest(url: try URL.parsed(origin.base + "/a")))
            }
            #expect(seen.withLock { $0.last } == AFCache.LoadProgress(received: 200_000, expected: 200_000))
            try await bench.close()
        }
    }

    /// What a task with a delegate got.
    private final class Taker: NSObject, URLSessionDataDelegate {
        struct State {
            var head: HTTPURLResponse?
            var pieces: [Data] = []
            var ends: [URLError.Code?] = []
        }

        let state = Mutex(State())
        var data: Data { state.withLock { $0.pieces.reduce(Data(), +) } }
        var isEnded: Bool { state.withLock { !$0.ends.isEmpty } }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            state.withLock { $0.head = response as? HTTPURLResponse }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            state.withLock { $0.pieces.append(data) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            state.withLock { $0.ends.append((error as? URLError)?.code) }
        }
    }

    private func withTaker(
        _ bench: AppBench,
        _ change: (URLSessionConfiguration) -> Void = { _ in },
        _ body: (URLSession, Taker) async throws -> Void
    ) async throws {
        let (configuration, taker) = (URLSessionConfiguration.default, Taker())
        change(configuration)
        bench.cache.configure(configuration)
        let session = URLSession(configuration: configuration, delegate: taker, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        try await body(session, taker)
    }

    private static func fed(_ fields: [(String, String)]) -> (TestOrigin.Answer, Feed) {
        let feed = Feed()
        var answer = TestOrigin.Answer(200, fields)
        answer.feed = feed
        return (answer, feed)
    }

    @Test func `a delegate gets the head and each piece before the next one is sent, a completion handler the whole`()
        async throws
    {
        for type in ["text/event-stream", "video/mp4"] {
            let (answer, feed) = Self.fed([("Content-Type", type)])
            try await TestOrigin.withOrigin(["/a": [answer], "/b": [.fresh(String(repeating: "b", count: 300_000))]]) {
                origin in
                let bench = try AppBench()
                try await withTaker(bench) { session, taker in
                    let task = session.dataTask(with: try URL.parsed(origin.base + "/a"))
                    task.resume()
                    try await waitUntil("the head has come") { taker.state.withLock { $0.head != nil } }
                    for number in 1...20 {
                        feed.send(Array("data: \(number)\n\n".utf8))
                        let expected = Data((1...number).map { "data: \($0)\n\n" }.joined().utf8)
                        try await waitUntil("piece \(number) has come") { taker.data == expected }
                    }
                    #expect(!taker.isEnded)
                    feed.end()
                    try await waitUntil("the task has ended") { taker.isEnded }
                    #expect(taker.state.withLock { $0.ends } == [nil])
                    // In the same session.
                    for _ in 0..<2 {
                        let (data, _) = try await get(session, URLRequest(url: try URL.parsed(origin.base + "/b")))
                        #expect(data.count == 300_000)
                    }
                    #expect(origin.count(of: "/b") == 1)
                }
                bench.cache.isOffline = true
                let events = try await bench.load(origin.base + "/a")
                #expect(events.hasPrefix("error") == (type == "text/event-stream"))
                try await bench.close()
            }
        }
    }

    @Test func `a stream that is suspended continues where it was, and one that is invalidated ends once`() async throws
    {
        let (answer, feed) = Self.fed([("Cache-Control", "no-store")])
        try await TestOrigin.withOrigin(["/a": [answer]]) { origin in
            let bench = try AppBench()
            for isInvalidated in [false, true] {
                try await withTaker(bench) { session, taker in
                    let task = session.dataTask(with: try URL.parsed(origin.base + "/a"))
                    task.resume()
                    try await waitUntil("the origin is asked") { feed.count == (isInvalidated ? 2 : 1) }
                    feed.send([1])
                    try await waitUntil("the first piece has come") { taker.data == Data([1]) }
                    task.suspend()
                    let body = [UInt8](repeating: 7, count: 3_000_000)
                    feed.send(body)
                    guard !isInvalidated else {
                        session.invalidateAndCancel()
                        try await waitUntil("the task has ended") { taker.isEnded }
                        try await waitUntil("the connection has ended") { feed.isClosed }
                        #expect(taker.state.withLock { $0.ends } == [.cancelled])
                        return
                    }
                    task.resume()
                    try await waitUntil("the rest has come") { taker.data.count == 1 + body.count }
                    feed.end()
                    try await waitUntil("the task has ended") { taker.isEnded }
                    #expect(taker.data == Data([1] + body))
                    #expect(taker.state.withLock { $0.ends } == [nil])
                    #expect(origin.count(of: "/a") == 1)
                }
            }
            try await bench.close()
        }
    }

    @Test func `a session's time limits end its tasks, also within a body`() async throws {
        let (answer, feed) = Self.fed([])
        var slow = TestOrigin.Answer.fresh("slow")
        slow.delay = .seconds(3600)
        try await TestOrigin.withOrigin(["/slow": [slow], "/a": [answer]]) { origin in
            let bench = try AppBench()
            let limits: [(URLSessionConfiguration) -> Void] = [
                { $0.timeoutIntervalForRequest = 0.2 }, { $0.timeoutIntervalForResource = 0.2 },
            ]
            for limit in limits {
                try await withSession(bench, limit) { session in
                    let request = URLRequest(url: try URL.parsed(origin.base + "/slow"))
                    let error = await #expect(throws: URLError.self) { try await get(session, request) }
                    #expect(error?.code == .timedOut)
                }
            }
            try await withSession(bench) { session in
                let url = try URL.parsed(origin.base + "/slow")
                let request = URLRequest(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 0.2)
                let error = await #expect(throws: URLError.self) { try await get(session, request) }
                #expect(error?.code == .timedOut)
            }
            try await withTaker(bench, { $0.timeoutIntervalForRequest = 3 }) { session, taker in
                session.dataTask(with: try URL.parsed(origin.base + "/a")).resume()
                try await waitUntil("the head has come") { taker.state.withLock { $0.head != nil } }
                feed.send([1])
                try await waitUntil("the task has ended") { taker.isEnded }
                #expect(taker.state.withLock { $0.ends } == [.timedOut])
                #expect(taker.data == Data([1]))
            }
            try await bench.close()
        }
    }

    @Test func `tasks of a delegate that are cancelled at random end once each`() async throws {
        let body = String(repeating: "x", count: 200_000)
        let never = TestOrigin.Answer(200, [("Cache-Control", "no-store")], body: Array(body.utf8))
        try await TestOrigin.withOrigin(["/a": [.fresh(body)], "/b": [never]]) { origin in
            let bench = try AppBench()
            try await withTaker(bench) { session, taker in
                var random = SeededGenerator(seed: 7)
                for round in 0..<400 {
                    let task = session.dataTask(with: try URL.parsed(origin.base + (round % 2 == 0 ? "/a" : "/b")))
                    task.resume()
                    for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
                    if round % 5 > 0 { task.cancel() }
                }
                try await waitUntil("all tasks have ended") { taker.state.withLock { $0.ends.count } == 400 }
            }
            try await bench.close()
        }
    }

    @Test func `what an ephemeral session loads is in memory only`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("one", for: 600)]]) { origin in
            let bench = try AppBench()
            let configuration = URLSessionConfiguration.ephemeral
            bench.cache.configure(configuration)
            let session = URLSession(configuration: configuration)
            defer { session.invalidateAndCancel() }
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            for _ in 0..<2 {
                let (data, _) = try await get(session, request)
                #expect(data == Data("one".utf8))
            }
            #expect(origin.count(of: "/a") == 1)
            let usage = try await bench.cache.currentDiskUsage()
            #expect(usage == 0)
            try await bench.close()
        }
    }

    #if os(Linux)
    @Test func `a download task fails with a sentence instead of giving nothing`() async throws {
        try await TestOrigin.withOrigin(["/a": [.fresh("1")]]) { origin in
            let bench = try AppBench()
            try await withSession(bench) { session in
                let url = try URL.parsed(origin.base + "/a")
                let text = await withCheckedContinuation { continuation in
                    session.downloadTask(with: url) { _, _, error in
                        continuation.resume(returning: error?.localizedDescription ?? "none")
                    }.resume()
                }
                #expect(text.contains("use a data task"))
            }
            try await bench.close()
        }
    }
    #endif
}
