internal import NIOCore

/// A request's body on its way from the connection to whoever answers.
final class IncomingBody: Sendable {
    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Delegate
    >

    /// Told by the reader that it takes more, from any thread.
    struct Delegate: NIOAsyncSequenceProducerDelegate {
        let onDemand: @Sendable () -> Void
        func produceMore() { onDemand() }
        func didTerminate() {}
    }

    /// The body as it is read; sends a demand before the first bytes.
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
    /// What goes into the request.
    let body: RequestBody

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - length: The length where it is known.
    ///   - onDemand: Told when somebody asks for bytes.
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

    /// Creates a body for which its connection or stream is asked.
    ///
    /// - Parameters:
    ///   - length: The length where it is known.
    ///   - sink: What reads it from the client.
    ///   - loop: Where that lives.
    convenience init(length: Int64?, to sink: any AnswerSink, on loop: any EventLoop) {
        let sink = NIOLoopBound(sink, eventLoop: loop)
        self.init(length: length) { loop.execute { sink.value.wantBody() } }
    }

    /// Hands bytes on.
    ///
    /// - Returns: Whether more may follow at once.
    func yield(_ bytes: ByteBuffer) -> Bool {
        switch source.yield(bytes) {
        case .produceMore: true
        case .stopProducing, .dropped: false
        }
    }

    /// The body is whole.
    func finish() { source.finish() }

    /// The body ends before its end.
    func fail(_ error: any Error) { source.finish(error) }
}

/// A request's body ended early: its client went away.
struct RequestCutShort: Error {}

/// The body that arrives now, on one connection of HTTP/1 or one stream of HTTP/2, and how much of it is wanted.
struct BodyIntake {
    private var body: IncomingBody?
    private var isWanted = false
    /// Whether the client waits before it sends the body (RFC 9110 §10.1.1).
    private var awaitsContinue = false
    /// The bytes of bodies that came.
    private(set) var received = 0

    /// Whether a body is on its way.
    var isArriving: Bool { body != nil }

    /// Whether bytes of it are due.
    var isDue: Bool { body != nil && isWanted }

    /// A body follows the head that came.
    mutating func begin(_ body: IncomingBody, awaitsContinue: Bool) {
        self.body = body
        self.awaitsContinue = awaitsContinue
        isWanted = false
    }

    /// Hands on what came.
    mutating func take(_ bytes: ByteBuffer) {
        received &+= bytes.readableBytes
        guard let body, bytes.readableBytes > 0 else { return }
        // A client that doesn't wait for 100 (Continue) any longer doesn't get it.
        awaitsContinue = false
        if !body.yield(bytes) { isWanted = false }
    }

    /// The body is whole.
    ///
    /// - Returns: Whether one was on its way.
    mutating func end() -> Bool {
        guard let body else { return false }
        body.finish()
        self.body = nil
        return true
    }

    /// The body ends before its end.
    mutating func fail(_ error: any Error) {
        body?.fail(error)
        body = nil
    }

    /// The reader takes more.
    ///
    /// - Parameter mayContinue: Whether the client can still be told to send.
    /// - Returns: Whether it has to be told.
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
