internal import NIOCore

/// How far a body has come.
public struct ResourceProgress: Sendable, Equatable {
    /// The bytes that were read so far.
    public var received: Int64
    /// The bytes that there will be; nil where the head doesn't say.
    public var expected: Int64?

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - received: The bytes that were read so far.
    ///   - expected: The bytes that there will be.
    public init(received: Int64, expected: Int64?) {
        self.received = received
        self.expected = expected
    }
}

extension ResolverResponse {
    /// The same response, which tells how far its body has been read.
    func reporting(to progress: @escaping @Sendable (ResourceProgress) -> Void) -> ResolverResponse {
        guard case .stream(let stream) = body else {
            // What is stored is here already.
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

/// A body that tells how far it has been read.
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
