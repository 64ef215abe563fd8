public import NIOCore

/// The body of a request, as it arrives.
///
/// It is read from the connection only as fast as the bytes are consumed here, and can be iterated once. A client that
/// waits for 100 (Continue) gets it when the first bytes are requested (RFC 9110 §10.1.1).
public struct RequestBody: AsyncSequence, Sendable {
    /// The bytes of one piece.
    public typealias Element = ByteBuffer
    /// The error that ends a body early: the client disconnected, or broke the framing.
    public typealias Failure = any Error

    private enum Source: Sendable {
        case bytes(ByteBuffer)
        case stream(any AsyncSequence<ByteBuffer, any Error> & Sendable)
    }

    /// The length if the request states it; nil if only the end of the body tells.
    public let length: Int64?
    private let source: Source

    /// Creates a body of bytes in memory, empty by default.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: ByteBuffer = ByteBuffer()) {
        length = Int64(bytes.readableBytes)
        source = .bytes(bytes)
    }

    /// Creates a body that arrives in pieces.
    ///
    /// - Parameters:
    ///   - stream: The pieces.
    ///   - length: The length if it is known.
    public init(_ stream: any AsyncSequence<ByteBuffer, any Error> & Sendable, length: Int64?) {
        self.length = length
        source = .stream(stream)
    }

    /// True if there is no body.
    public var isEmpty: Bool { length == 0 }

    /// Returns an iterator over the bytes.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .bytes(let bytes): AsyncIterator(bytes: bytes.readableBytes > 0 ? bytes : nil, stream: nil)
        case .stream(let stream): AsyncIterator(bytes: nil, stream: stream.makeAsyncIterator())
        }
    }

    /// An iterator over the pieces of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var bytes: ByteBuffer?
        fileprivate var stream: (any AsyncIteratorProtocol<ByteBuffer, any Error>)?

        /// Returns the next bytes, or nil at the end.
        ///
        /// - Throws: An error if the body is incomplete.
        public mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        /// Returns the next bytes, or nil at the end.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The bytes.
        /// - Throws: An error if the body is incomplete.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ByteBuffer? {
            if let bytes {
                self.bytes = nil
                return bytes
            }
            return try await stream?.next(isolation: actor)
        }
    }
}
