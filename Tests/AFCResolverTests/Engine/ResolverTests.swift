import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

private let noon = Timestamp(secondsSinceEpoch: 1_800_000_000)

/// A resolver over an empty store, with a clock that a test moves.
private struct Bench: Sendable {
    let scratch: Scratch
    let origin: FakeOrigin
    let store: DiskCache
    let resolver: Resolver
    let clock: Clock
    let url: WebURL

    final class Clock: Sendable {
        private let time = Mutex(noon)
        var now: Timestamp { time.withLock { $0 } }
        func advance(_ seconds: Int64) { time.withLock { $0 = $0 + seconds } }
    }

    init(_ answer: @escaping @Sendable (TransportRequest, Int) -> FakeOrigin.Answer) throws {
        scratch = try Scratch()
        let clock = Clock()
        self.clock = clock
        origin = FakeOrigin(answer)
        store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        resolver = Resolver(store: store, transport: origin, configuration: .init(now: { clock.now }))
        url = try WebURL("http://docs.example/a")
    }

    func ask(_ method: HTTPRequest.Method = .get, _ fields: [(String, String)] = []) async throws -> Said {
        var all = HTTPFields()
        for (name, value) in fields {
            all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let response = try await resolver.respond(to: ResolverRequest(method: method, url: url, fields: all))
        return Said(response: response, text: try await response.text())
    }
}

/// What came of a request.
private struct Said: Sendable {
    var response: ResolverResponse
    var text: String
    var status: Int { response.status.code }
    var age: String? { response.fields[.age] }
}

extension ResolverResponse {
    /// The bytes of the body, as text.
    func text() async throws -> String {
        switch body {
        case .none: return ""
        case .stored(let stored, let part):
            var bytes = [UInt8](repeating: 0, count: Int(stored.size))
            let count = try bytes.withUnsafeMutableBytes { try stored.read(into: $0, at: 0) }
            if case .range(let range) = part {
                return String(decoding: bytes[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
            }
            return String(decoding: bytes[..<count], as: UTF8.self)
        case .stream(let stream):
            var all = ByteBuffer()
            for try await piece in stream { all.writeImmutableBuffer(piece) }
            return String(buffer: all)
        }
    }
}

private let fresh = [("Cache-Control", "max-age=60")]

@Suite(.timeLimit(.minutes(10))) struct ResolverTests {
    @Test func `a fresh response answers until it is stale, then it is validated`() async throws {
        let bench = try Bench { request, number in
            let isValidation = request.fields[.ifNoneMatch] == "\"v1\""
            return FakeOrigin.Answer(
                status: isValidation ? 304 : 200,
                fields: fresh + [("ETag", "\"v1\"")],
                body: isValidation ? [] : ["one"]
            )
        }
        let first = try await bench.ask()
        #expect(first.text == "one" && first.response.source == .miss)
        bench.clock.advance(30)
        let hit = try await bench.ask()
        #expect(hit.text == "one" && hit.response.source == .hit && hit.age == "30")
        #expect(bench.origin.count == 1)
        bench.clock.advance(40)
        let validated = try await bench.ask()
        #expect(validated.text == "one" && validated.response.source == .revalidated)
        #expect(bench.origin.count == 2)
        bench.clock.advance(30)
        #expect(try await bench.ask().response.source == .hit)
        #expect(bench.origin.count == 2)
    }

    @Test func `a thousand clients ask, the origin is asked once`() async throws {
        let gate = Gate()
        let bench = try Bench { _, _ in FakeOrigin.Answer(fields: fresh, body: ["one", "two"], headGate: gate) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1000 { group.addTask { try await bench.ask().text } }
            try await bench.origin.waitUntilAsked()
            gate.open()
            for try await text in group { #expect(text == "onetwo") }
        }
        #expect(bench.origin.count == 1)
    }

    @Test func `clients read a body while it arrives`() async throws {
        let gate = Gate()
        let bench = try Bench { _, _ in FakeOrigin.Answer(fields: fresh, body: ["one", "two"], bodyGate: gate) }
        let first = try await bench.resolver.respond(to: ResolverRequest(url: bench.url))
        let second = try await bench.resolver.respond(to: ResolverRequest(url: bench.url))
        for response in [first, second] {
            guard case .stream(let stream) = response.body else {
                Issue.record("the body isn't on its way")
                continue
            }
            var pieces = stream.makeAsyncIterator()
            let piece = try await pieces.next()
            #expect(piece.map { String(buffer: $0) } == "one")
        }
        gate.open()
        #expect(bench.origin.count == 1)
    }

    @Test func `unshareable responses are requested by every client, at the same time`() async throws {
        let gate = Gate()
        let bench = try Bench { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "no-store")],
                body: ["one"],
                headGate: number == 1 ? gate : nil
            )
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await bench.ask().text } }
            try await bench.origin.waitUntilAsked()
            gate.open()
            for try await text in group { #expect(text == "one") }
        }
        #expect(bench.origin.count == 20)
    }

    @Test func `a truncated body is never served again`() async throws {
        let bench = try Bench { _, number in
            FakeOrigin.Answer(fields: fresh, body: ["one"], saysLength: number > 1, breaksOff: number == 1)
        }
        await #expect(throws: TransportFailure.self) { try await bench.ask() }
        let second = try await bench.ask()
        #expect(second.text == "one" && second.response.source == .miss)
        #expect(bench.origin.count == 2)
    }

    @Test func `a stale response is served if the origin is unreachable, and 504 without one`() async throws {
        let bench = try Bench { _, number in
            number == 1
                ? FakeOrigin.Answer(fields: fresh, body: ["one"])
                : FakeOrigin.Answer(failure: TransportFailure(.unreachable, "nobody there"))
        }
        _ = try await bench.ask()
        bench.clock.advance(100)
        let stale = try await bench.ask()
        #expect(stale.text == "one" && stale.response.source == .stale && stale.age == "100")
        let none = try await bench.ask(.post)
        #expect(none.status == 504)
    }

    @Test(arguments: TransportFailure.Cause.allCases.filter { $0 != .cancelled })
    func `the cause of a failure is a word in Cache-Status and a value of the answer`(
        _ cause: TransportFailure.Cause
    ) async throws {
        let failure = TransportFailure(.unreachable, "so it was", cause: cause)
        let noted = Mutex<[TransportFailure]>([])
        let origin = FakeOrigin { _, number in
            number == 1 ? FakeOrigin.Answer(fields: fresh, body: ["one"]) : FakeOrigin.Answer(failure: failure)
        }
        let scratch = try Scratch()
        let clock = Bench.Clock()
        var configuration = Resolver.Configuration(now: { clock.now })
        configuration.onOriginFailure = { _, failure in noted.withLock { $0.append(failure) } }
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let resolver = Resolver(store: store, transport: origin, configuration: configuration)
        func ask(_ path: String) async throws -> ResolverResponse {
            try await resolver.respond(to: ResolverRequest(url: try WebURL("http://docs.example" + path)))
        }
        _ = try await ask("/a").text()
        let refused = try await ask("/b")
        #expect(refused.status == .gatewayTimeout && refused.failure == failure)
        #expect(refused.cacheStatus?.description == "afcache; fwd=uri-miss; detail=\(cause.rawValue)")
        #expect(refused.fields[.cacheStatus] == refused.cacheStatus?.description)
        let proxyStatus = try #require(refused.fields[.proxyStatus])
        #expect(proxyStatus.hasPrefix("afcache; error=") && proxyStatus.hasSuffix("; details=\"so it was\""))
        clock.advance(100)
        let stale = try await ask("/a")
        #expect(stale.fields[.proxyStatus] == proxyStatus)
        #expect(stale.source == .stale && stale.failure == failure)
        #expect(stale.cacheStatus?.detail == "origin-failed", "the reason that it may be served")
        #expect(noted.withLock { $0 } == [failure, failure])
    }

    @Test(arguments: ["/search.html?q=word", "/list?page=2", "/stored?b=2", "/search.html"])
    func `a packaged page with another query answers in place of a 504, but not in place of the origin`(target: String)
        async throws
    {
        let bench = try Bench { _, number in
            number == 1
                ? FakeOrigin.Answer(failure: TransportFailure(.unreachable, "nobody there"))
                : FakeOrigin.Answer(fields: fresh, body: ["origin's"])
        }
        let resources = try ["/list", "/list?page=1", "/search.html?utm_source=x"].map { target in
            let url = try WebURL("http://docs.example" + target)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: noon),
                entry: ManifestEntry(url: url, lastModified: nil, expires: noon + 60, mediaType: "text/html"),
                body: .bytes(Array("packaged \(target)".utf8)),
                isCompressible: true
            )
        }
        let path = bench.scratch.path("p.zip")
        _ = try await PackageWriter.write(resources, to: path, options: .init(created: noon, generator: "t/1"))
        _ = try await bench.store.install(path, now: noon)
        var configuration = Resolver.Configuration(now: { noon })
        configuration.matching = .query
        let resolver = Resolver(store: bench.store, transport: bench.origin, configuration: configuration)
        let request = ResolverRequest(url: try WebURL("http://docs.example" + target))
        let first = try await resolver.respond(to: request)
        if target == "/search.html" {
            #expect(try await first.text() == "packaged /search.html?utm_source=x")
            let key = #"key="http://docs.example/search.html?utm_source=x""#
            #expect(
                first.fields[.cacheStatus]
                    == "afcache; fwd=uri-miss; ttl=60; \(key); detail=origin-failed+query-equal"
            )
        } else {
            #expect(first.status.code == 504)
        }
        let second = try await resolver.respond(to: request)
        #expect(try await second.text() == "origin's")
    }

    @Test(arguments: [
        ("/none", 404, "fallback-missing"), ("/", 200, nil), ("/other/none", 504, nil),
        ("/404", 308, "slash-redirect"),
    ])
    func `a package's fallback answers a navigation in place of a 504, but not in place of the origin`(
        target: String,
        status: Int,
        detail: String?
    ) async throws {
        let bench = try Bench { _, number in
            number == 1
                ? FakeOrigin.Answer(failure: TransportFailure(.unreachable, "nobody there"))
                : FakeOrigin.Answer(fields: fresh, body: ["origin's"])
        }
        let base = target == "/other/none" ? "http://docs.example/s/" : "http://docs.example/"
        let resources = try [base, base + "404.html"].map { text in
            let url = try WebURL(text)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: noon),
                entry: ManifestEntry(url: url, lastModified: nil, expires: noon + 60, mediaType: "text/html"),
                body: .bytes(Array("packaged".utf8)),
                isCompressible: true
            )
        }
        var options = PackageWriter.Options(created: noon, generator: "t/1")
        options.fallback = try FallbackRules(
            base: WebURL(base),
            application: nil,
            missing: WebURL(base + "404.html")
        )
        let path = bench.scratch.path("p.zip")
        _ = try await PackageWriter.write(resources, to: path, options: options)
        _ = try await bench.store.install(path, now: noon)
        var configuration = Resolver.Configuration(now: { noon })
        configuration.matching = .query
        let resolver = Resolver(store: bench.store, transport: bench.origin, configuration: configuration)
        let url = try WebURL("http://docs.example" + target)
        let request = ResolverRequest(url: url, fields: [.accept: "text/html"])
        let first = try await resolver.respond(to: request)
        #expect(first.status.code == status)
        if let detail {
            #expect(try await first.text() == (status == 308 ? "" : "packaged"))
            #expect(first.fields[.location] == (status == 308 ? "./404.html" : nil))
            #expect(first.cacheStatus?.detail == "origin-failed+" + detail)
            #expect(first.fields[.vary] == "Sec-Fetch-Mode, Accept")
            let image = try await resolver.respond(to: ResolverRequest(url: url, fields: [.accept: "image/png"]))
            #expect(try await image.text() == "origin's")
        }
        guard status != 200 else { return }
        #expect(try await resolver.respond(to: request).text() == "origin's")
    }

    @Test func `a response that must be validated isn't served stale`() async throws {
        let bench = try Bench { _, number in
            number == 1
                ? FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60, must-revalidate")], body: ["one"])
                : FakeOrigin.Answer(failure: TransportFailure(.unreachable, "nobody there"))
        }
        _ = try await bench.ask()
        bench.clock.advance(100)
        #expect(try await bench.ask().status == 504)
    }

    @Test func `a stale response is served while it is revalidated in the background`() async throws {
        let bench = try Bench { request, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=60, stale-while-revalidate=60")],
                body: ["v\(number)"]
            )
        }
        _ = try await bench.ask()
        bench.clock.advance(70)
        #expect(try await bench.ask(.get, [("X-Mine", "1")]).text == "v1")
        try await bench.origin.waitUntilAsked(times: 2)
        #expect(bench.origin.requests[1].fields.contains { $0.name.canonicalName == "x-mine" && $0.value == "1" })
        try await waitUntil("the new response is stored") { try await bench.ask().text == "v2" }
        #expect(bench.origin.count == 2)
    }

    @Test func `shutting down ends background validations, so that nothing is stored afterwards`() async throws {
        let gate = Gate()
        let bench = try Bench { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=60, stale-while-revalidate=600")],
                body: ["v\(number)"],
                headGate: number == 1 ? nil : gate
            )
        }
        _ = try await bench.ask()
        bench.clock.advance(70)
        #expect(try await bench.ask().text == "v1")
        try await bench.origin.waitUntilAsked(times: 2)
        async let end: Void = bench.resolver.shutDown()
        gate.open()
        await end
        try bench.store.close()
        // Another writer gets the right to store responses, which a late answer would have taken again.
        let other = try DiskCache(path: bench.scratch.path("store"), access: .readWrite)
        try other.startReceiving()
        try other.close()
        bench.clock.advance(1000)
        await #expect(throws: CancellationError.self) { try await bench.ask() }
        #expect(bench.origin.count == 2)
    }

    /// RFC 9111 §4.4: the answer on its way may be older than the change.
    @Test(arguments: [false, true], [false, true])
    func `what was asked for before an unsafe request isn't used after it`(
        isStale: Bool,
        isSmall: Bool
    ) async throws {
        let (head, body) = (Gate(), Gate())
        let slow = isStale ? 2 : 1
        let bench = try Bench { request, number in
            if request.method == .post { return FakeOrigin.Answer(body: ["done"]) }
            return FakeOrigin.Answer(
                status: isStale && number == slow ? 304 : 200,
                fields: fresh + [("ETag", "\"v\(number > slow ? 2 : 1)\"")],
                body: isStale && number == slow ? [] : [number > slow ? "new" : "old", "er"],
                saysLength: isSmall,
                headGate: number == slow ? head : nil,
                bodyGate: number == slow ? body : nil
            )
        }
        if isStale {
            #expect(try await bench.ask().text == "older")
            bench.clock.advance(70)
        }
        async let first = bench.ask()
        try await bench.origin.waitUntilAsked(times: slow)
        #expect(try await bench.ask(.post).text == "done")
        // It neither joins the request on its way, nor waits for it.
        #expect(try await bench.ask().text == "newer")
        head.open()
        body.open()
        #expect(try await first.text == "older")
        #expect(try await bench.ask().text == "newer")
        bench.clock.advance(10)
        #expect(try await bench.ask().text == "newer")
    }

    /// RFC 9110 §9.3.3: its own answer is newer than what it invalidates.
    @Test func `an answer to POST that says what the page now has is kept`() async throws {
        let bench = try Bench { request, number in
            let own = request.method == .post ? [("Content-Location", "/a")] : []
            return FakeOrigin.Answer(fields: fresh + own, body: ["v\(number)"])
        }
        #expect(try await bench.ask().text == "v1")
        #expect(try await bench.ask(.post).text == "v2")
        #expect(try await bench.ask().text == "v2")
        #expect(bench.origin.count == 2)
    }

    @Test func `an unsafe request invalidates the stored response`() async throws {
        let bench = try Bench { _, number in FakeOrigin.Answer(fields: fresh, body: ["v\(number)"]) }
        #expect(try await bench.ask().text == "v1")
        #expect(try await bench.ask(.post).text == "v2")
        #expect(try await bench.ask().text == "v3")
        #expect(try await bench.ask().text == "v3")
    }

    @Test func `variants are kept apart`() async throws {
        let bench = try Bench { request, _ in
            FakeOrigin.Answer(
                fields: fresh + [("Vary", "Accept-Language")],
                body: [request.fields.first { $0.name == .acceptLanguage }?.value ?? "none"]
            )
        }
        for _ in 0..<2 {
            for language in ["de", "en"] {
                #expect(try await bench.ask(.get, [("Accept-Language", language)]).text == language)
            }
        }
        #expect(bench.origin.count == 2)
    }

    @Test func `a part is served from the stored response`() async throws {
        let bench = try Bench { _, _ in FakeOrigin.Answer(fields: fresh, body: ["0123456789"]) }
        _ = try await bench.ask()
        let part = try await bench.ask(.get, [("Range", "bytes=2-4")])
        #expect(part.status == 206 && part.text == "234")
        #expect(bench.origin.count == 1)
    }

    @Test func `an origin's error is passed on, or a stale response if the origin allows it`() async throws {
        let bench = try Bench { _, number in
            number == 1
                ? FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60, stale-if-error=60")], body: ["one"])
                : FakeOrigin.Answer(status: 503, body: ["down"])
        }
        _ = try await bench.ask()
        bench.clock.advance(70)
        #expect(try await bench.ask().text == "one")
        bench.clock.advance(100)
        let error = try await bench.ask()
        #expect(error.status == 503 && error.text == "down")
    }

    @Test func `a client that disconnects ends a transfer that nobody else waits for`() async throws {
        let gate = Gate()
        let bench = try Bench { _, number in
            FakeOrigin.Answer(fields: fresh, body: ["one"], headGate: number == 1 ? gate : nil)
        }
        let task = Task { try await bench.ask().text }
        try await bench.origin.waitUntilAsked()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The flight of the client that left hasn't ended; whoever joins it isn't cancelled with it.
        async let other = bench.ask()
        gate.open()
        #expect(try await other.text == "one")
        #expect(bench.origin.count <= 2)
    }

    /// Removes the files of large bodies, as when they have just left the store.
    private func removeBodies(_ scratch: Scratch) {
        let folder = scratch.path("store/received")
        for name in FileManager.default.subpaths(atPath: folder) ?? [] where name.count > 2 {
            let path = folder + "/" + name
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
                !path.contains("sqlite")
            {
                #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) }
            }
        }
    }

    @Test(arguments: [30, 100])
    func `a body that has just been evicted is requested again`(_ seconds: Int64) async throws {
        let text = String(repeating: "x", count: 100_000)
        let bench = try Bench { request, _ in
            let isValidation = request.fields[.ifNoneMatch] != nil
            return FakeOrigin.Answer(
                status: isValidation ? 304 : 200,
                fields: fresh + [("ETag", "\"v1\"")],
                body: isValidation ? [] : [text]
            )
        }
        _ = try await bench.ask()
        removeBodies(bench.scratch)
        bench.clock.advance(seconds)
        #expect(try bench.resolver.lookUp(ResolverRequest(url: bench.url)) == nil)
        removeBodies(bench.scratch)
        let again = try await bench.ask()
        #expect(again.text == text && again.response.source == .miss)
        #expect(try await bench.ask().response.source == .hit)
    }

    @Test func `a background validation uses GET`() async throws {
        let bench = try Bench { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=60, stale-while-revalidate=60")],
                body: ["v\(number)"]
            )
        }
        _ = try await bench.ask()
        bench.clock.advance(70)
        #expect(try await bench.ask(.head).response.source == .stale)
        try await bench.origin.waitUntilAsked(times: 2)
        #expect(bench.origin.requests.map(\.method) == [.get, .get])
    }

    /// Answers a POST also when nobody waits for the answer any more.
    private struct Steadfast: OriginTransport {
        let asked = Gate()
        let go = Gate()

        func send(
            _ request: TransportRequest,
            interim: @escaping @Sendable (Int, HTTPFields) async -> Void
        ) async throws(TransportFailure) -> TransportResponse {
            let body = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish() }
            if request.method == .post {
                asked.open()
                await go.pass()
            }
            return TransportResponse(status: 200, fields: [.cacheControl: "max-age=60"], bodyLength: 0, body: body)
        }
    }

    @Test func `the effect of a client's request is kept even if the client disconnects`() async throws {
        let bench = try Bench { _, _ in FakeOrigin.Answer() }
        let transport = Steadfast()
        let resolver = Resolver(store: bench.store, transport: transport, configuration: .init(now: { noon }))
        _ = try await resolver.respond(to: ResolverRequest(url: bench.url)).text()
        #expect(try bench.store.candidates(for: bench.url).map(\.response.isInvalidated) == [false])
        let leaving = Task { try await resolver.respond(to: ResolverRequest(method: .post, url: bench.url)) }
        await transport.asked.pass()
        leaving.cancel()
        await #expect(throws: CancellationError.self) { _ = try await leaving.value }
        transport.go.open()
        try await waitUntil("what is stored is doubtful") {
            try bench.store.candidates(for: bench.url).allSatisfy(\.response.isInvalidated)
        }
    }

    @Test func `waiting requests get a body of unknown length`() async throws {
        let gate = Gate()
        let bench = try Bench { _, _ in
            FakeOrigin.Answer(fields: fresh, body: ["one", "two"], saysLength: false, headGate: gate)
        }
        try await withThrowingTaskGroup(of: Said.self) { group in
            for _ in 0..<10 { group.addTask { try await bench.ask() } }
            try await bench.origin.waitUntilAsked()
            gate.open()
            for try await said in group {
                #expect(said.text == "onetwo")
                #expect(said.response.fields[.contentLength] == nil || said.response.fields[.contentLength] == "6")
            }
        }
        #expect(bench.origin.count == 1)
    }

    @Test func `clients that disconnect at the same time don't affect others`() async throws {
        for _ in 0..<20 {
            let gate = Gate()
            let bench = try Bench { _, _ in
                FakeOrigin.Answer(
                    fields: fresh,
                    body: [String(repeating: "x", count: 40_000), "y"],
                    saysLength: false,
                    headGate: gate
                )
            }
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let response = try await bench.resolver.respond(to: ResolverRequest(url: bench.url))
                        // Two of three leave as soon as they have the head.
                        return number % 3 == 0 ? try await response.text().utf8.count : nil
                    }
                }
                try await bench.origin.waitUntilAsked()
                gate.open()
                for try await count in group { #expect(count ?? 40_001 == 40_001) }
            }
        }
    }

    @Test func `a request that loops is answered with 508, also over two resolvers`() async throws {
        let bench = try Bench { _, _ in FakeOrigin.Answer() }
        let other = try Bench { _, _ in FakeOrigin.Answer() }
        _ = try await bench.ask()
        let sent = try #require(bench.origin.requests[0].fields[.via])
        #expect(sent.hasPrefix("1.1 afcache-"))
        // Several resolvers in a row are no loop.
        #expect(try await other.ask(.get, [("Via", sent)]).status == 200)
        let further = try #require(other.origin.requests[0].fields[.via])
        #expect(further.hasPrefix(sent + ", 1.1 afcache-"))
        for via in [sent, "1.0 other, " + sent + " (a comment)", further] {
            #expect(try await bench.ask(.get, [("Via", via)]).status == 508, "\(via)")
        }
        #expect(try await other.ask(.post, [("Via", "1.1 x"), ("Via", further)]).status == 508)
        for via in ["1.1 afcache", "1.1 afcache-0", "1.0 other"] {
            #expect(try await bench.ask(.get, [("Via", via)]).status == 200, "\(via)")
        }
        #expect(bench.origin.count == 4 && other.origin.count == 1)
    }

    @Test func `a loop over two resolvers ends`() async throws {
        let (first, second) = (Back(), Back())
        let scratch = try Scratch()
        func resolver(_ name: String, _ transport: Back) throws -> Resolver {
            let store = try DiskCache(path: scratch.path(name), access: .readWrite)
            return Resolver(store: store, transport: transport, configuration: .init(now: { noon }))
        }
        let (one, other) = (try resolver("one", first), try resolver("other", second))
        first.next.withLock { $0 = (other, "http://one.example") }
        second.next.withLock { $0 = (one, "http://other.example") }
        let answer = try await one.respond(to: ResolverRequest(url: try WebURL("http://other.example/a")))
        #expect(answer.status.code == 508)
        #expect(first.count.withLock { $0 } == 1 && second.count.withLock { $0 } == 1)
    }

    /// Leads to another resolver, which forwards to another origin.
    private final class Back: OriginTransport {
        let next = Mutex<(resolver: Resolver, origin: String)?>(nil)
        let count = Mutex(0)

        func send(
            _ request: TransportRequest,
            interim: @escaping @Sendable (Int, HTTPFields) async -> Void
        ) async throws(TransportFailure) -> TransportResponse {
            count.withLock { $0 += 1 }
            do {
                let (resolver, origin) = try #require(next.withLock { $0 })
                let url = try WebURL(origin + request.url.path)
                let answer = try await resolver.respond(to: ResolverRequest(url: url, fields: request.fields))
                let body = ByteBuffer(string: try await answer.text())
                let stream = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                    continuation.yield(body)
                    continuation.finish()
                }
                return TransportResponse(
                    status: answer.status.code,
                    fields: answer.fields,
                    bodyLength: Int64(body.readableBytes),
                    body: stream
                )
            } catch {
                throw TransportFailure(.malformed, "\(error)")
            }
        }
    }

    @Test func `a cache that can't be read stops no response, and is reported once`() async throws {
        let bench = try Bench { _, number in FakeOrigin.Answer(fields: fresh, body: ["\(number)"]) }
        _ = try await bench.ask()
        let troubles = Mutex<[String]>([])
        var configuration = Resolver.Configuration(now: { noon })
        configuration.onTrouble = { trouble in troubles.withLock { $0.append(trouble) } }
        let online = Resolver(store: bench.store, transport: bench.origin, configuration: configuration)
        configuration.rules.connectivity = .offline(OfflinePolicy())
        let offline = Resolver(store: bench.store, transport: bench.origin, configuration: configuration)
        // Something that is neither a cache nor nothing.
        for name in ["catalogue.json", "catalogue.copy"] {
            try bench.scratch.write(Array("damaged".utf8), to: "store/" + name)
        }
        let request = ResolverRequest(url: bench.url)
        try await waitUntil("the damage is noticed") {
            _ = try await online.respond(to: request).text()
            return troubles.withLock { !$0.isEmpty }
        }
        #expect(try online.lookUp(request) == nil)
        #expect(try await online.respond(to: request).status == .ok)
        let words = "responses are passed on but not served from the cache: "
        let said = troubles.withLock { $0 }.filter { $0.hasPrefix(words) }
        #expect(said.count == 1, "\(said)")
        await #expect(throws: CacheError.self) { try await offline.respond(to: request) }
    }

    @Test func `the name in Via differs by origin`() async throws {
        let bench = try Bench { _, _ in FakeOrigin.Answer() }
        for url in ["http://a.example/1", "http://a.example/2", "http://b.example/"] {
            _ = try await bench.resolver.respond(to: ResolverRequest(url: try WebURL(url)))
        }
        let names = bench.origin.requests.compactMap { $0.fields[.via] }
        #expect(names[0] == names[1] && names[0] != names[2])
    }

    @Test(
        arguments: [
            (.options, ["0"], 200, nil), (.trace, ["0"], 405, nil), (.options, ["5"], 200, "4"),
            (.trace, ["1"], 200, "0"), (.options, ["7", "3"], 200, "2"),
            (.options, ["99999999999999999999"], 200, "2147483647"), (.options, ["x"], 200, "x"),
            (.options, ["-1"], 200, "-1"), (.get, ["0"], 200, "0"), (.put, ["5"], 200, "5"),
        ] as [(HTTPRequest.Method, [String], Int, String?)]
    )
    func `Max-Forwards is lowered, and 0 isn't forwarded, RFC 9110 §7_6_2`(
        method: HTTPRequest.Method,
        values: [String],
        status: Int,
        sent: String?
    ) async throws {
        let bench = try Bench { _, _ in FakeOrigin.Answer() }
        let answer = try await bench.ask(method, values.map { ("Max-Forwards", $0) })
        #expect(answer.status == status)
        #expect(bench.origin.requests.map { $0.fields[.maxForwards] } == (sent.map { [$0] } ?? []))
        if sent == nil {
            #expect(answer.response.fields[.contentLength] == "0")
            #expect(answer.response.fields[.allow] != nil)
            #expect(answer.response.cacheStatus?.detail == "max-forwards")
        }
    }
}
