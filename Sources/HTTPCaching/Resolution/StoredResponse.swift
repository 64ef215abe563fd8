public import HTTPTypes

/// A response as the store has it.
public struct StoredResponse: Equatable, Sendable {
    /// How a response came into the store.
    public enum Source: Sendable, Equatable {
        /// In a package.
        case package
        /// From its origin, online.
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
    /// The SHA-256 of the body in hexadecimal digits, where it is known.
    public var sha256: String?
    /// The request fields that Vary names, as they were sent; nil where that isn't known.
    public var requestFields: HTTPFields?
    /// When the request was sent (RFC 9111 §4.2.3: request_time), where that is known.
    public var requested: Timestamp?
    /// How it came into the store.
    public var source: Source
    /// Whether it must be validated before it is used again (RFC 9111 §4.4).
    public var isInvalidated: Bool

    /// Creates a response.
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

    /// The entity tag: the origin's, or one made of the body's digest, which is as strong (RFC 9110 §8.8.3).
    public var entityTag: EntityTag? {
        if let text = fields[.eTag] { return EntityTag(text) }
        return sha256.map { EntityTag(opaque: String($0.prefix(32))) }
    }

    /// When the origin made the response (RFC 9110 §6.6.1), or when it was received.
    public var date: Timestamp { fields[.date].flatMap { HTTPDate.parse($0, now: received) } ?? received }

    /// Whether the fields that Vary names are the same in another request (RFC 9111 §4.1); true where that isn't known.
    ///
    /// Accept-Encoding doesn't count: bodies are stored without a coding.
    public func matchesVary(of request: HTTPFields) -> Bool {
        guard let requestFields else { return true }
        for name in fields[values: .vary].flatMap(FieldText.list) {
            guard name != "*", let field = HTTPField.Name(String(name)) else { return false }
            if field == .acceptEncoding { continue }
            let (one, other) = (request[values: field], requestFields[values: field])
            if one.flatMap(FieldText.list) != other.flatMap(FieldText.list) { return false }
        }
        return true
    }
}
