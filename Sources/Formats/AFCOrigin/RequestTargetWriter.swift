internal import NIOCore
internal import NIOHTTP1

/// Puts the request target on the wire as the URL says it, and nothing at all where the peer isn't admitted.
///
/// AsyncHTTPClient takes the target from Foundation's `URL`, which encodes percent signs again where it doesn't know another
/// character of the URL, and asks for `/` where an escape is not UTF-8 (`/%E4`): another resource would be fetched. So the
/// client is given the origin only, and the target in a field that this handler takes out again. It can go when
/// AsyncHTTPClient takes a target of its own.
///
/// A peer is refused here since the client stops the program where a stream of HTTP/2 fails before its request is written.
final class RequestTargetWriter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The field that carries the target to this handler.
    static let fieldName = "afcache-request-target"

    private let isAdmitted: Bool

    init(isAdmitted: Bool) { self.isAdmitted = isAdmitted }

    /// Adds the handler between the client's own handler and what writes its requests.
    static func add(
        to channel: any Channel,
        after writer: (some ChannelHandler).Type,
        isAdmitted: Bool
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let handler = RequestTargetWriter(isAdmitted: isAdmitted)
            try pipeline.addHandler(handler, position: .after(pipeline.handler(type: writer)))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isAdmitted else { return refuse(context, data, promise) }
        guard case .head(var head) = unwrapOutboundIn(data), let target = head.headers.first(name: Self.fieldName)
        else {
            return context.write(data, promise: promise)
        }
        head.headers.remove(name: Self.fieldName)
        head.uri = target
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private func refuse(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        promise?.fail(UnadmittedPeer())
        guard case .head = unwrapOutboundIn(data) else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // The client is still writing; it hears of this afterwards.
        context.eventLoop.execute { bound.value.fireErrorCaught(UnadmittedPeer()) }
    }
}
