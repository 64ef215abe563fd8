import AFCAsyncHTTPClient
import AFCHTTP
import AFCResolver
import AsyncHTTPClient
import Foundation
import Hummingbird
import Synchronization
import TestSite
import Testing

/// The cache for users of AsyncHTTPClient, with an origin over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct CachingHTTPClientTests {
    @Test func `a fresh response is served without its origin`() async throws {
        try await withOrigin {
            $0.get("/a") { _, _ in response("today") }
        } _: { client, base, requests in
            let first = try await client.text(base + "/a")
            #expect(first.text == "today" && first.status == 200 && !first.isHit)
            let second = try await client.text(base + "/a")
            #expect(second.text == "today" && second.status == 200 && second.isHit)
            #expect(requests.all == ["GET /a"])
        }
    }

    @Test func `what forbids storing isn't stored, even with an assigned lifetime`() async throws {
        var settings = CachingHTTPClient.Configuration.standing
        settings.assignedLifetime = 3600
        try await withOrigin(
            { $0.get("/a") { _, _ in response("secret", .ok, [("Cache-Control", "no-store")]) } },
            cache: settings
        ) { client, base, requests in
            for _ in 0..<2 {
                let got = try await client.text(base + "/a")
                #expect(got.text == "secret")
            }
            #expect(requests.all == ["GET /a", "GET /a"])
            client.isOffline = true
            await #expect(throws: CachingHTTPClientError.self) { try await client.text(base + "/a") }
        }
    }

    @Test func `a stale response is revalidated by its entity tag`() async throws {
        try await withOrigin {
            $0.get("/a") { request, _ in
                let fields = [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]
                guard request.headers[.ifNoneMatch] == "\"1\"" else { return response("body", .ok, fields) }
                return Response(status: .notModified, headers: [.eTag: "\"1\""])
            }
        } _: { client, base, requests in
            for _ in 0..<3 {
                let got = try await client.text(base + "/a")
                #expect(got.text == "body")
            }
            #expect(requests.all.count == 3)
        }
    }

    @Test func `offline, everything stored is served and nothing is sent`() async throws {
        try await withOrigin {
            $0.get("/old") { _, _ in response("old", .ok, [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]) }
            $0.get("/other") { _, _ in response("other") }
        } _: { client, base, requests in
            _ = try await client.text(base + "/old")
            client.isOffline = true
            let got1 = try await client.text(base + "/old")
            #expect(got1.text == "old")
            let error = await #expect(throws: CachingHTTPClientError.self) { try await client.text(base + "/other") }
            #expect(error?.code == .offline)
            #expect(error?.message == "the client is offline, and nothing is stored for '\(base)/other'")
            #expect(requests.all == ["GET /old"])
            client.isOffline = false
            let got2 = try await client.text(base + "/other")
            #expect(got2.text == "other")
        }
    }

    @Test(arguments: [
        (ResourcePolicy.useProtocolCachePolicy, 1), (.reloadIgnoringLocalCacheData, 2), (.returnCacheDataElseLoad, 1),
        (.returnCacheDataDontLoad, 1), (.reloadRevalidatingCacheData, 2), (.reloadIgnoringLocalAndRemoteCacheData, 2),
    ])
    func `a policy decides whether the origin is asked for a stored response`(_ policy: ResourcePolicy, _ count: Int)
        async throws
    {
        try await withOrigin {
            $0.get("/a") { _, _ in response("a") }
        } _: { client, base, requests in
            _ = try await client.text(base + "/a")
            let got3 = try await client.text(base + "/a", .init(policy))
            #expect(got3.text == "a")
            #expect(requests.all.count == count)
        }
    }

    @Test func `a request that allows no connection gets an error if nothing is stored`() async throws {
        try await withOrigin({ _ in }) { client, base, requests in
            let error = await #expect(throws: CachingHTTPClientError.self) {
                try await client.text(base + "/a", .init(.returnCacheDataDontLoad))
            }
            #expect(error?.code == .notStored)
            #expect(requests.all.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `redirects are stored and followed, also if the client follows them itself`(_ clientFollows: Bool)
        async throws
    {
        var configuration = HTTPClient.Configuration.forCache
        if clientFollows { configuration.redirectConfiguration = .follow(max: 5, allowCycles: false) }
        try await withOrigin(
            {
                $0.get("/from") { _, _ in
                    response("moved", .movedPermanently, [("Location", "/to?x=1"), ("Cache-Control", "max-age=60")])
                }
                $0.get("/to") { _, _ in response("target") }
            },
            client: configuration
        ) { client, base, requests in
            for _ in 0..<2 {
                let got = try await client.text(base + "/from")
                #expect(got.text == "target")
            }
            let expected = ["GET /from", "GET /to?x=1"] + (clientFollows ? ["GET /to?x=1"] : [])
            #expect(requests.all == expected)
            let got4 = try await client.text(base + "/to?x=1")
            #expect(got4.isHit)
            var options = CachingHTTPClient.Options()
            options.followsRedirects = false
            let got5 = try await client.text(base + "/from", options)
            #expect(got5.status == 301)
        }
    }

    @Test func `redirects without an end are an error`() async throws {
        try await withOrigin {
            $0.get("/loop") { _, _ in response("", .found, [("Location", "/loop")]) }
        } _: { client, base, requests in
            let error = await #expect(throws: CachingHTTPClientError.self) { try await client.text(base + "/loop") }
            #expect(error?.code == .tooManyRedirects)
            #expect(requests.all.count == 21)
        }
    }

    @Test func `a large body is streamed, stored, and served again`() async throws {
        let count = 300
        try await withOrigin {
            $0.get("/large") { _, _ in
                Response(
                    status: .ok,
                    headers: [.cacheControl: "max-age=60"],
                    body: .init { writer in
                        for piece in 0..<count {
                            let byte = UInt8(truncatingIfNeeded: piece)
                            try await writer.write(ByteBuffer(repeating: byte, count: 65_536))
                        }
                        try await writer.finish(nil)
                    }
                )
            }
        } _: { client, base, requests in
            for _ in 0..<2 {
                let request = HTTPClientRequest(url: base + "/large")
                let response = try await client.execute(request, timeout: .seconds(60))
                var (bytes, isRight) = (0, true)
                for try await piece in response.body {
                    let ends = [piece.readableBytesView.first, piece.readableBytesView.last]
                    let places = [bytes, bytes + piece.readableBytes - 1]
                    isRight = isRight && ends == places.map { UInt8(truncatingIfNeeded: $0 / 65_536) }
                    bytes += piece.readableBytes
                }
                #expect(bytes == count * 65_536)
                #expect(isRight)
            }
            #expect(requests.all == ["GET /large"])
        }
    }

    @Test func `an origin that can't be reached is an error, and a stored response is served instead`() async throws {
        let address = Mutex("")
        let clock = Mutex(CachingHTTPClient.Configuration().now())
        var settings = CachingHTTPClient.Configuration()
        settings.now = { clock.withLock { $0 } }
        let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let http = HTTPClient(configuration: .forCache)
        let client = try await CachingHTTPClient(http, path: folder, configuration: settings)
        try await withOrigin {
            $0.get("/a") { _, _ in response("a") }
        } _: { _, base, _ in
            address.withLock { $0 = base }
            _ = try await client.text(base + "/a")
        }
        clock.withLock { $0 = $0 + 3600 }
        let base = address.withLock { $0 }
        let got6 = try await client.text(base + "/a")
        #expect(got6.text == "a")
        let error = await #expect(throws: CachingHTTPClientError.self) { try await client.text(base + "/b") }
        #expect(error?.code == .unreachable)
        try await client.shutdown()
        try await http.shutdown()
    }

    @Test func `a deadline ends a request that gets no response`() async throws {
        let isOver = Mutex(false)
        try await withOrigin {
            $0.get("/slow") { _, _ in
                while !isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(20)) }
                return response("late")
            }
        } _: { client, base, _ in
            defer { isOver.withLock { $0 = true } }
            let error = await #expect(throws: HTTPClientError.self) {
                try await client.execute(HTTPClientRequest(url: base + "/slow"), timeout: .milliseconds(200))
            }
            #expect(error == .deadlineExceeded)
            let task = Task { try await client.text(base + "/slow").text }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `a body is sent as it is, and what is stored for its URL becomes invalid`() async throws {
        try await withOrigin {
            $0.get("/a") { _, _ in response("a") }
            $0.post("/a") { request, _ in
                let length = request.headers[.contentLength] ?? "none"
                let body = try await request.body.collect(upTo: 1 << 20)
                return response("\(length) \(String(buffer: body))", .ok, [])
            }
        } _: { client, base, requests in
            _ = try await client.text(base + "/a")
            let got7 = try await client.text(base + "/a")
            #expect(got7.isHit)
            let posted = try await client.text(base + "/a") { request in
                request.method = .POST
                request.body = .bytes(ByteBuffer(string: "hello"))
            }
            #expect(posted.text == "5 hello")
            let after = try await client.text(base + "/a")
            #expect(!after.isHit)
            #expect(requests.all == ["GET /a", "POST /a", "GET /a"])
        }
    }

    @Test func `a client that decodes bodies gets a sentence`() async throws {
        let gzip: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0,
        ]
        for decodes in [false, true] {
            var configuration = HTTPClient.Configuration.forCache
            if decodes { configuration.decompression = .enabled(limit: .none) }
            try await withOrigin(
                {
                    $0.get("/a") { _, _ in
                        Response(
                            status: .ok,
                            headers: [.contentEncoding: "gzip", .cacheControl: "max-age=60"],
                            body: .init(byteBuffer: ByteBuffer(bytes: gzip))
                        )
                    }
                },
                client: configuration
            ) { client, base, _ in
                let request = HTTPClientRequest(url: base + "/a")
                let response = try await client.execute(request, timeout: .seconds(60))
                guard decodes else {
                    let body = try await response.body.collect(upTo: 1000)
                    #expect(Array(body.readableBytesView) == gzip)
                    return
                }
                let error = await #expect(throws: TransportFailure.self) {
                    try await response.body.collect(upTo: 1000)
                }
                #expect(error?.message.contains("decompression: .disabled") == true)
            }
        }
    }

    @Test func `a package answers without a network`() async throws {
        let package = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString).zip").path
        defer { try? FileManager.default.removeItem(atPath: package) }
        try await TestSite.write(to: package)
        try await withOrigin({ _ in }) { client, _, requests in
            _ = try await client.store.install(package, now: TestSite.made)
            client.isOffline = true
            let got8 = try await client.text("https://garden.example/old")
            #expect(got8.text.contains("400 years"))
            #expect(requests.all.isEmpty)
        }
    }

    @Test(arguments: ["ftp://a.example/", "unix:/tmp/a", "no URL"])
    func `only http and https URLs can be requested`(_ url: String) async throws {
        try await withOrigin({ _ in }) { client, _, _ in
            let error = await #expect(throws: CachingHTTPClientError.self) { try await client.text(url) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message == "'\(url)' is not an http or https URL")
        }
    }
}
