import AFCCaching
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import TestSupport
import Testing

@testable import AFCServer

/// Clients that close their sending side, and then read slowly: everything written for them must still arrive.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HalfClosedTests {
    /// More than a socket holds, so that most of it waits in the server when the answer ends.
    static let size = 8 << 20
    static let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 13) }
    /// Longer than a close takes to arrive on this machine.
    static let pause = Duration.milliseconds(300)

    enum Source: CaseIterable { case bytes, stream, stored }

    /// Answers after the client's close has arrived.
    static func responder(_ source: Source, _ store: FakeCache?) -> ScriptedResponder {
        let cache = store.map { CacheResponder(store: $0, policy: .init(), now: { FakeCache.received }) }
        // Made before a client waits for it.
        let body = body
        return ScriptedResponder(answering: { request, _ in
            try await Task.sleep(for: pause)
            switch source {
            case .bytes: return ServerAnswer(status: .ok, body: .bytes(ByteBuffer(bytes: body)))
            case .stream:
                let stream = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                    for start in stride(from: 0, to: size, by: 1 << 20) {
                        continuation.yield(ByteBuffer(bytes: body[start..<start + 1 << 20]))
                    }
                    continuation.finish()
                }
                return ServerAnswer(status: .ok, body: .stream(stream))
            case .stored: return try await #require(cache).answer(request) { _, _ in }
            }
        })
    }

    /// Lets an answer begin as late as a busy machine makes it.
    static func wait(_ configuration: inout Server.Configuration) {
        configuration.limits.halfClosedTimeout = .minutes(10)
    }

    /// The body of a reply, of which the chunks are put together.
    static func content(of reply: [UInt8]) throws -> [UInt8] {
        let end = try #require(Data(reply.prefix(4096)).firstRange(of: Data("\r\n\r\n".utf8)))
        let isChunked = String(decoding: reply[..<end.lowerBound], as: UTF8.self).lowercased().contains("chunked")
        guard isChunked else { return Array(reply[end.upperBound...]) }
        var (content, rest) = ([UInt8](), reply[end.upperBound...])
        while let line = rest.prefix(20).firstIndex(of: 10) {
            let size = try #require(Int(String(decoding: rest[rest.startIndex..<line - 1], as: UTF8.self), radix: 16))
            if size == 0 { return content }
            content += rest[(line + 1)...].prefix(size)
            rest = rest[(line + 1)...].dropFirst(size + 2)
        }
        Issue.record("the last chunk is missing")
        return content
    }

    @Test(arguments: Source.allCases, ["HTTP/1.1\r\nConnection: close", "HTTP/1.1", "HTTP/1.0"])
    func `a client that closes its side and reads slowly gets the whole body`(
        _ source: Source,
        version: String
    ) async throws {
        let store = source == .stored ? try StreamingTests.store() : nil
        let responder = Self.responder(source, store)
        let reply = try await withServer(responder: responder, configure: Self.wait) { port, _ async throws in
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send("GET /docs.example/big \(version)\r\nHost: localhost\r\n\r\n")
                client.shutdownWrite()
                usleep(800_000)
                var reply: [UInt8] = []
                while true {
                    let bytes = try client.receive(1 << 18)
                    if bytes.isEmpty { return reply }
                    reply += bytes
                    if reply.count < 1 << 20 { usleep(5000) }
                }
            }
        }
        let content = try Self.content(of: reply)
        if source == .stored {
            #expect(content.count == Int(StreamingTests.size))
            #expect(content.suffix(4) == Array("mark".utf8))
        } else {
            #expect(content.count == Self.size)
            // Not as an expectation of two arrays, whose differences would be searched for hours.
            let isSame = content == Self.body
            #expect(isSame)
        }
    }

    /// What a TLS client receives, and whether the server said that it is all.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let end: EventLoopPromise<(reply: [UInt8], isClean: Bool)>
        private var reply: [UInt8] = []
        private var isClean = true

        init(_ end: EventLoopPromise<(reply: [UInt8], isClean: Bool)>) { self.end = end }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            reply += unwrapInboundIn(data).readableBytesView
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error as? NIOSSLError == .uncleanShutdown { isClean = false }
        }

        func channelInactive(context: ChannelHandlerContext) { end.succeed((reply, isClean)) }
    }

    @Test(arguments: ["HTTP/1.1\r\nConnection: close", "HTTP/1.1", "HTTP/1.0"], [true, false])
    func `a TLS client that closes its side and reads slowly gets the whole body`(
        version: String,
        withAlert: Bool
    ) async throws {
        let responder = Self.responder(.stream, nil)
        try await SecureTests.serve(responder, configure: Self.wait) { port, authority async throws in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(authority.path("docs.example"))
            let context = try NIOSSLContext(configuration: configuration)
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let end = loop.makePromise(of: (reply: [UInt8], isClean: Bool).self)
            let channel = try await ClientBootstrap(group: loop)
                .channelOption(.socketOption(.so_rcvbuf), value: 16384)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: "docs.example")
                        try channel.pipeline.syncOperations.addHandlers(tls, Collector(end))
                    }
                }
                .connect(host: "127.0.0.1", port: Int(port)).get()
            // It is sent when the handshake is done.
            try await channel.writeAndFlush(ByteBuffer(string: "GET / \(version)\r\nHost: docs.example\r\n\r\n"))
            try await channel.setOption(.autoRead, value: false).get()
            try await loop.flatSubmit {
                let promise = loop.makePromise(of: Void.self)
                do {
                    let tls = try channel.pipeline.syncOperations.context(handlerType: NIOSSLHandler.self)
                    // From the handler's own place, only the socket closes.
                    if withAlert {
                        channel.close(mode: .output, promise: promise)
                    } else {
                        tls.close(mode: .output, promise: promise)
                    }
                } catch { promise.fail(error) }
                return promise.futureResult
            }.get()
            try await Task.sleep(for: Self.pause + Self.pause)
            try await channel.setOption(.autoRead, value: true).get()
            let (reply, isClean) = try await end.futureResult.get()
            #expect(isClean)
            let content = try Self.content(of: reply)
            #expect(content.count == Self.size)
            let isSame = content == Self.body
            #expect(isSame)
        }
    }

    /// The data of the frames of a stream.
    private static func data(_ frames: [HTTP2EndTests.Frame]) -> [UInt8] {
        frames.filter { $0.kind == 0 && $0.stream == 1 }.flatMap(\.payload)
    }

    @Test(arguments: [true, false])
    func `an HTTP 2 connection that ends sends what was written before`(isShutdown: Bool) async throws {
        let gate = HTTP2EndTests.Gate()
        let responder = ScriptedResponder.making { _ in
            await gate.wait()
            return ServerAnswer(status: .ok, body: .bytes(ByteBuffer(bytes: Self.body)))
        }
        try await withServer(responder: responder, configure: { $0.limits.assumesHTTP2 = true }) {
            port,
            group async throws in
            let frames = try await RawClient.pool.runIfActive {
                let client = try HTTP2EndTests.Client(port: port, receiveBuffer: 16384)
                try client.openWindows()
                try client.get([1])
                // The windows are open once the server answers what follows.
                try client.send(HTTP2FloodTests.frame(.ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]))
                _ = try client.first { $0.kind == 6 && $0.flags == 1 }
                if isShutdown {
                    Task { await group.triggerGracefulShutdown() }
                    let ping = try client.first { $0.kind == 6 && $0.flags == 0 }
                    try client.send(HTTP2FloodTests.frame(.ping, 1, 0, ping.payload))
                    _ = try client.first { $0.goAway == [1, 0] }
                    gate.open()
                } else {
                    gate.open()
                    _ = try client.first { $0.kind == 1 }
                    client.shutdownWrite()
                }
                usleep(500_000)
                return try client.rest()
            }
            let content = Self.data(frames)
            #expect(content.count == Self.size)
            let isSame = content == Self.body
            #expect(isSame)
            #expect(frames.contains { $0.kind == 0 && $0.flags == 1 })
        }
    }

    @Test func `a tunnel whose client closes its side delivers all that follows`() async throws {
        let responder = ScriptedResponder.making { _ in
            var answer = ServerAnswer(status: .ok)
            answer.handover = .raw { connection in
                for try await _ in connection.inbound {}
                try await connection.send(ByteBuffer(bytes: Self.body))
                connection.finish()
            }
            return answer
        }
        let content = try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send("CONNECT docs.example:443 HTTP/1.1\r\nHost: docs.example:443\r\n\r\n")
                _ = try client.head()
                client.shutdownWrite()
                usleep(500_000)
                var content: [UInt8] = []
                while true {
                    let bytes = try client.receive(1 << 18)
                    if bytes.isEmpty { return content }
                    content += bytes
                }
            }
        }
        #expect(content.count == Self.size)
        let isSame = content == Self.body
        #expect(isSame)
    }
}
