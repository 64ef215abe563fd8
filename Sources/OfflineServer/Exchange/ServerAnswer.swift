public import HTTPCaching
public import HTTPTypes
public import NIOCore
public import URLStandard

/// What goes out for a request.
///
/// Framing is the server's business: fields that belong to the connection are dropped, and a body is left out where the
/// method or the status has none.
public struct ServerAnswer: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// Nothing; Content-Length is sent as given.
        case none
        /// Bytes in memory; Content-Length is theirs.
        case bytes(ByteBuffer)
        /// A stored body, or parts of it, read as it is sent; Content-Length is sent as given.
        case stored(BodyStream)
        /// Bytes that arrive while they are sent.
        ///
        /// With a Content-Length they must be as many, or the connection is cut; without one they go out chunked, or
        /// end with the connection. A stream that throws cuts the connection, so that no client takes it for whole.
        case stream(any AsyncSequence<ByteBuffer, any Error> & Sendable)
    }

    /// The status, a final one, or 101 with a ``handover``.
    public var status: HTTPResponse.Status
    /// The fields.
    public var fields: HTTPFields
    /// What follows the head.
    public var body: Body
    /// Asked for the trailer fields after a stream has ended; nil for none (RFC 9110 §6.5).
    public var trailers: (@Sendable () -> HTTPFields)?
    /// To whom the connection is given after the head; for CONNECT with a 2xx status, and 101.
    public var handover: Handover?
    /// For which requests, and until when, the same answer may go out again without anybody being asked.
    public var repetition: Repetition?
    /// The resource that was meant, where one was; for logs.
    public var url: WebURL?

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The fields.
    ///   - body: What follows the head.
    ///   - url: The resource that was meant.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = HTTPFields(),
        body: Body = .none,
        url: WebURL? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }
}

/// A promise that an answer stays the same for a while.
///
/// The server then repeats it for requests whose head is the same byte for byte, and for plain requests for the same
/// target (no condition, no range, nothing that a cache heeds), as long as ``Responding/changes`` stays what it was.
/// Only Age and the `ttl` in Cache-Status move on with the clock.
public struct Repetition: Sendable, Equatable {
    /// What ``Responding/changes`` was before the answer was looked up.
    public var changes: UInt64
    /// For what time the answer was made.
    public var made: Timestamp
    /// The time from which on the answer may be another; at most a minute after ``made`` counts.
    public var end: Timestamp
    /// Whether the answer is the same for all plain requests for the target; false where it depends on other fields.
    public var isForAllPlainRequests: Bool

    /// Creates a promise.
    ///
    /// - Parameters:
    ///   - changes: What ``Responding/changes`` was before the answer was looked up.
    ///   - made: For what time the answer was made.
    ///   - end: The time from which on the answer may be another.
    ///   - isForAllPlainRequests: Whether the answer depends on method, target and Host only.
    public init(changes: UInt64, made: Timestamp, end: Timestamp, isForAllPlainRequests: Bool) {
        self.changes = changes
        self.made = made
        self.end = end
        self.isForAllPlainRequests = isForAllPlainRequests
    }
}

/// An origin, or the way there, failed; answered with 502.
public protocol GatewayFailure: Error {}
