package import NIOCore

/// What came of a response since the last piece of it.
package struct ResponsePiece: Sendable {
    /// The head of the final response, in the piece that it came with.
    package var head: ResponseHead?
    /// The next bytes of the body.
    package var body: [ByteBuffer] = []
    /// Whether the response ends here.
    package var isEnd = false

    /// How many bytes of the body are in it.
    var count: Int { body.reduce(0) { $0 + $1.readableBytes } }
}

/// Why an exchange over a connection of one's own came to nothing.
package enum ExchangeFailure: Error, Equatable, Sendable {
    /// The connection ended before the response began.
    case closed
    /// The connection ended within the response.
    case truncated
    /// Too little came in the time for it.
    case timeout
}
