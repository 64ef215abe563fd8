internal import HTTPTypes
internal import NIOCore
internal import Synchronization

/// A connection to an origin, as it looks from tasks.
struct OriginConnection: Sendable {
    let channel: any Channel
    private let handler: NIOLoopBound<OriginConnectionHandler>
    private let exchanges = Counter()

    private final class Counter: Sendable {
        private let value = Atomic(0)

        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    init(channel: any Channel, handler: OriginConnectionHandler) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    /// An exchange whose head is awaited.
    struct Exchange: Sendable {
        var number: Int
        var heads: AsyncThrowingStream<OriginHead, any Error>
        var body: OriginBody
    }

    /// Sends a request; its body goes out by ``send(_:chunked:)``.
    ///
    /// `mayUpgrade` is for a request that asks for another protocol.
    func begin(_ method: HTTPRequest.Method, _ head: ByteBuffer, hasBody: Bool, mayUpgrade: Bool) -> Exchange {
        let number = exchanges.next()
        let (heads, continuation) = AsyncThrowingStream<OriginHead, any Error>.makeStream()
        let (loop, handler, channel) = (channel.eventLoop, handler, channel)
        let made = makeBody(number)
        let source = made.source
        loop.execute {
            handler.value.begin(number, method, mayUpgrade: mayUpgrade, heads: continuation, body: source)
            channel.writeAndFlush(head, promise: nil)
            if !hasBody { handler.value.requestSent(number) }
        }
        return Exchange(number: number, heads: heads, body: made.sequence)
    }

    /// Carries bytes as they are from now on.
    ///
    /// - Returns: What comes.
    func beginRaw() -> OriginBody {
        let number = exchanges.next()
        let (_, continuation) = AsyncThrowingStream<OriginHead, any Error>.makeStream()
        let made = makeBody(number)
        let (handler, source) = (handler, made.source)
        channel.eventLoop.execute { handler.value.beginRaw(number, heads: continuation, body: source) }
        return made.sequence
    }

    private func makeBody(_ number: Int) -> OriginBody.NewSequence {
        let (loop, handler) = (channel.eventLoop, handler)
        return OriginBody.makeSequence(
            elementType: ByteBuffer.self,
            failureType: (any Error).self,
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8),
            finishOnDeinit: true,
            delegate: OriginDemand(
                onMore: { loop.execute { handler.value.produceMore(number) } },
                onEnd: { loop.execute { handler.value.abandon(number) } }
            )
        )
    }

    /// Sends the body of a request.
    ///
    /// - Throws: Where the connection, or the body's source, breaks off; the connection is then closed.
    func send(_ body: ByteStream, of exchange: Exchange, isChunked: Bool) async throws {
        let (handler, loop) = (handler, channel.eventLoop)
        do {
            for try await piece in body where piece.readableBytes > 0 {
                var buffer = piece
                if isChunked {
                    buffer = channel.allocator.buffer(capacity: piece.readableBytes + 16)
                    buffer.writeString(String(piece.readableBytes, radix: 16) + "\r\n")
                    buffer.writeImmutableBuffer(piece)
                    buffer.writeString("\r\n")
                }
                try await channel.writeAndFlush(buffer)
                loop.execute { handler.value.requestMoved(exchange.number) }
            }
            if isChunked { try await channel.writeAndFlush(ByteBuffer(string: "0\r\n\r\n")) }
        } catch {
            close()
            throw error
        }
        loop.execute { handler.value.requestSent(exchange.number) }
    }

    /// Calls a closure each time the connection can take another request.
    func whenFree(_ action: @escaping @Sendable () -> Void) {
        let handler = handler
        channel.eventLoop.execute { handler.value.onFree = action }
    }

    /// Sends bytes as they are.
    ///
    /// - Returns: Whether the origin takes them. Where it doesn't, what it sent before can still be read, and an error follows.
    func takes(_ bytes: ByteBuffer) async -> Bool {
        do {
            try await channel.writeAndFlush(bytes)
            return true
        } catch {
            return false
        }
    }

    /// Closes this side; if the connection has ended, the reader finds out how.
    func finish() async { try? await channel.close(mode: .output) }

    func close() { channel.close(promise: nil) }

    /// Ends the connection so that the origin sees that something is missing (RFC 9293 §3.10.5).
    func reset() { ConnectionReset.reset(channel) }
}
