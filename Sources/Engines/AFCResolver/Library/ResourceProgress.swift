internal import NIOCore

/// The progress of reading a body.
public struct ResourceProgress: Sendable, Equatable {
    /// The bytes read so far.
    public var received: Int64
    /// The length of the body; nil if the head doesn't state it.
    public var expected: Int64?

    /// Creates a progress value.
    ///
    /// - Parameters:
    ///   - received: The bytes read so far.
    ///   - expected: The length of the body.
    public init(received: Int64, expected: Int64?) {
        self.received = received
        self.expected = expected
    }
}

/// A body that reports the progress of reading it.
struct ReportingBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let body: ByteStream
    let expected: Int64?
    let progress: @Sendable (ResourceProgress) -> Void

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: body.makeAsyncIterator(), expected: expected, progress: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<ByteBuffer, any Error>
        let expected: Int64?
        let progress: @Sendable (ResourceProgress) -> Void
        var received: Int64 = 0

        mutating func next() async throws -> ByteBuffer? {
            guard let piece = try await pieces.next(isolation: nil) else { return nil }
            received += Int64(piece.readableBytes)
            progress(ResourceProgress(received: received, expected: expected))
            return piece
        }
    }
}
