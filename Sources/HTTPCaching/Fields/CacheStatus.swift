/// What this cache did with a request, as the Cache-Status field says it (RFC 9211).
public struct CacheStatus: Equatable, Sendable, CustomStringConvertible {
    /// The cache's name in the field.
    public static let cacheName = "afcache"

    /// Whether the answer came from the store.
    public var isHit: Bool
    /// How many seconds the answer stays fresh; negative for how long it has been stale.
    public var ttl: Int64?
    /// A word on what is not said otherwise.
    public var detail: String?

    /// Creates a status.
    public init(isHit: Bool, ttl: Int64? = nil, detail: String? = nil) {
        self.isHit = isHit
        self.ttl = ttl
        self.detail = detail
    }

    /// The field's value: one member of a list of RFC 8941.
    public var description: String {
        var text = Self.cacheName
        if isHit { text += "; hit" }
        if let ttl { text += "; ttl=\(min(max(ttl, -999_999_999_999_999), 999_999_999_999_999))" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }
}
