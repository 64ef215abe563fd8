import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import AFCOrigin

/// Sends bytes when a request comes, and resets the connection when all of them are on their way.
private final class ResettingOrigin: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: ByteBuffer

    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in
            guard let socket = channel as? any SocketOptionProvider else { return }
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ExchangePoolTests {
    @Test func `a body that would end with the connection is an error where that is reset, however late it is read`()
        async throws
    {
        var bytes = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")
        bytes.writeRepeatingByte(0x61, count: 400_000)
        let answer = bytes
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ResettingOrigin(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let pool = ExchangePool(
            .init(
                connectTimeout: .seconds(30),
                readTimeout: .seconds(60),
                idleTimeout: .seconds(30),
                connectionsPerHost: 1
            )
        )
        let port = try #require(server.localAddress?.port.flatMap { UInt16(exactly: $0) })
        let request = RequestWriter.head(method: "GET", target: "/", fields: [.userAgent: "test"])
        let failure = await #expect(throws: (any Error).self) {
            var (connection, piece) = try await pool.begin(request, to: "127.0.0.1", port: port)
            // The reader comes when the connection has failed already.
            try? await connection.channel.closeFuture.get()
            while !piece.isEnd { piece = try await connection.more() }
        }
        #expect(failure != nil)
        try await pool.shutDown()
        try await server.close()
    }
}
