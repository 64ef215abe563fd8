public import AFCHTTP
public import HTTPTypes

/// Answers a request from the store alone, as RFC 9111 lets a disconnected cache do.
///
/// It is ``CacheDecision/decide(_:stored:now:rules:)`` without connection, for one stored response.
public enum OfflineResolver {
    /// Decides the answer to a request.
    ///
    /// - Parameters:
    ///   - method: The request's method; all but GET and HEAD are refused.
    ///   - request: The request's fields.
    ///   - stored: What the store has for the URL, or nil.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    /// - Returns: The head of the answer, and which bytes follow.
    public static func resolve(
        method: HTTPRequest.Method,
        request: HTTPFields,
        stored: StoredResponse?,
        now: Timestamp,
        policy: OfflinePolicy
    ) -> Resolution {
        OfflineDecision.decide(
            CacheRequest(method: method, fields: request),
            stored: stored.map { [$0] } ?? [],
            now: now,
            rules: CachingRules(connectivity: .offline(policy)),
            policy: policy
        ).resolution
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
