internal import NIOCore
internal import NIOHTTP1

/// Puts the request target on the wire as the URL says it.
///
/// AsyncHTTPClient takes the target from Foundation's `URL`, which encodes percent signs again where it doesn't know another
/// character of the URL, and asks for `/` where an escape is not UTF-8 (`/%E4`): another resource would be fetched. So the
/// client is given the origin only, and the target in a field that this handler takes out again. It can go when
/// AsyncHTTPClient takes a target of its own.
final class RequestTargetWriter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The field that carries the target to this handler.
    static let fieldName = "afcache-request-target"

    /// Adds the handler between the client's own handler and the encoder.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(RequestTargetWriter(), position: .after(encoder))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let target = head.headers.first(name: Self.fieldName)
        else {
            return context.write(data, promise: promise)
        }
        head.headers.remove(name: Self.fieldName)
        head.uri = target
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
