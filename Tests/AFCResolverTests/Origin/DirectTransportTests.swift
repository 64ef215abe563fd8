import AFCCache
import AFCOrigin
import AFCText
import AFCURL
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import TestOrigin
import TestSupport
import Testing

@testable import AFCResolver

private func get(_ url: String, _ method: HTTPRequest.Method = .get) throws -> TransportRequest {
    TransportRequest(method: method, url: try WebURL(url), fields: HTTPFields())
}

extension TransportResponse {
    /// The whole body as text.
    func text() async throws -> String {
        var all = ByteBuffer()
        for try await piece in body { all.writeImmutableBuffer(piece) }
        return String(buffer: all)
    }
}

/// A request's body that has no end, or breaks off when it is told to.
private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct BrokenOff: Error {}

    var count = 64 << 10
    var pause = Duration.zero
    let isBroken: @Sendable () -> Bool

    func makeAsyncIterator() -> Endless { self }

    mutating func next() async throws -> ByteBuffer? {
        if isBroken() { throw BrokenOff() }
        try await Task.sleep(for: pause)
        return ByteBuffer(repeating: 0x61, count: count)
    }
}

@Suite(.timeLimit(.minutes(10))) struct DirectTransportTests {
    private let transport = DirectTransport()

    private func ask(_ url: String, _ method: HTTPRequest.Method = .get) async throws -> String {
        let response = try await transport.send(try get(url, method)) { _, _ in }
        return "\(response.status) " + (try await response.text())
    }

    private func expectOK(_ url: String) async throws {
        let answer = try await ask(url)
        #expect(answer == "200 ok")
    }

    @Test func `a connection is reused`() async throws {
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        } _: { origin in
            for _ in 0..<5 { try await expectOK(origin.base + "/a?b") }
            #expect(origin.connections == 1)
            #expect(origin.heads.first == "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and what nobody asked for",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ])
    func `an uncertain connection is abandoned`(_ answer: String) async throws {
        try await ScriptedOrigin.run { _ in
            [.send(answer)]
        } _: { origin in
            for _ in 0..<3 { try await expectOK(origin.base + "/") }
            #expect(origin.connections == 3)
        }
    }

    @Test func `an idle connection that the origin closed is replaced silently`() async throws {
        let count = Mutex(0)
        try await ScriptedOrigin.run { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? [.close] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        } _: { origin in
            for _ in 0..<3 { try await expectOK(origin.base + "/") }
            #expect(origin.connections == 2)
        }
    }

    @Test func `a request that must not be repeated isn't`() async throws {
        let count = Mutex(0)
        try await ScriptedOrigin.run { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? [.close] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        } _: { origin in
            try await expectOK(origin.base + "/")
            let failure = await #expect(throws: TransportFailure.self) {
                try await ask(origin.base + "/", .post)
            }
            #expect(failure?.code == .disconnected)
        }
    }

    @Test func `interim responses are passed on in their order`() async throws {
        let seen = Mutex<[String]>([])
        try await ScriptedOrigin.run { _ in
            [
                .send(
                    "HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                )
            ]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { status, fields in
                seen.withLock {
                    $0.append("\(status) \(fields.first { $0.name.canonicalName == "link" }?.value ?? "-")")
                }
            }
            #expect(response.status == 200)
        }
        #expect(seen.withLock { $0 } == ["102 -", "103 </a>"])
    }

    @Test(arguments: [
        ("", TransportFailure.Code.disconnected),
        ("HTTP/1.1 200 OK\r\nContent-Le", .malformed),
        ("HTTP/1.1 103 E\r\n\r\n", .malformed),
        ("SSH-2.0-x\r\n", .malformed),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", .malformed),
        ("garbage\r\n\r\n", .malformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .malformed),
    ])
    func `an origin that sends a truncated response or no HTTP is a failure`(
        _ answer: String,
        code: TransportFailure.Code
    )
        async throws
    {
        try await ScriptedOrigin.run { _ in
            [.send(answer), .close]
        } _: { origin in
            let failure = await #expect(throws: TransportFailure.self) { try await ask(origin.base + "/") }
            #expect(failure?.code == code)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    ])
    func `a truncated body ends with an error`(_ answer: String) async throws {
        try await ScriptedOrigin.run { _ in
            [.send(answer), .close]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            await #expect(throws: (any Error).self) { try await response.text() }
        }
    }

    /// Heads, and whether the body of each is whole where the connection ends after `sent` of 300,000 bytes.
    private static let endings: [(head: String, sent: Int, end: ScriptedOrigin.Step, isWhole: Bool)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n", 300_000, .finish, true),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n", 300_000, .finish, true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 300000\r\n\r\n", 300_000, .finish, true),
        ("HTTP/1.1 200 OK\r\n\r\n", 300_000, .finish, true),
        ("HTTP/1.0 200 OK\r\n\r\n", 300_000, .finish, true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n", 400_000, .finish, true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n", 299_999, .finish, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n", 299_999, .reset, false),
        ("HTTP/1.1 200 OK\r\n\r\n", 300_000, .reset, false),
        ("HTTP/1.0 200 OK\r\n\r\n", 300_000, .reset, false),
    ]

    @Test(arguments: endings.indices, [false, true])
    func `a body is whole or an error, however its origin ends it and however late it is read`(
        index: Int,
        isLate: Bool
    ) async throws {
        let (head, sent, end, isWhole) = Self.endings[index]
        let bytes = (0..<sent).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await ScriptedOrigin.run { _ in
            [.send(head), .bytes(bytes), end]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            if isLate { try await waitUntil("the origin has ended the connection") { origin.ended > 0 } }
            var all: [UInt8] = []
            var failure: (any Error)?
            do {
                for try await piece in response.body {
                    all += piece.readableBytesView
                    if isLate { await Task.yield() }
                }
            } catch {
                failure = error
            }
            #expect(all.elementsEqual(bytes.prefix(all.count)))
            #expect((failure == nil) == isWhole)
            if isWhole { #expect(all.count == 300_000) }
        }
    }

    @Test(arguments: ["X-Filler: a\r\n", "X", ""])
    func `a head that arrives slowly or never has a time limit`(_ drip: String) async throws {
        var limits = DirectTransport.Limits()
        limits.silentSeconds = 1
        let transport = DirectTransport(limits: limits)
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\n"), .drip(drip)]
        } _: { origin in
            let request = try get(origin.base + "/")
            let failure = await #expect(throws: TransportFailure.self) { try await transport.send(request) { _, _ in } }
            #expect(failure?.code == .timedOut)
        }
    }

    @Test func `a request's own limit for silence precedes the transport's, and is named`() async throws {
        var limits = DirectTransport.Limits()
        limits.silentSeconds = 1
        let patient = DirectTransport(limits: limits)
        var slow = TestOrigin.Answer(200, [], body: [0x61])
        slow.delay = .seconds(2)
        try await TestOrigin.withOrigin(["/slow": [slow], "/first": [.text("")]]) { origin in
            // The same connection serves both requests.
            _ = try await patient.send(get(origin.base + "/first")) { _, _ in }.text()
            var request = try get(origin.base + "/slow")
            request.silence = .seconds(3600)
            let text = try await patient.send(request) { _, _ in }.text()
            #expect(text == "a")
            request.silence = .seconds(1)
            let short = request
            let failure = await #expect(throws: TransportFailure.self) { try await transport.send(short) { _, _ in } }
            #expect(failure?.description == "the origin sent too little for 1 seconds")
        }
    }

    @Test func `a closed port is a failure that says so`() async throws {
        let taken = try TakenPort()
        let failure = await #expect(throws: TransportFailure.self) {
            try await ask("http://127.0.0.1:\(taken.port)/")
        }
        #expect(failure?.code == .unreachable)
    }

    @Test func `a large body arrives whole, as fast as it is read`() async throws {
        let size = 20 << 20
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .bytes([UInt8](repeating: 7, count: size))]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            #expect(response.bodyLength == Int64(size))
            var count = 0
            for try await piece in response.body { count += piece.readableBytes }
            #expect(count == size)
        }
    }

    @Test func `a cancelled waiter leaves no connection behind`() async throws {
        try await ScriptedOrigin.run { _ in
            []
        } _: { origin in
            let task = Task { try await ask(origin.base + "/") }
            try await waitUntil("the origin is asked") { !origin.heads.isEmpty }
            task.cancel()
            let failure = await #expect(throws: TransportFailure.self) { try await task.value }
            #expect(failure?.code == .cancelled)
        }
    }

    @Test func `more requests than connections wait for their turn`() async throws {
        var limits = DirectTransport.Limits()
        limits.connectionsPerOrigin = 2
        // On a busy machine, the last one waits longer than a client would.
        limits.queueSeconds = 120
        let transport = DirectTransport(limits: limits)
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        } _: { origin in
            let request = try get(origin.base + "/")
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await transport.send(request) { _, _ in }.text() }
                }
                for try await text in group { #expect(text == "ok") }
            }
            #expect(origin.connections <= 2)
            #expect(origin.heads.count == 50)
        }
    }

    @Test func `streams of one origin hold up no other one, and a further request of theirs is refused in time`()
        async throws
    {
        var limits = DirectTransport.Limits()
        limits.connections = 20
        limits.queueSeconds = 0
        let transport = DirectTransport(limits: limits)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await ScriptedOrigin.run { _ in
            [.send(head)]
        } _: { streaming in
            var streams: [TransportResponse] = []
            for _ in 0..<15 { streams.append(try await transport.send(try get(streaming.base + "/")) { _, _ in }) }
            let failure = await #expect(throws: TransportFailure.self) {
                try await transport.send(try get(streaming.base + "/")) { _, _ in }
            }
            #expect(failure?.code == .refused)
            // The same host, but another port.
            try await ScriptedOrigin.run { _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
            } _: { origin in
                let text = try await transport.send(try get(origin.base + "/")) { _, _ in }.text()
                #expect(text == "ok")
            }
            #expect(streams.allSatisfy { $0.status == 200 })
        }
        await transport.shutDown()
    }

    @Test(arguments: [("websocket", true), ("WebSocket", true), ("foo", false), ("websocket, foo", false)])
    func `an origin can't switch to a protocol that wasn't requested`(protocols: String, isAsked: Bool) async throws {
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: \(protocols)\r\n\r\n"), .close]
        } _: { origin in
            var request = try get(origin.base + "/")
            request.fields[.upgrade] = "websocket"
            do throws(TransportFailure) {
                guard case .switched = try await transport.upgrade(request) else {
                    Issue.record("the origin has not switched")
                    return
                }
                #expect(isAsked)
            } catch {
                #expect(!isAsked && error.code == .malformed, "\(error)")
            }
        }
    }

    private func waitUntilFree(_ transport: DirectTransport) async throws {
        try await waitUntil("no connection is in use") { transport.pool.inUse("127.0.0.1") == 0 }
    }

    @Test func `an early answer to a truncated body frees the connection`() async throws {
        let isBroken = Mutex(false)
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")]
        } _: { origin in
            var request = try get(origin.base + "/", .post)
            request.body = Endless(count: 10, pause: .milliseconds(20)) { isBroken.withLock { $0 } }
            let text = try await transport.send(request) { _, _ in }.text()
            #expect(text == "no")
            #expect(transport.pool.inUse("127.0.0.1") == 1)
            isBroken.withLock { $0 = true }
            try await waitUntilFree(transport)
        }
    }

    @Test func `an early answer from an origin that stops reading frees the connection`() async throws {
        var limits = DirectTransport.Limits()
        limits.silentSeconds = 5
        let transport = DirectTransport(limits: limits)
        try await ScriptedOrigin.run { _ in
            [.stopReading, .send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")]
        } _: { origin in
            var request = try get(origin.base + "/", .post)
            request.body = Endless { false }
            let text = try await transport.send(request) { _, _ in }.text()
            #expect(text == "no")
            try await waitUntilFree(transport)
        }
    }

    @Test func `a truncated request body is an error of its response, whatever arrived`() async throws {
        let isBroken = Mutex(false)
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nabc")]
        } _: { origin in
            var request = try get(origin.base + "/", .post)
            request.body = Endless(count: 10, pause: .milliseconds(20)) { isBroken.withLock { $0 } }
            let response = try await transport.send(request) { _, _ in }
            isBroken.withLock { $0 = true }
            await #expect(throws: TransportFailure.self) { try await response.text() }
            try await waitUntilFree(transport)
        }
    }

    @Test func `a body that ends with a connection is an error if the request can't be sent`() async throws {
        for _ in 0..<20 {
            try await ScriptedOrigin.run { _ in
                [.stopReading, .send("HTTP/1.1 200 OK\r\n\r\nabc"), .reset]
            } _: { origin in
                var request = try get(origin.base + "/", .post)
                request.body = Endless { false }
                await #expect(throws: TransportFailure.self) {
                    try await transport.send(request) { _, _ in }.text()
                }
            }
        }
    }

    @Test func `a silent name server is waited for as long as a connection`() async throws {
        var limits = DirectTransport.Limits()
        limits.connectSeconds = 1
        let names = NameLookup { _, _ in
            // No answer, until it is cancelled.
            try await Task.sleep(for: .seconds(86_400))
            return []
        }
        let transport = DirectTransport(limits, publicNames: names)
        let request = try get("http://docs.example/")
        let failure = await #expect(throws: TransportFailure.self) { try await transport.send(request) { _, _ in } }
        #expect(failure?.code == .timedOut)
        let task = Task { try await transport.send(request) { _, _ in } }
        try await waitUntil("the name is being looked up") { transport.pool.inUse("docs.example") > 0 }
        task.cancel()
        let left = await #expect(throws: TransportFailure.self) { try await task.value }
        #expect(left?.code == .cancelled)
    }

    /// Takes a client's greeting, and says nothing.
    private final class Mute: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let greeting: AsyncStream<Void>.Continuation

        init(_ greeting: AsyncStream<Void>.Continuation) { self.greeting = greeting }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { greeting.yield() }
    }

    @Test func `a resolver ends promptly even if an origin never finishes the TLS handshake`() async throws {
        let (greetings, greeting) = AsyncStream<Void>.makeStream()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Mute(greeting)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        // Longer than this test may take.
        var limits = DirectTransport.Limits()
        limits.connectSeconds = 3600
        limits.silentSeconds = 3600
        let scratch = try Scratch()
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let configuration = Resolver.Configuration(now: { LibraryBench.noon })
        let resolver = Resolver(store: store, transport: DirectTransport(limits: limits), configuration: configuration)
        let url = try WebURL("https://127.0.0.1:\(try #require(server.localAddress?.port))/")
        let asking = Task { try await resolver.respond(to: ResolverRequest(method: .get, url: url, fields: [:])) }
        for await _ in greetings { break }
        await resolver.shutDown()
        _ = await asking.result
        try await server.close()
    }

    @Test func `a connection that can't be made counts only once`() async throws {
        try await ScriptedOrigin.run { _ in
            []
        } _: { origin in
            let request = try get(origin.base + "/")
            let holding = Task { try await transport.send(request) { _, _ in } }
            try await waitUntil("the origin is asked") { !origin.heads.isEmpty }
            try await origin.stopListening()
            for _ in 0..<3 {
                let failure = await #expect(throws: TransportFailure.self) {
                    try await transport.send(TransportRequest(method: .get, url: request.url, fields: [:])) { _, _ in }
                }
                // Another program may have the port by now, and end connections.
                #expect([.unreachable, .disconnected].contains(failure?.code))
            }
            #expect(transport.pool.inUse("127.0.0.1") == 1)
            holding.cancel()
            _ = await holding.result
        }
    }
}
