public import AFCURL
public import HTTPTypes
public import NIOCore

/// A transport that carries requests to origins and returns their responses; stores nothing and follows no redirect.
///
/// The server uses ``DirectTransport``. Programs can provide their own.
public protocol OriginTransport: Sendable {
    /// Sends a request and waits for the head of the final response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: A closure called with each interim response (RFC 9110 §15.2), in order.
    /// - Returns: The response, whose body is still arriving.
    /// - Throws: ``TransportFailure`` if there is no response.
    func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse

    /// Closes all connections, including those in use; later requests fail.
    func shutDown() async
}

extension OriginTransport {
    /// Does nothing, for transports without connections of their own.
    public func shutDown() async {}
}

/// A body that arrives in pieces.
public typealias ByteStream = any AsyncSequence<ByteBuffer, any Error> & Sendable

/// A request to an origin.
public struct TransportRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The fields, without those of the connection; Host is derived from the URL unless it is among them.
    public var fields: HTTPFields
    /// The body, or nil for none.
    public var body: ByteStream?
    /// The length of the body in bytes, if known; otherwise it is sent chunked.
    public var bodyLength: Int64?
    /// The priority among requests that wait.
    public var priority: RequestPriority
    /// The time for which the origin may send nothing; nil for the transport's own limit.
    public var silence: Duration?

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
    /// All fields as they were received, except Transfer-Encoding.
    public var fields: HTTPFields
    /// The length of the body in bytes, if the head states it.
    public var bodyLength: Int64?
    /// The body, without transfer codings; it ends with an error if the connection breaks.
    public var body: ByteStream

    /// Creates a response.
    public init(status: Int, fields: HTTPFields, bodyLength: Int64?, body: ByteStream) {
        self.status = status
        self.fields = fields
        self.bodyLength = bodyLength
        self.body = body
    }
}
