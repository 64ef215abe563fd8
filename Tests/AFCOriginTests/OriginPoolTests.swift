import AFCAuthority
import AFCHTTP
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import AFCOrigin

/// Sends bytes when a request comes, and ends the connection in some way when all of them are on their way.
private final class EndingOrigin: ChannelInboundHandler {
    enum End: Sendable {
        case reset
        /// With close_notify over TLS.
        case close
        /// Without it (RFC 8446 §6.1).
        case cut
        /// As ``cut``, in place of the second answer.
        case cutSecond
        /// Never, and nothing more is read.
        case stopReading
        case none
    }

    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: ByteBuffer
    private let end: End
    private var count = 0

    init(_ bytes: ByteBuffer, _ end: End) {
        self.bytes = bytes
        self.end = end
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (channel, end) = (context.channel, end)
        count += 1
        if end == .cutSecond, count == 2 {
            let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            tls?.close(promise: nil)
            return
        }
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in
            switch end {
            case .none, .cutSecond: break
            case .stopReading: channel.setOption(.autoRead, value: false).whenComplete { _ in }
            case .close: channel.close(promise: nil)
            case .cut:
                let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
                tls?.close(promise: nil)
            case .reset:
                guard let socket = channel as? any SocketOptionProvider else { return }
                socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Access without verified certificates.
private var unverified: OriginAccess {
    var access = OriginAccess()
    access.verifiesCertificates = false
    return access
}

@Suite(.timeLimit(.minutes(10))) struct OriginPoolTests {
    private static func answer(_ head: String, count: Int) -> ByteBuffer {
        var bytes = ByteBuffer(string: head)
        bytes.writeRepeatingByte(0x61, count: count)
        return bytes
    }

    /// Runs an origin, over TLS where it has a context, and a pool.
    private static func withPool(
        _ answer: ByteBuffer,
        _ end: EndingOrigin.End,
        tls: NIOSSLContext? = nil,
        at address: String = "127.0.0.1",
        as host: String = "127.0.0.1",
        _ change: (inout OriginPool.Options) -> Void = { _ in },
        _ body: (OriginPool, OriginRequest) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try channel.pipeline.syncOperations.addHandler(EndingOrigin(answer, end))
                }
            }
            .bind(host: address, port: 0)
            .get()
        var options = OriginPool.Options(
            connectTimeout: .seconds(30),
            readTimeout: .seconds(60),
            idleTimeout: .seconds(30),
            connectionsPerOrigin: 1
        )
        change(&options)
        let pool = OriginPool(options, trust: try OriginTrust(unverified))
        let port = try #require(server.localAddress?.port)
        let url = try WebURL("\(tls == nil ? "http" : "https")://\(host):\(port)/")
        try await body(pool, OriginRequest(url, fields: [.userAgent: "test"]))
        await pool.shutDown()
        try await server.close()
    }

    private static func tls() throws -> NIOSSLContext {
        let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
        let authority = try CertificateAuthority.make(name: "test", days: 2, at: now)
        let issued = try authority.issue(for: CertifiedHost("docs.example"), key: ServerKey(), at: now)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try issued.chain.map { .certificate(try .init(bytes: $0, format: .der)) },
                privateKey: .privateKey(try .init(bytes: issued.privateKey, format: .der))
            )
        )
    }

    /// Reads a response to its end, and gives the bytes of its body.
    private static func read(_ pool: OriginPool, _ request: OriginRequest) async throws -> Int {
        var (exchange, piece) = try await pool.begin(request)
        var count = 0
        while true {
            count += piece.body.reduce(0) { $0 + $1.readableBytes }
            if piece.isEnd { return count }
            piece = try await exchange.more()
        }
    }

    @Test(arguments: ["127.0.0.1", "::1"], ["localhost", "docs.localhost"])
    func `this machine's names reach a server at either loopback address`(address: String, host: String) async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", count: 7)
        try await Self.withPool(answer, .none, at: address, as: host) { pool, request in
            let count = try await Self.read(pool, request)
            #expect(count == 7)
        }
    }

    @Test(arguments: [false, true])
    func `a body that ends with the connection is an error after a reset, however late it is read`(
        isEager: Bool
    ) async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\n\r\n", count: 400_000)
        try await Self.withPool(answer, .reset, tls: nil) {
            $0.isEager = isEager
        } _: { pool, request in
            let failure = await #expect(throws: (any Error).self) {
                var (exchange, piece) = try await pool.begin(request)
                // The reader comes when the connection has failed already.
                try? await exchange.channel.closeFuture.get()
                while !piece.isEnd { piece = try await exchange.more() }
            }
            #expect(failure != nil)
        }
    }

    @Test(arguments: [(EndingOrigin.End.close, true), (.cut, false)], [false, true])
    private func `over TLS the end of a connection ends a body only after close_notify`(
        end: (EndingOrigin.End, Bool),
        isEager: Bool
    ) async throws {
        let tls = try Self.tls()
        for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"] {
            try await Self.withPool(Self.answer(head, count: 300_000), end.0, tls: tls) {
                $0.isEager = isEager
            } _: { pool, request in
                if end.1 {
                    let count = try await Self.read(pool, request)
                    #expect(count == 300_000)
                } else {
                    await #expect(throws: (any Error).self) { _ = try await Self.read(pool, request) }
                }
            }
        }
    }

    @Test func `shutting down ends requests in progress, and no new one begins`() async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n", count: 1000)
        try await Self.withPool(answer, .none, tls: nil) {
            $0.isEager = true
        } _: { pool, request in
            let (exchange, piece) = try await pool.begin(request)
            #expect(piece.head?.status == 200 && !piece.isEnd)
            let waiting = Task { try await pool.begin(request) }
            await pool.shutDown()
            await #expect(throws: (any Error).self) {
                while true { _ = try await exchange.more() }
            }
            await #expect(throws: (any Error).self) { _ = try await waiting.value }
            await #expect(throws: CancellationError.self) { _ = try await pool.begin(request) }
            #expect(pool.inUse("127.0.0.1") == 0)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a body that ends with the connection is an error if this side closes it`(
        isEager: Bool,
        isSecure: Bool
    ) async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\n\r\n", count: 1000)
        for isShutDown in [false, true] {
            try await Self.withPool(answer, .none, tls: isSecure ? try Self.tls() : nil) {
                $0.isEager = isEager
            } _: { pool, request in
                let reading = Task { try await Self.read(pool, request) }
                // Time in which the bytes usually come. A reader that isn't eager gets none of so few, so no event tells that
                // they have come; an error is due in any case.
                try await Task.sleep(for: .milliseconds(300))
                if isShutDown {
                    await pool.shutDown()
                    await #expect(throws: (any Error).self) { try await reading.value }
                } else {
                    reading.cancel()
                    await #expect(throws: CancellationError.self) { try await reading.value }
                }
                #expect(pool.inUse("127.0.0.1") == 0)
            }
        }
    }

    @Test(arguments: [false, true])
    func `after an abandoned response its connection serves the next request`(isSecure: Bool) async throws {
        let tls = isSecure ? try Self.tls() : nil
        for count in stride(from: 240_000, through: 420_000, by: 20_000) {
            let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n", count: count)
            try await Self.withPool(answer, .none, tls: tls) {
                $0.isEager = true
            } _: { pool, request in
                for _ in 0..<3 {
                    let (exchange, _) = try await pool.begin(request)
                    // Time in which more may come; whatever has come by then, the next request must be answered.
                    try await Task.sleep(for: .milliseconds(20))
                    exchange.close()
                }
                let read = try await Self.read(pool, request)
                #expect(read == count)
            }
        }
    }

    @Test(arguments: ["http", "https"])
    func `a connection that can't be made keeps nothing in memory`(_ scheme: String) async throws {
        let taken = try TakenPort()
        let request = OriginRequest(try WebURL("\(scheme)://127.0.0.1:\(taken.port)/"), fields: [:])
        /// Asks through a pool of its own, and gives a reference that doesn't hold it.
        func ask() async throws -> () -> OriginPool? {
            let pool = OriginPool(
                .init(
                    connectTimeout: .seconds(30),
                    readTimeout: .seconds(60),
                    idleTimeout: .seconds(30),
                    connectionsPerOrigin: 1
                ),
                trust: try OriginTrust(unverified)
            )
            await #expect(throws: (any Error).self) { _ = try await pool.begin(request) }
            return { [weak pool] in pool }
        }
        let pool = try await ask()
        // The loop closes the channel a little later.
        try await waitUntil("the pool is released", patience: .seconds(60)) { pool() == nil }
    }

    @Test func `a request whose task was already cancelled isn't sent`() async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", count: 2)
        try await Self.withPool(answer, .none) { pool, request in
            _ = try await Self.read(pool, request)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await Self.read(pool, request)
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(pool.inUse("127.0.0.1") == 0)
            let count = try await Self.read(pool, request)
            #expect(count == 2)
        }
    }

    @Test func `a connection that idled too long is abandoned, however slowly its peer ends TLS`() async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", count: 2)
        try await Self.withPool(answer, .stopReading, tls: try Self.tls()) {
            $0.idleTimeout = .seconds(1)
        } _: { pool, request in
            for _ in 0..<3 {
                let (exchange, piece) = try await pool.begin(request)
                #expect(piece.isEnd && piece.body.reduce(0) { $0 + $1.readableBytes } == 2)
                // Timers of one loop fire in their order, so the connection has idled too long when this one does.
                try await exchange.channel.eventLoop.scheduleTask(in: .milliseconds(1500)) {}.futureResult.get()
            }
        }
    }

    @Test func `an idle connection that ends without TLS's close_notify is replaced`() async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", count: 2)
        try await Self.withPool(answer, .cutSecond, tls: try Self.tls()) { pool, request in
            for _ in 0..<3 {
                let count = try await Self.read(pool, request)
                #expect(count == 2)
            }
        }
    }

    /// Answers some requests of each connection, and closes or resets it in place of a further answer.
    private final class TiredOrigin: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let isReset: Bool
        private let onRequest: () -> Void
        private var left: Int

        init(answers: Int, isReset: Bool, onRequest: @escaping () -> Void) {
            (left, self.isReset, self.onRequest) = (answers, isReset, onRequest)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            onRequest()
            left -= 1
            if left >= 0 {
                let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                return context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            }
            let channel = context.channel
            guard isReset, let socket = channel as? any SocketOptionProvider else { return context.close(promise: nil) }
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    @Test(arguments: [1, 2, 5], [false, true])
    func `a request that meets the end of a kept connection is sent once more, if it may be`(
        answers: Int,
        isReset: Bool
    ) async throws {
        let requests = Mutex(0)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let origin = TiredOrigin(answers: answers, isReset: isReset) { requests.withLock { $0 += 1 } }
                    try channel.pipeline.syncOperations.addHandler(origin)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let pool = OriginPool(
            .init(
                connectTimeout: .seconds(30),
                readTimeout: .seconds(60),
                idleTimeout: .seconds(30),
                connectionsPerOrigin: 1
            ),
            trust: OriginTrust()
        )
        var request = OriginRequest(
            try WebURL("http://127.0.0.1:\(try #require(server.localAddress?.port))/"),
            fields: [:]
        )
        for _ in 0..<20 {
            let count = try await Self.read(pool, request)
            #expect(count == 2)
        }
        #expect(requests.withLock { $0 } == 20 + (20 - 1) / answers)
        // If a connection ended, nobody would know if the server has acted on this one (RFC 9110 §9.2.2), so it has one of
        // its own.
        request.method = .post
        let before = requests.withLock { $0 }
        for _ in 0..<10 {
            let count = try await Self.read(pool, request)
            #expect(count == 2)
        }
        #expect(requests.withLock { $0 } - before == 10)
        await pool.shutDown()
        try await server.close()
    }

    /// Counts the open connections.
    private final class Gauge: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let onChange: (Int) -> Void

        init(_ onChange: @escaping (Int) -> Void) { self.onChange = onChange }

        func channelActive(context: ChannelHandlerContext) { onChange(1) }

        func channelInactive(context: ChannelHandlerContext) { onChange(-1) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }

    /// The numbers of connections that a server has had.
    private final class Connections: Sendable {
        private let open = Mutex((now: 0, most: 0, all: 0))
        var now: Int { open.withLock { $0.now } }
        var most: Int { open.withLock { $0.most } }
        var all: Int { open.withLock { $0.all } }

        /// Runs a server that counts them.
        func server() async throws -> any Channel {
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 256)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let gauge = Gauge { [self] change in
                            open.withLock { open in
                                open.now += change
                                open.most = max(open.most, open.now)
                                open.all += max(change, 0)
                            }
                        }
                        try channel.pipeline.syncOperations.addHandler(gauge)
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }
    }

    @Test func `a request that may not be repeated has a new connection, in the place of a kept one`() async throws {
        let connections = Connections()
        let server = try await connections.server()
        let port = try #require(server.localAddress?.port)
        let options = OriginPool.Options(
            connectTimeout: .seconds(30),
            readTimeout: .seconds(60),
            idleTimeout: .seconds(30),
            connectionsPerOrigin: 4
        )
        let pool = OriginPool(options, trust: OriginTrust())
        for (number, method) in [HTTPRequest.Method.get, .get, .post, .get, .patch, .post, .get].enumerated() {
            let request = OriginRequest(try WebURL("http://127.0.0.1:\(port)/\(number)"), method: method, fields: [:])
            let count = try await Self.read(pool, request)
            #expect(count == 2)
        }
        #expect(connections.all == 4)
        // A connection that is closed here may still be open there for a moment.
        for _ in 0..<1_000 where connections.now > 1 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(connections.now == 1)
        await pool.shutDown()
        try await server.close()
    }

    @Test func `requests to many hosts wait for connections, and kept ones make room`() async throws {
        let connections = Connections()
        let server = try await connections.server()
        let port = try #require(server.localAddress?.port)
        var options = OriginPool.Options(
            connectTimeout: .seconds(30),
            readTimeout: .seconds(60),
            idleTimeout: .seconds(30),
            connectionsPerOrigin: 4
        )
        options.connections = 8
        options.addresses = { _, _ in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
        let pool = OriginPool(options, trust: OriginTrust())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                let request = OriginRequest(try WebURL("http://h\(number % 100).example:\(port)/"), fields: [:])
                group.addTask { try await Self.read(pool, request) }
            }
            for try await count in group { #expect(count == 2) }
        }
        // A connection that is closed here may still be open there for a moment.
        #expect(connections.most <= 32)
        await pool.shutDown()
        try await server.close()
    }

    @Test func `servers that speak HTTP/1.1 only are forgotten when there are many`() async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", count: 2)
        try await Self.withPool(answer, .none, tls: try Self.tls()) {
            $0.usesHTTP2 = true
            $0.rememberedServers = 4
            $0.addresses = { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))] }
        } _: { pool, request in
            for number in 0..<12 {
                var request = request
                request.url = try WebURL("https://h\(number).example:\(try #require(request.url.effectivePort))/")
                let count = try await Self.read(pool, request)
                #expect(count == 2)
                #expect(pool.knownServers <= 5)
            }
        }
    }

    @Test func `a server that speaks first is heard through a tunnel`() async throws {
        final class Greeter: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            func channelActive(context: ChannelHandlerContext) {
                context.writeAndFlush(NIOAny(ByteBuffer(string: "hello")), promise: nil)
            }
        }
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = UInt16(try #require(server.localAddress?.port))
        var options = OriginPool.Options(
            connectTimeout: .seconds(30),
            readTimeout: .seconds(30),
            idleTimeout: .seconds(30),
            connectionsPerOrigin: 4
        )
        options.isEager = true
        let pool = OriginPool(options, trust: OriginTrust())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                if number >= 16 { try await group.next() }
                group.addTask {
                    let tunnel = try await pool.tunnel(host: "127.0.0.1", port: port)
                    let bytes = try await tunnel.more().body.reduce(into: "") { $0 += String(buffer: $1) }
                    #expect(bytes == "hello")
                    tunnel.close()
                }
            }
            try await group.waitForAll()
        }
        await pool.shutDown()
        try await server.close()
    }

    /// Takes a client's greeting, and says nothing.
    private final class Mute: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var onGreeting: (() -> Void)?

        init(_ onGreeting: @escaping () -> Void) { self.onGreeting = onGreeting }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            onGreeting?()
            onGreeting = nil
        }
    }

    @Test(arguments: [false, true])
    func `a task can be cancelled while a server never finishes the TLS handshake`(usesHTTP2: Bool) async throws {
        let greetings = Mutex(0)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Mute { greetings.withLock { $0 += 1 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        // Longer than this test may take.
        var options = OriginPool.Options(
            connectTimeout: .hours(1),
            readTimeout: .hours(1),
            idleTimeout: .seconds(30),
            connectionsPerOrigin: 4
        )
        options.usesHTTP2 = usesHTTP2
        let pool = OriginPool(options, trust: OriginTrust())
        let url = try WebURL("https://127.0.0.1:\(try #require(server.localAddress?.port))/")
        let waiting = (0..<2).map { _ in Task { try await pool.begin(OriginRequest(url, fields: [:])) } }
        // Where the server may speak HTTP/2, the second waits for what the first learns.
        try await waitUntil("both wait for the server") {
            pool.inUse("127.0.0.1") == 2 && greetings.withLock { $0 } == (usesHTTP2 ? 1 : 2)
        }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(pool.inUse("127.0.0.1") == 0)
        await pool.shutDown()
        try await server.close()
    }

    @Test func `a slow transfer continues while it is fast enough and somebody waits`() {
        let start = NIODeadline.now()
        var pace = Pace(window: .seconds(60), least: 1024)
        pace.restart(at: start)
        pace.receive(1, at: start + .seconds(59))
        #expect(pace.rest(at: start + .seconds(59)) == .seconds(1))
        pace.receive(1023, at: start + .seconds(60))
        #expect(pace.rest(at: start + .seconds(60)) == .seconds(60))
        pace.receive(1, at: start + .seconds(119))
        #expect(pace.hasReceived)
        #expect(pace.rest(at: start + .seconds(120)) == .zero)
        pace.restart(at: start)
        pace.pause(at: start + .seconds(50))
        #expect(pace.rest(at: start + .seconds(500)) == .seconds(10))
        pace.resume(at: start + .seconds(1050))
        #expect(pace.rest(at: start + .seconds(1055)) == .seconds(5))
        #expect(pace.rest(at: start + .seconds(1060)) == .zero)
    }
}
