public import AFCHTTP
internal import HTTPTypes

/// The decision of a cache that may not contact the origin, and so always answers by itself.
public struct OfflineDecision: Sendable {
    /// The answer.
    public var resolution: Resolution
    /// The index of the stored response that the answer is made from; nil for a refusal.
    public var stored: Int?

    /// Decides the answer to a request, as RFC 9111 allows a disconnected cache to.
    ///
    /// - Parameters:
    ///   - request: The request; methods other than GET and HEAD are refused.
    ///   - stored: The responses stored for its URI.
    ///   - now: The time at which freshness is judged.
    ///   - policy: The policy for responses that are no longer fresh.
    ///   - rules: The other rules of the cache.
    /// - Returns: The decision.
    public static func decide(
        _ request: CacheRequest,
        stored: [StoredResponse],
        now: Timestamp,
        policy: OfflinePolicy,
        rules: CachingRules = CachingRules()
    ) -> OfflineDecision {
        guard request.method == .get || request.method == .head else {
            return OfflineDecision(resolution: CacheRefusal.methodNotAllowed)
        }
        let head = RequestHead(request)
        let candidates = Candidates(stored, request, head, now: now, rules: rules, worst: .mismatched)
        guard let candidate = candidates.best else {
            return refusal(.missing, nil, detail: "offline-miss")
        }
        // A package's response is for everyone; a response received for other fields doesn't match (RFC 9111 §4.1).
        guard candidate.match != .mismatched || candidate.response.source == .package else {
            return refusal(.missing, nil, detail: "offline-vary-miss")
        }
        let freshness = candidate.freshness
        if let refusal = clientRefusal(freshness, head.control) { return refusal }
        if !candidate.isUsable, let refusal = originRefusal(candidate, head.control, policy) { return refusal }
        var status = CacheStatus(isHit: true, ttl: freshness.ttl)
        if !candidate.isUsable { status.detail = forbids(candidate) ? "origin-overruled" : "offline" }
        if candidate.match == .mismatched {
            status.detail = status.detail.map { $0 + "+vary-ignored" } ?? "vary-ignored"
        }
        let answer = Answer.make(candidate, request, head, status: status)
        return OfflineDecision(resolution: answer, stored: candidate.index)
    }

    /// Refuses a response that doesn't meet the client's demands, which precede the policy (RFC 9111 §5.2.1.2 and
    /// §5.2.1.3).
    private static func clientRefusal(_ freshness: Freshness, _ control: CacheControl) -> OfflineDecision? {
        let isTooSoonStale = control.minFresh.map { freshness.ttl < $0 } ?? false
        let isTooStale = control.maxStale.map { !freshness.isFresh && freshness.staleness > $0 } ?? false
        guard isTooSoonStale || isTooStale else { return nil }
        return refusal(.expiredRefused, freshness, detail: "client-freshness")
    }

    private static func originRefusal(
        _ candidate: Candidate,
        _ control: CacheControl,
        _ policy: OfflinePolicy
    ) -> OfflineDecision? {
        let freshness = candidate.freshness
        if policy.expired == .always { return nil }
        if forbids(candidate) {
            return refusal(.originForbidsStale, freshness, detail: "origin-forbids-stale")
        }
        guard policy.expired == .refuse else { return nil }
        if let allowed = control.maxStale, freshness.staleness <= allowed { return nil }
        return refusal(.expiredRefused, freshness, detail: "expired-refused")
    }

    /// Returns true if the response may not be served stale (RFC 9111 §4.2.4); an old error isn't served in place of a
    /// new one.
    private static func forbids(_ candidate: Candidate) -> Bool {
        candidate.freshness.forbidsStale || candidate.freshness.needsValidation || candidate.response.status >= 500
    }

    private static func refusal(_ verdict: Resolution.Verdict, _ freshness: Freshness?, detail: String)
        -> OfflineDecision
    {
        let status = CacheStatus(isHit: false, ttl: freshness?.ttl, detail: detail)
        var resolution = CacheRefusal.gatewayTimeout(verdict, status)
        resolution.freshness = freshness
        return OfflineDecision(resolution: resolution)
    }
}
