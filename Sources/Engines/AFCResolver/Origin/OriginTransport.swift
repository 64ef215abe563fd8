public import AFCURL
public import HTTPTypes
public import NIOCore

/// Carries requests to origins and their responses back; stores nothing and follows no redirect.
///
/// ``DirectTransport`` is what the server uses. A transport of one's own can be plugged in.
public protocol OriginTransport: Sendable {
    /// Sends a request and waits for the head of the final response.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - interim: Called with each response before the final one (RFC 9110 §15.2), in their order.
    /// - Returns: The response, its body still on the way.
    /// - Throws: ``TransportFailure`` where no response came.
    func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse

    /// Closes all connections, and what is under way with them; later requests fail.
    func shutDown() async
}

extension OriginTransport {
    /// Nothing: the transport has no connections of its own.
    public func shutDown() async {}
}

/// A body that comes in pieces.
public typealias ByteStream = any AsyncSequence<ByteBuffer, any Error> & Sendable

/// A request to an origin.
public struct TransportRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The fields, without those of the connection; Host comes from the URL where it isn't among them.
    public var fields: HTTPFields
    /// The body, or nil for none.
    public var body: ByteStream?
    /// The bytes of the body where they are known; it is sent in chunks otherwise.
    public var bodyLength: Int64?
    /// Which of several requests that wait goes first.
    public var priority: RequestPriority

    /// Creates a request.
    public init(
        method: HTTPRequest.Method,
        url: WebURL,
        fields: HTTPFields,
        body: ByteStream? = nil,
        bodyLength: Int64? = nil,
        priority: RequestPriority = .normal
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.bodyLength = bodyLength
        self.priority = priority
    }
}

/// An origin's final response.
public struct TransportResponse: Sendable {
    /// The status.
    public var status: Int
    /// All fields as they came, but for Transfer-Encoding.
    public var fields: HTTPFields
    /// The bytes of the body where the head says them.
    public var bodyLength: Int64?
    /// The body, without transfer codings; ends with an error where the origin broke off.
    public var body: ByteStream

    /// Creates a response.
    public init(status: Int, fields: HTTPFields, bodyLength: Int64?, body: ByteStream) {
        self.status = status
        self.fields = fields
        self.bodyLength = bodyLength
        self.body = body
    }
}
