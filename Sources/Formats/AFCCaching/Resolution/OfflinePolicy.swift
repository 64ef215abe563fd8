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
