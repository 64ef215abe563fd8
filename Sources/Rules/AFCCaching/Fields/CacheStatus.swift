internal import AFCHTTP
public import HTTPTypes

/// This cache's member of the Cache-Status field, which says how it handled a request (RFC 9211).
public struct CacheStatus: Equatable, Sendable, CustomStringConvertible {
    /// The reason that a request was forwarded (RFC 9211 §2.2).
    public enum Forward: String, Sendable, CaseIterable {
        /// The cache was configured not to handle the request.
        case bypass
        /// The method's semantics require it.
        case method
        /// Nothing is stored for the URI.
        case uriMiss = "uri-miss"
        /// Responses are stored for the URI, but for other request fields.
        case varyMiss = "vary-miss"
        /// No stored response could be used, for one of the two reasons above.
        case miss
        /// The stored response is fresh, but the request demanded more.
        case request
        /// The stored response is stale.
        case stale
        /// A part of the body is stored, but not the requested one.
        case partial
    }

    /// The cache's name in the field.
    public static let cacheName = "afcache"

    /// True if the answer came from the cache, without the origin (RFC 9211 §2.1).
    public var isHit: Bool
    /// The reason that the request was forwarded, or nil if it wasn't (RFC 9211 §2.2).
    public var forward: Forward?
    /// The origin's status, if the client got another one (RFC 9211 §2.3).
    public var forwardStatus: Int?
    /// The seconds for which the answer stays fresh; negative for the time since it became stale (RFC 9211 §2.4).
    public var ttl: Int64?
    /// True if the cache stores the answer (RFC 9211 §2.5).
    public var isStored = false
    /// True if the request waited for another one's answer (RFC 9211 §2.6).
    public var isCollapsed = false
    /// The cache key of the response (RFC 9211 §2.7), or nil to omit it.
    public var key: String?
    /// A word with further information (RFC 9211 §2.8).
    public var detail: String?

    /// Creates a status.
    public init(isHit: Bool, ttl: Int64? = nil, detail: String? = nil) {
        self.isHit = isHit
        self.ttl = ttl
        self.detail = detail
    }

    /// Creates the status of a request that was forwarded.
    public init(forward: Forward, detail: String? = nil) {
        isHit = false
        self.forward = forward
        self.detail = detail
    }

    /// The field's value: one member of a list of RFC 8941.
    public var description: String {
        var text = Self.cacheName
        if isHit { text += "; hit" }
        if let forward { text += "; fwd=\(forward.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let ttl { text += "; ttl=\(min(max(ttl, -999_999_999_999_999), 999_999_999_999_999))" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let key { text += "; key=\(StructuredText.string(key))" }
        if let detail { text += "; detail=\(StructuredText.isToken(detail) ? detail : StructuredText.string(detail))" }
        return text
    }

    /// Appends this member to those of the caches closer to the origin (RFC 9211 §2).
    ///
    /// - Parameter fields: The fields of the answer.
    public func append(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: description))
    }
}
