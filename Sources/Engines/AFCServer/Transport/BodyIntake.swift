internal import NIOCore

/// A request's body on its way from the connection to the responder.
final class IncomingBody: Sendable {
    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Delegate
    >

    /// The delegate through which the reader requests more, from any thread.
    struct Delegate: NIOAsyncSequenceProducerDelegate {
        let onDemand: @Sendable () -> Void
        func produceMore() { onDemand() }
        func didTerminate() {}
    }

    /// The body as the responder reads it; signals demand before the first bytes.
    struct Sequence: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        typealias Failure = any Error
        let base: Producer
        let onDemand: @Sendable () -> Void

        func makeAsyncIterator() -> Producer.AsyncIterator {
            onDemand()
            return base.makeAsyncIterator()
        }
    }

    private let source: Producer.Source
    /// The body for the request.
    let body: RequestBody

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - length: The length if it is known.
    ///   - onDemand: A closure called when the reader requests bytes.
    init(length: Int64?, onDemand: @escaping @Sendable () -> Void) {
        let producer = Producer.makeSequence(
            elementType: ByteBuffer.self,
            failureType: (any Error).self,
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 4),
            finishOnDeinit: true,
            delegate: Delegate(onDemand: onDemand)
        )
        source = producer.source
        body = RequestBody(Sequence(base: producer.sequence, onDemand: onDemand), length: length)
    }

    /// Creates a body that requests its bytes from a connection or stream.
    ///
    /// - Parameters:
    ///   - length: The length if it is known.
    ///   - sink: The connection or stream that reads the body from the client.
    ///   - loop: The loop of that connection or stream.
    convenience init(length: Int64?, to sink: any AnswerSink, on loop: any EventLoop) {
        let sink = NIOLoopBound(sink, eventLoop: loop)
        self.init(length: length) { loop.execute { sink.value.wantBody() } }
    }

    /// Hands bytes to the reader.
    ///
    /// - Returns: True if more may follow at once.
    func yield(_ bytes: ByteBuffer) -> Bool {
        switch source.yield(bytes) {
        case .produceMore: true
        case .stopProducing, .dropped: false
        }
    }

    /// Ends the body, which is complete.
    func finish() { source.finish() }

    /// Ends the body, which is incomplete, with an error.
    func fail(_ error: any Error) { source.finish(error) }
}

/// The error for a request's body that ended early, because its client disconnected.
struct RequestCutShort: Error {}

/// The body that is arriving on an HTTP/1 connection or HTTP/2 stream, and the demand for it.
struct BodyIntake {
    private var body: IncomingBody?
    private var isWanted = false
    /// True if the client waits for 100 (Continue) before it sends the body (RFC 9110 §10.1.1).
    private var awaitsContinue = false
    /// The bytes of bodies received.
    private(set) var received = 0

    /// True if a body is arriving.
    var isArriving: Bool { body != nil }

    /// True if bytes of it are expected now.
    var isDue: Bool { body != nil && isWanted }

    /// Begins the body that follows a head.
    mutating func begin(_ body: IncomingBody, awaitsContinue: Bool) {
        self.body = body
        self.awaitsContinue = awaitsContinue
        isWanted = false
    }

    /// Hands received bytes to the reader.
    mutating func take(_ bytes: ByteBuffer) {
        received &+= bytes.readableBytes
        guard let body, bytes.readableBytes > 0 else { return }
        // A client that has stopped waiting for 100 (Continue) doesn't get it.
        awaitsContinue = false
        if !body.yield(bytes) { isWanted = false }
    }

    /// Ends the body, which is complete.
    ///
    /// - Returns: True if one was arriving.
    mutating func end() -> Bool {
        guard let body else { return false }
        body.finish()
        self.body = nil
        return true
    }

    /// Ends the body, which is incomplete, with an error.
    mutating func fail(_ error: any Error) {
        body?.fail(error)
        body = nil
    }

    /// Notes that the reader requests more.
    ///
    /// - Parameter mayContinue: True if the client can still be told to send.
    /// - Returns: True if the client must be told now.
    mutating func demand(mayContinue: Bool) -> Bool {
        guard body != nil else { return false }
        isWanted = true
        guard awaitsContinue, mayContinue else { return false }
        awaitsContinue = false
        return true
    }

    /// Restarts the count of received bytes.
    mutating func forgetCount() { received = 0 }
}
