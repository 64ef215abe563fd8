public import AFCHTTP
public import HTTPTypes

/// A response in the form in which it is stored.
///
/// With status 206 it is a part, given by its Content-Range, and its body contains these bytes only.
public struct StoredResponse: Equatable, Sendable {
    /// The source of a response.
    public enum Source: Sendable, Equatable {
        /// A package: stored by configuration, without a content coding, and without an estimated freshness.
        case package
        /// The origin: stored as received.
        case received
    }

    /// A content coding in which a response can be sent, chosen for a request.
    public enum Coding: Sendable, Equatable {
        /// No coding, although the response can also be sent with gzip.
        case identity
        /// gzip (RFC 9110 §8.4.1.3); ``StoredResponse/size`` is then the size of the coded body.
        case gzip
    }

    /// The final status.
    public var status: Int
    /// The fields, without those of the connection; without Date, the response counts as made when it was received.
    public var fields: HTTPFields
    /// The length of the body in bytes.
    public var size: Int64
    /// The time at which the response was received (RFC 9111 §4.2.3: response_time).
    public var received: Timestamp
    /// The time at which the request was sent (RFC 9111 §4.2.3: request_time), or nil if it isn't known.
    public var requested: Timestamp?
    /// The source of the response.
    public var source: Source
    /// True if an unsafe request invalidated the response, so that it must be revalidated before its next use (RFC 9111
    /// §4.4).
    public var isInvalidated: Bool
    /// The SHA-256 of the body in hexadecimal digits, if known.
    public var sha256: String?
    /// The request fields that Vary names, as they were sent; nil if they aren't known.
    public var requestFields: HTTPFields?
    /// The seconds from its reception for which the program declared the response fresh, whatever its fields say; nil
    /// if it didn't.
    public var assignedLifetime: Int64?
    /// Data of the program about the response, which no peer sends or gets; nil for none.
    public var userInfo: [UInt8]?
    /// The coding that was chosen for the request; nil if the response can only be sent as it is stored.
    public var coding: Coding?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The final status.
    ///   - fields: The fields, without those of the connection.
    ///   - size: The length of the body in bytes.
    ///   - received: The time at which the response was received.
    ///   - sha256: The SHA-256 of the body in hexadecimal digits.
    ///   - requestFields: The request fields that Vary names, as they were sent; nil if they aren't known.
    ///   - requested: The time at which the request was sent.
    ///   - source: The source of the response.
    ///   - isInvalidated: True if the response must be revalidated before its next use.
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

    /// The entity tag: the origin's, or for a packaged response one made from the body's digest, which is as strong
    /// (RFC 9110 §8.8.3).
    ///
    /// A strong tag differs between codings, since they have different bytes; a weak one needn't (§8.8.3.3).
    public var entityTag: EntityTag? {
        guard let tag = plainTag, coding == .gzip, !tag.isWeak else { return plainTag }
        return EntityTag(opaque: tag.opaque + "-gzip")
    }

    /// The entity tag of the response without a coding.
    private var plainTag: EntityTag? {
        if let text = fields[.eTag] { return EntityTag(text) }
        guard source == .package else { return nil }
        return sha256.map { EntityTag(opaque: String($0.prefix(32))) }
    }

    /// The time at which the origin made the response (RFC 9110 §6.6.1), or else at which it was received.
    public var date: Timestamp { fields[.date].flatMap { HTTPDate.parse($0, now: received) } ?? received }

    /// Returns true if the fields that Vary names are the same in another request (RFC 9111 §4.1), or aren't known.
    public func matchesVary(of request: HTTPFields) -> Bool {
        Vary.match(self, vary: fields[values: .vary], request: request) != .mismatched
    }
}
