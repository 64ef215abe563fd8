import AFCResolver
import AFCache
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bodies in pieces and as files, and bodies that are sent.
@Suite(.timeLimit(.minutes(5)))
struct StreamTests {
    private static func fed(_ fields: [(String, String)] = []) -> (TestOrigin.Answer, Feed) {
        let feed = Feed()
        var answer = TestOrigin.Answer(200, fields)
        answer.feed = feed
        return (answer, feed)
    }

    private static func all(_ bytes: AFCache.Bytes) async throws -> Data {
        var data = Data()
        for try await piece in bytes { data.append(piece) }
        return data
    }

    /// "hello" by `gzip -n`.
    private static let coded: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]

    @Test func `the head and each piece are there before the next one is sent, and the whole is stored`() async throws {
        let (answer, feed) = Self.fed([("Cache-Control", "max-age=600")])
        try await TestOrigin.withOrigin(["/a": [answer]]) { origin in
            let bench = try AppBench()
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            let (bytes, response) = try await bench.cache.bytes(for: request)
            #expect(response.statusCode == 200 && bytes.source == .miss && bytes.expectedLength == nil)
            var pieces = bytes.makeAsyncIterator()
            for text in ["one", "two", "three"] {
                feed.send(Array(text.utf8))
                #expect(try await pieces.next() == Data(text.utf8))
            }
            feed.end()
            #expect(try await pieces.next() == nil)
            let (again, _) = try await bench.cache.bytes(for: request)
            #expect(again.source == .hit && again.expectedLength == 11)
            #expect(try await Self.all(again) == Data("onetwothree".utf8))
            var part = request
            part.setValue("bytes=3-5", forHTTPHeaderField: "Range")
            let (some, head) = try await bench.cache.bytes(for: part)
            #expect(head.statusCode == 206)
            #expect(try await Self.all(some) == Data("two".utf8))
            #expect(origin.count(of: "/a") == 1)
            try await bench.close()
        }
    }

    @Test func `a coded body is decoded as it arrives, and one that is damaged, bloated or cut ends with an error`()
        async throws
    {
        let (answer, feed) = Self.fed([("Content-Encoding", "gzip")])
        var cut = TestOrigin.Answer(200, [("Content-Length", "100")], body: [1, 2, 3])
        cut.closes = true
        let routes: [String: [TestOrigin.Answer]] = [
            "/a": [answer], "/cut": [cut],
            "/short": [TestOrigin.Answer(200, [("Content-Encoding", "gzip")], body: Self.coded.dropLast(9))],
            "/wrong": [TestOrigin.Answer(200, [("Content-Encoding", "gzip")], body: [0x41, 0x42])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            func bytes(_ path: String) async throws -> AFCache.Bytes {
                try await bench.cache.bytes(for: URLRequest(url: try URL.parsed(origin.base + path))).0
            }
            var pieces = try await bytes("/a").makeAsyncIterator()
            feed.send(Array(Self.coded.prefix(20)))
            #expect(try await pieces.next() == Data("hello".utf8))
            feed.send(Array(Self.coded.dropFirst(20)))
            feed.end()
            #expect(try await pieces.next() == nil)
            for path in ["/short", "/wrong"] {
                let damaged = try await bytes(path)
                let error = await #expect(throws: AFCache.Failure.self) { try await Self.all(damaged) }
                #expect(error?.code == .badCoding)
            }
            let broken = try await bytes("/cut")
            let error = await #expect(throws: AFCache.Failure.self) { try await Self.all(broken) }
            #expect(error?.code == .connectionLost)
            try await bench.close()
        }
    }

    @Test func `whoever stops reading ends the transfer, also by cancelling`() async throws {
        let (answer, feed) = Self.fed([("Cache-Control", "no-store")])
        let (second, other) = Self.fed([("Cache-Control", "no-store")])
        try await TestOrigin.withOrigin(["/a": [answer], "/b": [second]]) { origin in
            let bench = try AppBench()
            let urls = try ["/a", "/b"].map { URLRequest(url: try URL.parsed(origin.base + $0)) }
            do {
                let (bytes, _) = try await bench.cache.bytes(for: urls[0])
                feed.send([1])
                for try await _ in bytes { break }
            }
            try await waitUntil("the connection has ended") { feed.isClosed }
            let (bytes, _) = try await bench.cache.bytes(for: urls[1])
            let task = Task { try await Self.all(bytes) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            withExtendedLifetime(other) {}
            try await bench.close()
        }
    }

    @Test func `an origin that is silent for the request's limit ends a load and a body with timedOut`() async throws {
        let (answer, feed) = Self.fed()
        var slow = TestOrigin.Answer.fresh("slow")
        slow.delay = .seconds(3600)
        try await TestOrigin.withOrigin(["/slow": [slow], "/stall": [answer]]) { origin in
            let bench = try AppBench()
            var request = URLRequest(url: try URL.parsed(origin.base + "/slow"))
            request.timeoutInterval = 0.1
            let first = await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(for: request) }
            #expect(first?.code == .timedOut)
            request = URLRequest(url: try URL.parsed(origin.base + "/stall"))
            // Long enough for the head and the first piece on a busy machine.
            request.timeoutInterval = 5
            let (bytes, _) = try await bench.cache.bytes(for: request)
            feed.send([0x61])
            var pieces = bytes.makeAsyncIterator()
            #expect(try await pieces.next() == Data([0x61]))
            do {
                _ = try await pieces.next()
                Issue.record("the body ended")
            } catch let error as AFCache.Failure {
                #expect(error.code == .timedOut)
            }
            try await bench.close()
        }
    }

    @Test func `a body as a file has its ranges, whether it is stored or not, and outlives its removal`() async throws {
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let coded = TestOrigin.Answer(
            200,
            [("Content-Encoding", "gzip"), ("Cache-Control", "max-age=60")],
            body: Self.coded
        )
        let routes: [String: [TestOrigin.Answer]] = [
            "/film": [TestOrigin.Answer(200, [("Cache-Control", "max-age=600")], body: body)],
            "/never": [TestOrigin.Answer(200, [("Cache-Control", "no-store")], body: body)],
            "/moved": [.redirect("/film")], "/coded": [coded],
            "/large": [TestOrigin.Answer(200, [("Cache-Control", "max-age=600")], body: body + body)],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench { $0.largestStoredBody = 500_000 }
            func file(_ path: String) async throws -> AFCache.BodyFile {
                try await bench.cache.file(for: URLRequest(url: try URL.parsed(origin.base + path))).0
            }
            let film = try await file("/film")
            let again = try await file("/moved")
            let never = try await file("/never")
            let large = try await file("/large")
            #expect(film.isStored && again.isStored && !never.isStored && !large.isStored)
            #expect(film.size == 300_000 && never.size == 300_000 && large.size == 600_000)
            try await bench.cache.removeAllCachedResponses()
            for file in [film, again, never] {
                #expect(try await file.data(in: 0..<10) == Data(body[..<10]))
                #expect(try await file.data(in: 299_990..<400_000) == Data(body[299_990...]))
                #expect(try await file.data(in: 400_000..<500_000).isEmpty)
                #expect(try await file.data(in: -5..<2) == Data(body[..<2]))
            }
            let plain = try await file("/coded")
            #expect(!plain.isStored)
            #expect(try await plain.data(in: 1..<5) == Data("ello".utf8))
            let copy = URL(fileURLWithPath: bench.scratch.path("copy"))
            try await large.write(to: copy)
            #expect(try Data(contentsOf: copy) == Data(body + body))
            await #expect(throws: (any Error).self) { try await film.write(to: copy) }
            #expect(try Data(contentsOf: copy).count == 600_000)
            try await bench.close()
        }
    }

    /// A transport that keeps what is sent.
    private final class Receiving: OriginTransport {
        let bodies = Mutex<[(length: Int64?, bytes: [UInt8])]>([])

        func send(
            _ request: TransportRequest,
            interim: @escaping @Sendable (Int, HTTPFields) async -> Void
        ) async throws(TransportFailure) -> TransportResponse {
            var bytes: [UInt8] = []
            do {
                if let body = request.body { for try await piece in body { bytes += piece.readableBytesView } }
            } catch {
                throw TransportFailure(.disconnected, "\(error)")
            }
            let isFirst = bodies.withLock { bodies in
                bodies.append((request.bodyLength, bytes))
                return bodies.count == 1
            }
            var fields = HTTPFields()
            if isFirst { fields[.location] = "/next" }
            return TransportResponse(status: isFirst ? 307 : 200, fields: fields, bodyLength: 0, body: NoBody())
        }
    }

    private struct NoBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
        typealias Element = ByteBuffer
        typealias Failure = any Error

        func makeAsyncIterator() -> NoBody { self }
        mutating func next() async throws -> ByteBuffer? { nil }
    }

    @Test func `a file and a stream are sent in pieces; only the file can be sent again after a redirect`() async throws
    {
        let body = [UInt8](repeating: 0x62, count: 200_000)
        let receiving = Receiving()
        let bench = try AppBench { $0.transport = receiving }
        try bench.scratch.write(body, to: "body")
        var request = URLRequest(url: try URL.parsed("http://h.example/a"))
        request.httpMethod = "PUT"
        let file = URL(fileURLWithPath: bench.scratch.path("body"))
        let (_, response) = try await bench.cache.upload(for: request, fromFile: file)
        #expect(response.url?.path == "/next")
        #expect(receiving.bodies.withLock { $0.map(\.length) } == [200_000, 200_000])
        #expect(receiving.bodies.withLock { $0.allSatisfy { $0.bytes == body } })
        request.httpBodyStream = InputStream(data: Data(body))
        _ = try await bench.cache.data(for: request)
        #expect(receiving.bodies.withLock { $0.last?.bytes } == body)
        #expect(receiving.bodies.withLock { $0.last?.length } == .some(nil))
        receiving.bodies.withLock { $0 = [] }
        request.httpBodyStream = InputStream(data: Data(body))
        let error = await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(for: request) }
        #expect(error?.code == .badBody)
        let missing = URL(fileURLWithPath: bench.scratch.path("none"))
        await #expect(throws: (any Error).self) { try await bench.cache.upload(for: request, fromFile: missing) }
        try await bench.close()
    }

    @Test func `what is stored comes first, then what the origin has if it differs`() async throws {
        let answers = ["1", "1", "2"].map { TestOrigin.Answer.fresh($0, for: 600) }
        try await TestOrigin.withOrigin(["/a": answers + [TestOrigin.Answer(503)]]) { origin in
            let bench = try AppBench()
            let request = URLRequest(url: try URL.parsed(origin.base + "/a"))
            func texts() async throws -> [String] {
                var texts: [String] = []
                for try await response in bench.cache.responses(for: request) {
                    texts.append("\(response.source) \(String(decoding: response.data, as: UTF8.self))")
                }
                return texts
            }
            #expect(try await texts() == ["miss 1"])
            #expect(try await texts() == ["hit 1"])
            #expect(try await texts() == ["hit 1", "miss 2"])
            bench.cache.isOffline = true
            #expect(try await texts() == ["hit 2"])
            #expect(origin.count(of: "/a") == 3)
            bench.cache.isOffline = false
            try await bench.close()
        }
    }

    @Test func `decoded values of requests with different fields are separate, and report their progress`() async throws
    {
        try await TestOrigin.withOrigin(["/a": ["1", "2", "3"].map { .fresh($0, for: 600, [("Vary", "X-User")]) }]) {
            origin in
            let bench = try AppBench()
            let seen = Mutex<[AFCache.LoadProgress]>([])
            func value(_ user: String?, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) async throws
                -> String
            {
                var request = URLRequest(url: try URL.parsed(origin.base + "/a"), cachePolicy: policy)
                request.setValue(user, forHTTPHeaderField: "X-User")
                return try await bench.cache.object(
                    for: request,
                    progress: { step in seen.withLock { $0.append(step) } }
                ) {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            for _ in 0..<2 {
                #expect(try await value("anna") == "1")
                #expect(try await value("ben") == "2")
            }
            #expect(seen.withLock { $0.last } == AFCache.LoadProgress(received: 1, expected: 1))
            #expect(try await value("ben", .reloadIgnoringLocalCacheData) == "3")
            #expect(try await value("ben") == "3")
            #expect(try await value("anna") == "1")
            #expect(bench.cache.objectHits.hits > 0)
            try await bench.close()
        }
    }

    /// Responses without a lifetime and a validator.
    @Test(arguments: [true, false])
    func `after a first run, everything that isn't forbidden is there offline, redirects too`(_ stores: Bool)
        async throws
    {
        func plain(_ fields: [(String, String)]) -> [TestOrigin.Answer] {
            [TestOrigin.Answer(200, fields, body: Array("data".utf8))]
        }
        var routes: [String: [TestOrigin.Answer]] = [
            "/plain": plain([]), "/private": plain([("Cache-Control", "private")]),
            "/zero": plain([("Cache-Control", "max-age=0")]), "/no-cache": plain([("Cache-Control", "no-cache")]),
            "/never": plain([("Cache-Control", "no-store")]),
        ]
        for status in [301, 302, 303, 307, 308] { routes["/\(status)"] = [.redirect("/plain", status: status)] }
        routes["/to-never"] = [.redirect("/never", status: 302)]
        let asked = routes
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench { $0.storesWithoutLifetime = stores }
            let urls = try asked.keys.sorted().map { try URL.parsed(origin.base + $0) }
            let report = try await bench.cache.prefetch(urls)
            #expect(report.loaded == asked.count && report.failures.isEmpty)
            let reason: (String) -> AFCache.PrefetchReport.Obstacle? = { path in
                if path.hasSuffix("never") { return .forbidden }
                return stores ? nil : .noLifetime
            }
            for url in urls { #expect(report.notStored[url] == reason(url.path), "\(url.path)") }
            let before = origin.requests.count
            bench.cache.isOffline = true
            for url in urls {
                let expected = reason(url.path) == nil ? "stale data" : "error -1009"
                #expect(try await bench.load(url.absoluteString) == expected, "\(url.path)")
            }
            #expect(origin.requests.count == before)
            bench.cache.isOffline = false
            #expect(try await bench.load(origin.base + "/plain") == "miss data", "it is never fresh")
            try await bench.close()
        }
    }

    @Test func `a network's login page isn't what a URL answers offline`() async throws {
        func answer(_ body: String, _ fields: [(String, String)], status: Int = 200) -> TestOrigin.Answer {
            TestOrigin.Answer(status, fields, body: Array(body.utf8))
        }
        let page = answer("login", [("Content-Type", "text/html")])
        let image = answer("data", [("Content-Type", "image/png"), ("ETag", "\"1\"")])
        let data = answer("data", [("Content-Type", "application/json")])
        let routes: [String: [TestOrigin.Answer]] = [
            "/moved": [data, .redirect("/login", status: 302)],
            "/validated": [image, .redirect("/login", status: 307)],
            "/image": [image, page], "/json": [data, page], "/login": [page],
            "/511": [data, answer("login", [("Content-Type", "text/html")], status: 511)],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            for path in routes.keys.sorted() where path != "/login" {
                #expect(try await bench.load(origin.base + path) == "miss data")
                #expect(try await bench.load(origin.base + path).hasSuffix("login"), "\(path)")
                bench.cache.isOffline = true
                #expect(try await bench.load(origin.base + path) == "stale data", "\(path)")
                bench.cache.isOffline = false
            }
            try await bench.close()
        }
    }

    @Test func `what can't be stored is named with its reason`() async throws {
        let large = TestOrigin.Answer.fresh(String(repeating: "x", count: 2000), for: 600)
        try await TestOrigin.withOrigin(["/a": [large], "/events": [.text("data: 1\n\n", type: "text/event-stream")]]) {
            origin in
            let bench = try AppBench { $0.largestStoredBody = 1000 }
            let urls = try ["/a", "/events"].map { try URL.parsed(origin.base + $0) }
            #expect(try await bench.cache.prefetch(urls).notStored == [urls[0]: .tooLarge, urls[1]: .other])
            let nothing = try await bench.cache.prefetch(
                [urls[0]],
                options: AFCache.LoadOptions(storagePolicy: .notAllowed)
            )
            #expect(nothing.notStored == [urls[0]: .notAllowed])
            try await bench.close()
        }
    }
}
