public import AFCCaching
internal import AFCHTTP
public import AFCURL
public import HTTPTypes
public import NIOCore

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
    /// What this cache did, as the last member of Cache-Status says it; nil where that isn't of this cache.
    public var cacheStatus: CacheStatus?

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The fields.
    ///   - body: What follows the head.
    ///   - url: The resource that was meant.
    ///   - cacheStatus: What the last member of Cache-Status says, where it is of this cache.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = HTTPFields(),
        body: Body = .none,
        url: WebURL? = nil,
        cacheStatus: CacheStatus? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
        self.cacheStatus = cacheStatus
    }

    /// The number in Content-Length.
    var statedLength: Int64? { fields[.contentLength].flatMap { Int64($0) } }
}

/// An origin, or the way there, failed; answered with 502.
public protocol GatewayFailure: Error {}
