internal import AFCHTTP
public import HTTPTypes

/// What this cache did with a request, as its member of the Cache-Status field says it (RFC 9211).
public struct CacheStatus: Equatable, Sendable, CustomStringConvertible {
    /// Why a request went forward (RFC 9211 §2.2).
    public enum Forward: String, Sendable, CaseIterable {
        /// The cache was told not to handle the request.
        case bypass
        /// The method's semantics need it.
        case method
        /// Nothing is stored for the URI.
        case uriMiss = "uri-miss"
        /// Something is stored for the URI, but for other request fields.
        case varyMiss = "vary-miss"
        /// Nothing stored could be used, for one of the two reasons above.
        case miss
        /// What is stored is fresh, but the request asked for more.
        case request
        /// What is stored is stale.
        case stale
        /// Part of the body is stored, and not the part that is asked for.
        case partial
    }

    /// The cache's name in the field.
    public static let cacheName = "afcache"

    /// Whether the answer came from the store, without the origin (RFC 9211 §2.1).
    public var isHit: Bool
    /// Why the request went forward, or nil where it didn't (RFC 9211 §2.2).
    public var forward: Forward?
    /// The status that the origin answered, where the client got another one (RFC 9211 §2.3).
    public var forwardStatus: Int?
    /// How many seconds the answer stays fresh; negative for how long it has been stale (RFC 9211 §2.4).
    public var ttl: Int64?
    /// Whether the cache stores the answer (RFC 9211 §2.5).
    public var isStored = false
    /// Whether the request waited for another one's answer (RFC 9211 §2.6).
    public var isCollapsed = false
    /// What the cache finds the response by (RFC 9211 §2.7), or nil to keep it to itself.
    public var key: String?
    /// A word on what is not said otherwise (RFC 9211 §2.8).
    public var detail: String?

    /// Creates a status.
    public init(isHit: Bool, ttl: Int64? = nil, detail: String? = nil) {
        self.isHit = isHit
        self.ttl = ttl
        self.detail = detail
    }

    /// Creates the status of a request that went forward.
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
        if let key { text += "; key=\(Self.string(key))" }
        if let detail { text += "; detail=\(Self.isToken(detail) ? detail : Self.string(detail))" }
        return text
    }

    /// Adds this member behind those of the caches nearer to the origin (RFC 9211 §2).
    ///
    /// - Parameter fields: The fields of the answer.
    public func append(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: description))
    }

    /// A token (RFC 8941 §3.3.4).
    private static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first, FieldText.isLetter(first) || first == UInt8(ascii: "*") else { return false }
        return text.utf8.allSatisfy {
            FieldText.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/")
        }
    }

    /// A string (RFC 8941 §3.3.3); a question mark stands for what isn't visible ASCII.
    private static func string(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for scalar in text.unicodeScalars {
            guard (0x20...0x7E).contains(scalar.value) else {
                bytes.append(UInt8(ascii: "?"))
                continue
            }
            if scalar == "\"" || scalar == "\\" { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}
