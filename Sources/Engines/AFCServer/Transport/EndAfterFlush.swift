internal import NIOCore

extension ChannelHandlerContext {
    /// Closes this side of the connection when all that was written before is in the socket.
    ///
    /// SwiftNIO makes a full close of this if the peer has already closed its side, and a full close drops what still
    /// waits for room in the socket: the end of a body whose client reads slowly.
    /// The close comes in a turn of its own: during a flush, TLS couldn't send its alert.
    ///
    /// - Parameters:
    ///   - nothing: An empty buffer in the form in which the handler writes; it is sent after everything else.
    ///   - promise: A promise for the close.
    func closeOutputAfterFlush(_ nothing: NIOAny, promise: EventLoopPromise<Void>?) {
        let (loop, bound) = (eventLoop, NIOLoopBound(self, eventLoop: eventLoop))
        let sent = eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in
            loop.execute { bound.value.close(mode: .output, promise: promise) }
        }
        writeAndFlush(nothing, promise: sent)
    }
}
