public import HTTPTypes

/// The directives of Cache-Control that this cache knows (RFC 9111 §5.2), of all lines together.
///
/// Unknown directives are ignored (§5.2.3). Where one comes twice the first counts, and where its seconds are malformed they
/// are 0, so that the response is stale, as §4.2.1 encourages.
public struct CacheControl: Equatable, Sendable {
    /// How long a response is fresh, in seconds (RFC 9111 §5.2.2.1), or how old it may be (§5.2.1.1).
    public internal(set) var maxAge: Int64?
    /// How long a response is fresh in a shared cache, in seconds (RFC 9111 §5.2.2.10).
    public internal(set) var sharedMaxAge: Int64?
    /// How much longer than its age a response must stay fresh, in seconds (RFC 9111 §5.2.1.3).
    public internal(set) var minFresh: Int64?
    /// How stale a response a client takes (RFC 9111 §5.2.1.2): nil for not at all, the greatest number for any.
    public internal(set) var maxStale: Int64?
    /// How long a response may be served stale while it is validated, in seconds (RFC 5861 §3).
    public internal(set) var staleWhileRevalidate: Int64?
    /// How long a response may be served stale where the origin fails, in seconds (RFC 5861 §4).
    public internal(set) var staleIfError: Int64?
    /// The fields that may not be served without validation, in lower case (RFC 9111 §5.2.2.4).
    public internal(set) var noCacheFields: [String] = []
    /// The fields that a shared cache may not store, in lower case (RFC 9111 §5.2.2.7).
    public internal(set) var privateFields: [String] = []
    var flags: Flags = []

    struct Flags: OptionSet, Equatable, Sendable {
        let rawValue: UInt16
        static let noCache = Flags(rawValue: 1)
        static let noStore = Flags(rawValue: 1 << 1)
        static let isPrivate = Flags(rawValue: 1 << 2)
        static let isPublic = Flags(rawValue: 1 << 3)
        static let mustRevalidate = Flags(rawValue: 1 << 4)
        static let proxyRevalidate = Flags(rawValue: 1 << 5)
        static let mustUnderstand = Flags(rawValue: 1 << 6)
        static let immutable = Flags(rawValue: 1 << 7)
        static let onlyIfCached = Flags(rawValue: 1 << 8)
    }

    /// Creates an empty set of directives.
    init() {}

    /// Reads the directives of a message's fields.
    public init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl { read(field) }
    }

    /// Reads directives from the values of a field's lines.
    public init(values: [String]) {
        for var value in values { value.withUTF8 { read($0) } }
    }

    /// Whether a stored response must be validated before each use (RFC 9111 §5.2.2.4); not where fields are named.
    public var isNoCache: Bool { flags.contains(.noCache) }
    /// Whether nothing may be stored (RFC 9111 §5.2.2.5, in requests §5.2.1.5).
    public var isNoStore: Bool { flags.contains(.noStore) }
    /// Whether a shared cache may not store the response (RFC 9111 §5.2.2.7); not where fields are named.
    public var isPrivate: Bool { flags.contains(.isPrivate) }
    /// Whether the response may be stored where it otherwise might not (RFC 9111 §5.2.2.9).
    public var isPublic: Bool { flags.contains(.isPublic) }
    /// Whether a stale response must not be used without validation (RFC 9111 §5.2.2.2).
    public var mustRevalidate: Bool { flags.contains(.mustRevalidate) }
    /// The same for shared caches (RFC 9111 §5.2.2.8).
    public var proxyRevalidate: Bool { flags.contains(.proxyRevalidate) }
    /// Whether only a cache that knows the rules of the status may store the response (RFC 9111 §5.2.2.3).
    public var mustUnderstand: Bool { flags.contains(.mustUnderstand) }
    /// Whether the response won't change while it is fresh (RFC 8246 §2).
    public var isImmutable: Bool { flags.contains(.immutable) }
    /// Whether only a stored response is wanted (RFC 9111 §5.2.1.7).
    public var isOnlyIfCached: Bool { flags.contains(.onlyIfCached) }
}
