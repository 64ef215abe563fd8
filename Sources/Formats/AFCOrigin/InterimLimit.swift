internal import NIOCore
internal import NIOHTTP1

/// Ends a connection whose server sends interim responses without end.
///
/// AsyncHTTPClient skips any number of them, and takes each as a sign of life.
final class InterimLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let limit = WireLimits().interims
    private var count = 0

    /// Adds the handler between what reads responses and the client's own handler.
    static func add(to channel: any Channel, after reader: (some ChannelHandler).Type) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(InterimLimit(), position: .after(pipeline.handler(type: reader)))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            count = head.status.code < 200 ? count + 1 : 0
            if count == limit + 1 {
                context.fireErrorCaught(WireError.tooManyInterims(limit))
                context.close(promise: nil)
            }
        }
        if count <= limit { context.fireChannelRead(data) }
    }
}
