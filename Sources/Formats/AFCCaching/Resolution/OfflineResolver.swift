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
