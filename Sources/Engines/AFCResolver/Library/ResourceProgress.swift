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

extension ResolverResponse {
    /// Returns the same response, which reports the progress of reading its body.
    func reporting(to progress: @escaping @Sendable (ResourceProgress) -> Void) -> ResolverResponse {
        guard case .stream(let stream) = body else {
            // A stored body is complete from the start.
            let size = expectedBytes ?? 0
            progress(ResourceProgress(received: size, expected: size))
            return self
        }
        var response = self
        progress(ResourceProgress(received: 0, expected: expectedBytes))
        response.body = .stream(ReportingBody(body: stream, expected: expectedBytes, progress: progress))
        return response
    }
}

/// A body that reports the progress of reading it.
private struct ReportingBody: AsyncSequence, Sendable {
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
