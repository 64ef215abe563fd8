public import AFCHTTP
public import HTTPTypes

/// A response as the store has it.
///
/// With status 206 it is a part: its Content-Range says which, and its body has these bytes only.
public struct StoredResponse: Equatable, Sendable {
    /// Where a response came from.
    public enum Source: Sendable, Equatable {
        /// From a package: stored by configuration, without a content coding, and nothing is guessed about its freshness.
        case package
        /// From its origin, as received.
        case received
    }

    /// The final status.
    public var status: Int
    /// The fields, without those of the connection; Date is there, or the response counts as made when received.
    public var fields: HTTPFields
    /// The bytes of the body.
    public var size: Int64
    /// When the response was received (RFC 9111 §4.2.3: response_time).
    public var received: Timestamp
    /// When the request was sent (RFC 9111 §4.2.3: request_time), or nil where that isn't known.
    public var requested: Timestamp?
    /// Where the response came from.
    public var source: Source
    /// Whether an unsafe request made the response doubtful, so that it has to be validated before its next use (RFC 9111 §4.4).
    public var isInvalidated: Bool
    /// The SHA-256 of the body in hexadecimal digits, where it is known.
    public var sha256: String?
    /// The request fields that Vary names, as they were sent; nil where that isn't known.
    public var requestFields: HTTPFields?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The final status.
    ///   - fields: The fields, without those of the connection.
    ///   - size: The bytes of the body.
    ///   - received: When the response was received.
    ///   - sha256: The SHA-256 of the body in hexadecimal digits.
    ///   - requestFields: The request fields that Vary names, as they were sent; nil where that isn't known.
    ///   - requested: When the request was sent.
    ///   - source: Where the response came from.
    ///   - isInvalidated: Whether the response has to be validated before its next use.
    public init(
        status: Int,
        fields: HTTPFields,
        size: Int64,
        received: Timestamp,
        sha256: String? = nil,
        requestFields: HTTPFields? = nil,
        requested: Timestamp? = nil,
        source: Source = .package,
        isInvalidated: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.size = size
        self.received = received
        self.sha256 = sha256
        self.requestFields = requestFields
        self.requested = requested
        self.source = source
        self.isInvalidated = isInvalidated
    }

    /// The entity tag: the origin's, or for what came in a package one made of the body's digest, which is as strong
    /// (RFC 9110 §8.8.3).
    public var entityTag: EntityTag? {
        if let text = fields[.eTag] { return EntityTag(text) }
        guard source == .package else { return nil }
        return sha256.map { EntityTag(opaque: String($0.prefix(32))) }
    }

    /// When the origin made the response (RFC 9110 §6.6.1), or when it was received.
    public var date: Timestamp { fields[.date].flatMap { HTTPDate.parse($0, now: received) } ?? received }

    /// Whether the fields that Vary names are the same in another request (RFC 9111 §4.1); true where that isn't known.
    public func matchesVary(of request: HTTPFields) -> Bool {
        Vary.match(self, vary: fields[values: .vary], request: request) != .mismatched
    }
}
