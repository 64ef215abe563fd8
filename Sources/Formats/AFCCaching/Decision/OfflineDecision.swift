public import AFCHTTP
internal import HTTPTypes

/// What a cache decides that may not ask the origin: it always answers by itself.
public struct OfflineDecision: Sendable {
    /// The answer.
    public var resolution: Resolution
    /// The index of the stored response that it is made of; nil for a refusal.
    public var stored: Int?

    /// Decides the answer to a request, as RFC 9111 lets a disconnected cache do.
    ///
    /// - Parameters:
    ///   - request: The request; other methods than GET and HEAD are refused.
    ///   - stored: What is stored for its URI.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    ///   - rules: How the cache is set up besides.
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
        // What a package has is for everybody; a response that was received for other fields is another one (RFC 9111 §4.1).
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

    /// What the client demands goes before the policy (RFC 9111 §5.2.1.2 and §5.2.1.3).
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

    /// RFC 9111 §4.2.4; an old error isn't served in place of a new one.
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
