import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import OfflineServer

struct ConnectionTimeoutsTests {
    /// A socket that has no room until it is told so.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = Never

        var waiting: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            waiting.append(promise ?? context.eventLoop.makePromise())
        }

        func makeRoom() {
            let promises = waiting
            waiting = []
            for promise in promises { promise.succeed() }
        }
    }

    private let channel = EmbeddedChannel()
    private let socket = FullSocket()

    private init() throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            socket, HTTPServerPipelineHandler(),
            ConnectionTimeouts(idle: .seconds(30), stall: .seconds(60), linger: .seconds(2)),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func answer() throws {
        try channel.writeInbound(HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.write(ResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
        channel.write(ResponsePart.body(ByteBuffer(string: "body")), promise: nil)
        channel.writeAndFlush(ResponsePart.end(nil), promise: nil)
    }

    @Test func `a shutdown waits until a slow client has taken an answer that is written already`() throws {
        try answer()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(channel.isActive)
        socket.makeRoom()
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        socket.makeRoom()
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test func `closing this side waits for the answer too`() throws {
        try answer()
        channel.close(mode: .output, promise: nil)
        #expect(channel.isActive)
        socket.makeRoom()
        #expect(!channel.isActive)
    }
}
