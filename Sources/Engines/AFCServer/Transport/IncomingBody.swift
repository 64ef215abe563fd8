internal import NIOCore

/// A request's body on its way from the connection to whoever answers.
final class IncomingBody: Sendable {
    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Delegate
    >

    /// Told by the reader that it takes more, from any thread.
    struct Delegate: NIOAsyncSequenceProducerDelegate {
        let onDemand: @Sendable () -> Void
        let onEnd: @Sendable () -> Void
        func produceMore() { onDemand() }
        func didTerminate() { onEnd() }
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
    ///   - onEnd: Told when nobody will ask any more.
    init(length: Int64?, onDemand: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void) {
        let producer = Producer.makeSequence(
            elementType: ByteBuffer.self,
            failureType: (any Error).self,
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 4),
            finishOnDeinit: true,
            delegate: Delegate(onDemand: onDemand, onEnd: onEnd)
        )
        source = producer.source
        body = RequestBody(Sequence(base: producer.sequence, onDemand: onDemand), length: length)
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
