public import HTTPTypes

/// A request as a cache sees it; the caller finds the responses stored for its URI.
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

/// The next step of a cache for a request.
public enum CacheAction: Equatable, Sendable {
    /// Serves the stored response at an index; with `behind`, also revalidates it in the background (RFC 5861 §3).
    case serve(Resolution, stored: Int, behind: Forwarding?)
    /// Forwards the request to the origin.
    case forward(Forwarding)
    /// Answers without the origin: 504 or 502 if nothing can be served, and offline 405 for methods other than GET and
    /// HEAD.
    case refuse(Resolution)
}

/// A request on its way to the origin.
public struct Forwarding: Equatable, Sendable {
    /// The client's fields without those of the connection; to revalidate a stored response, its validators replace
    /// the client's conditions (RFC 9111 §4.3.1).
    public var fields: HTTPFields
    /// The index of the stored response to revalidate, or nil if the request carries no condition of the cache.
    public var validating: Int?
    /// The reason that the request is forwarded (RFC 9211 §2.2).
    public var reason: CacheStatus.Forward
    /// True if other requests for the URI may wait for the answer, and be decided again once it is stored.
    ///
    /// False for methods other than GET, for ranges, and if the client's own conditions, credentials or no-store make
    /// it unlikely that the answer matches another client's request.
    public var isCollapsible: Bool

    /// Creates a forwarding.
    ///
    /// - Parameters:
    ///   - fields: The fields for the origin.
    ///   - validating: The index of the stored response to revalidate.
    ///   - reason: The reason that the request is forwarded.
    ///   - isCollapsible: True if other requests may wait for the answer.
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

/// The kind of failure of an origin.
public enum OriginFailure: Equatable, Sendable {
    /// The connection failed, or broke before a head came: 504.
    case unreachable
    /// The request timed out: 504.
    case timedOut
    /// The response isn't valid HTTP: 502.
    case malformed
    /// The request wasn't sent, since too many were in progress: 503.
    case busy
}
