public import HTTPTypes

/// The rules of a cache.
public struct CachingRules: Sendable, Equatable {
    /// The permission to contact the origin.
    public enum Connectivity: Sendable, Equatable {
        /// The origin may be contacted.
        case online
        /// The origin must not be contacted: requests are answered from the cache or not at all.
        case offline(OfflinePolicy)
    }

    /// The users that responses are stored for.
    public var sharing: Freshness.Sharing
    /// The fields that replace Cache-Control for this cache, in order of precedence, for example CDN-Cache-Control (RFC
    /// 9213 §2.2).
    public var targets: [HTTPField.Name]
    /// The permission to contact the origin.
    public var connectivity: Connectivity
    /// The seconds past its freshness for which a packaged response may be served when the origin fails.
    ///
    /// This is the operator's setting and goes beyond RFC 9111 §4.2.4: within these seconds it overrides even the
    /// origin's prohibitions, and Cache-Status says so. With 0, only what the standard allows for any stored response
    /// applies.
    public var packageStaleSeconds: Int64
    /// The seconds for which a stored success or redirect is fresh, whatever its fields say; nil for what they say.
    ///
    /// This is the program's decision and goes beyond RFC 9111 §4.2.1. It doesn't store what the origin forbids to
    /// store.
    public var assignedLifetime: Int64?
    /// The seconds for which a stored success or redirect is fresh if its fields state no lifetime; nil for an estimate
    /// (RFC 9111 §4.2.2).
    public var defaultLifetime: Int64?
    /// True if a success or redirect that states neither a lifetime nor a validator is stored, although it is never
    /// fresh.
    ///
    /// It then serves while the origin can't be reached, and those who accept any age. For redirects other than 301 and
    /// 308, this is the program's decision and goes beyond RFC 9111 §3. Counts only if ``sharing`` is `isPrivate`.
    /// Streams of events aren't stored.
    public var storesWithoutLifetime = false

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - sharing: The users that responses are stored for.
    ///   - targets: The fields that replace Cache-Control for this cache.
    ///   - connectivity: The permission to contact the origin.
    ///   - packageStaleSeconds: The seconds past its freshness for which a packaged response may be served when the
    ///     origin fails.
    public init(
        sharing: Freshness.Sharing = .shared,
        targets: [HTTPField.Name] = [],
        connectivity: Connectivity = .online,
        packageStaleSeconds: Int64 = 0
    ) {
        self.sharing = sharing
        self.targets = targets
        self.connectivity = connectivity
        self.packageStaleSeconds = packageStaleSeconds
    }
}

/// The policy for responses that can't be revalidated because the cache is offline.
public struct OfflinePolicy: Sendable, Equatable {
    /// The treatment of a response that is no longer fresh.
    public enum Expired: String, Sendable, CaseIterable {
        /// Serve it and mark it stale, unless the origin forbids that (RFC 9111 §4.2.4).
        case serve
        /// Refuse it with 504, unless the request's `max-stale` allows it.
        case refuse
        /// Serve it and mark it stale even if the origin forbids that, as AFCache's offline mode did.
        case always
    }

    /// The treatment of a response that is no longer fresh.
    public var expired: Expired

    /// Creates a policy.
    public init(expired: Expired = .serve) { self.expired = expired }
}
