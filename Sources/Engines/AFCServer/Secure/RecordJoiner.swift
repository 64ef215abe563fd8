internal import NIOCore

/// The handler that joins small writes, so that TLS encrypts them together.
///
/// SwiftNIO's TLS makes a record of each write. An answer in HTTP/2 is three: the frame of its fields, the nine bytes that
/// begin the frame of its body, and the body. Large writes pass as they are, since copying them costs more than a record.
final class RecordJoiner: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes of a write that is copied to others.
    private static let smallSize = 1024
    /// The bytes at which joined writes are passed on; with one more they fit into a record (RFC 8446 §5.1).
    private static let fullSize = 4096

    private var joined = ByteBuffer()
    private var promise: EventLoopPromise<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard bytes.readableBytes <= Self.smallSize else {
            pass(context)
            return context.write(wrapOutboundOut(bytes), promise: promise)
        }
        if joined.readableBytes == 0 { joined = ByteBufferAllocator().buffer(capacity: Self.smallSize) }
        joined.writeImmutableBuffer(bytes)
        if let promise {
            if let first = self.promise { first.futureResult.cascade(to: promise) } else { self.promise = promise }
        }
        if joined.readableBytes >= Self.fullSize { pass(context) }
    }

    func flush(context: ChannelHandlerContext) {
        pass(context)
        context.flush()
    }

    /// Passes on what waits, so that closing loses nothing.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input, joined.readableBytes > 0 { flush(context: context) }
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        promise?.fail(ChannelError.ioOnClosedChannel)
        promise = nil
    }

    private func pass(_ context: ChannelHandlerContext) {
        guard joined.readableBytes > 0 || promise != nil else { return }
        let (record, promise) = (joined, promise)
        (joined, self.promise) = (ByteBuffer(), nil)
        context.write(wrapOutboundOut(record), promise: promise)
    }
}

@available(*, unavailable)
extension RecordJoiner: Sendable {}
