import AFCAuthority
import AFCHTTP
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
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
        case none
    }

    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: ByteBuffer
    private let end: End

    init(_ bytes: ByteBuffer, _ end: End) {
        self.bytes = bytes
        self.end = end
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (channel, end) = (context.channel, end)
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in
            switch end {
            case .none: break
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
            .bind(host: "127.0.0.1", port: 0)
            .get()
        var options = OriginPool.Options(
            connectTimeout: .seconds(30),
            readTimeout: .seconds(60),
            idleTimeout: .seconds(30),
            connectionsPerHost: 1
        )
        change(&options)
        let pool = OriginPool(options, trust: try OriginTrust(file: nil, verifies: false))
        let port = try #require(server.localAddress?.port)
        let url = try WebURL("\(tls == nil ? "http" : "https")://127.0.0.1:\(port)/")
        try await body(pool, OriginRequest(url, fields: [.userAgent: "test"]))
        await pool.shutDown()
        try await server.close()
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

    @Test(arguments: [false, true])
    func `a body that would end with the connection is an error where that is reset, however late it is read`(
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
    private func `over TLS a connection's end is a body's end only where the origin says so`(
        end: (EndingOrigin.End, Bool),
        isEager: Bool
    ) async throws {
        let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
        let authority = try CertificateAuthority.make(name: "test", days: 2, at: now)
        let issued = try authority.issue(for: CertifiedHost("docs.example"), key: ServerKey(), at: now)
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try issued.chain.map { .certificate(try .init(bytes: $0, format: .der)) },
                privateKey: .privateKey(try .init(bytes: issued.privateKey, format: .der))
            )
        )
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

    @Test func `shutting down ends what is under way, and nothing begins any more`() async throws {
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

    @Test func `what comes slowly is waited for as long as enough of it comes, and only while somebody waits`() {
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
