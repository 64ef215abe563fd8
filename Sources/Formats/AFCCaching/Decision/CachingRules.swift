public import HTTPTypes

/// How a cache is set up.
public struct CachingRules: Sendable, Equatable {
    /// Whether the origin may be asked.
    public enum Connectivity: Sendable, Equatable {
        /// It may.
        case online
        /// It may not: the store answers, or nobody.
        case offline(OfflinePolicy)
    }

    /// For whom responses are stored.
    public var sharing: Freshness.Sharing
    /// The fields that replace Cache-Control for this cache, the first first, for example CDN-Cache-Control (RFC 9213 §2.2).
    public var targets: [HTTPField.Name]
    /// Whether the origin may be asked.
    public var connectivity: Connectivity
    /// For how many seconds past its freshness what came in a package is served where the origin fails.
    ///
    /// This is the operator's configuration and goes beyond RFC 9111 §4.2.4: within these seconds it overrules the origin's
    /// prohibitions, too, and Cache-Status says so. 0 leaves packages with what the standard allows for any stored response.
    public var packageStaleSeconds: Int64

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - sharing: For whom responses are stored.
    ///   - targets: The fields that replace Cache-Control for this cache.
    ///   - connectivity: Whether the origin may be asked.
    ///   - packageStaleSeconds: How long past its freshness what came in a package is served where the origin fails.
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

/// What is served when nobody can be asked whether it is still right.
public struct OfflinePolicy: Sendable, Equatable {
    /// What becomes of a response that is no longer fresh.
    public enum Expired: String, Sendable, CaseIterable {
        /// It is served and marked, unless the origin forbids that (RFC 9111 §4.2.4).
        case serve
        /// It is refused with 504, unless the request's `max-stale` allows it.
        case refuse
        /// It is served and marked, also where the origin forbids that, as AFCache's offline mode did.
        case always
    }

    /// What becomes of a response that is no longer fresh.
    public var expired: Expired

    /// Creates a policy.
    public init(expired: Expired = .serve) { self.expired = expired }
}
