public import HTTPTypes

/// A request as a cache sees it; which stored responses its URI has is the caller's business.
public struct CacheRequest: Sendable, Equatable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The fields, as the client sent them.
    public var fields: HTTPFields

    /// Creates a request.
    public init(method: HTTPRequest.Method = .get, fields: HTTPFields = HTTPFields()) {
        self.method = method
        self.fields = fields
    }
}

/// What a cache does next with a request.
public enum CacheAction: Equatable, Sendable {
    /// The stored response at an index answers; with `behind`, it is validated in the background (RFC 5861 §3).
    case serve(Resolution, stored: Int, behind: Forwarding?)
    /// The origin is asked.
    case forward(Forwarding)
    /// The cache answers by itself: 504 or 502 where nothing can be served, offline 405 for other methods than GET and HEAD.
    case refuse(Resolution)
}

/// A request on its way to the origin.
public struct Forwarding: Equatable, Sendable {
    /// The client's fields without those of the connection; where a stored response is validated, with its validators in place of
    /// the client's conditions (RFC 9111 §4.3.1).
    public var fields: HTTPFields
    /// The index of the stored response that is validated, or nil where the request carries no condition of the cache's.
    public var validating: Int?
    /// Why the request goes forward (RFC 9211 §2.2).
    public var reason: CacheStatus.Forward
    /// Whether other requests for the URI may wait for the answer, and be decided again once it is stored.
    ///
    /// Not so for other methods than GET, for ranges, and where the client's own conditions, credentials or no-store make it unlikely
    /// that the answer suits another client.
    public var isCollapsible: Bool

    /// Creates a forwarding.
    ///
    /// - Parameters:
    ///   - fields: What the origin gets.
    ///   - validating: The index of the stored response that is validated.
    ///   - reason: Why the request goes forward.
    ///   - isCollapsible: Whether other requests may wait for the answer.
    public init(
        fields: HTTPFields,
        validating: Int? = nil,
        reason: CacheStatus.Forward,
        isCollapsible: Bool = false
    ) {
        self.fields = fields
        self.validating = validating
        self.reason = reason
        self.isCollapsible = isCollapsible
    }
}

/// How an origin failed to give an answer.
public enum OriginFailure: Equatable, Sendable {
    /// No connection came about, or it broke before a head came: 504.
    case unreachable
    /// The time was up: 504.
    case timedOut
    /// What came is no HTTP: 502.
    case malformed
}
