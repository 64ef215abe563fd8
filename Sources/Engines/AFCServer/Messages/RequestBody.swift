public import NIOCore

/// The bytes after a request's head, as they arrive.
///
/// They are read from the connection only as fast as they are asked for here, and may be asked for once. A client that
/// waits for 100 (Continue) gets it when the first bytes are asked for (RFC 9110 §10.1.1).
public struct RequestBody: AsyncSequence, Sendable {
    /// Some bytes.
    public typealias Element = ByteBuffer
    /// What ends a body early: the client went away, or broke the framing.
    public typealias Failure = any Error

    private enum Source: Sendable {
        case bytes(ByteBuffer)
        case stream(any AsyncSequence<ByteBuffer, any Error> & Sendable)
    }

    /// The length where the request says it; nil where only the end of the body will tell.
    public let length: Int64?
    private let source: Source

    /// Creates a body of bytes in memory; by default one without any.
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
    ///   - length: The length where it is known.
    public init(_ stream: any AsyncSequence<ByteBuffer, any Error> & Sendable, length: Int64?) {
        self.length = length
        source = .stream(stream)
    }

    /// Whether there is none.
    public var isEmpty: Bool { length == 0 }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .bytes(let bytes): AsyncIterator(bytes: bytes.readableBytes > 0 ? bytes : nil, stream: nil)
        case .stream(let stream): AsyncIterator(bytes: nil, stream: stream.makeAsyncIterator())
        }
    }

    /// Reads the pieces one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var bytes: ByteBuffer?
        fileprivate var stream: (any AsyncIteratorProtocol<ByteBuffer, any Error>)?

        /// The next bytes, or nil at the end.
        ///
        /// - Throws: Where the body ends before its end.
        public mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        /// The next bytes, or nil at the end.
        ///
        /// - Parameter actor: Where the caller runs.
        /// - Returns: The bytes.
        /// - Throws: Where the body ends before its end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ByteBuffer? {
            if let bytes {
                self.bytes = nil
                return bytes
            }
            return try await stream?.next(isolation: actor)
        }
    }
}
