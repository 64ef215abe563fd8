public import AFCHTTP
internal import HTTPTypes

/// The decisions of an HTTP cache (RFC 9111): pure functions of a request, what is stored for its URI, the time and the rules.
///
/// The caller performs them in this order: ``decide(_:stored:now:rules:)``; where the action is to forward, either
/// ``receive(_:to:forwarding:stored:requested:received:rules:)`` with the head of the final answer, or
/// ``fail(_:request:forwarding:stored:now:rules:)`` where none came. The stored responses of one URI are given in the same order
/// each time, since indices refer to them.
public enum CacheDecision {
    /// Decides what to do with a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: What is stored for its URI.
    ///   - now: The time.
    ///   - rules: How the cache is set up.
    /// - Returns: The action; offline never a forwarding.
    public static func decide(
        _ request: CacheRequest,
        stored: [StoredResponse],
        now: Timestamp,
        rules: CachingRules
    ) -> CacheAction {
        if case .offline(let policy) = rules.connectivity {
            let outcome = OfflineDecision.decide(request, stored: stored, now: now, rules: rules, policy: policy)
            guard let index = outcome.stored else { return .refuse(outcome.resolution) }
            return .serve(outcome.resolution, stored: index, behind: nil)
        }
        guard request.method == .get || request.method == .head else {
            return .forward(Forwarding(fields: request.fields.withoutConnectionFields, reason: .method))
        }
        let head = RequestHead(request)
        let candidates = Candidates(stored, request, head, now: now, rules: rules, worst: .unknown)
        // RFC 9110 §13.2.1: conditions that only an origin evaluates go there.
        guard let candidate = candidates.best, !head.hasOriginConditions else {
            let reason: CacheStatus.Forward = candidates.best == nil ? candidates.missReason : .request
            return forward(.unconditional(request, head, reason), head)
        }
        guard candidate.match == .matched else {
            return forward(.validating(candidate, request, head, .varyMiss), head)
        }
        guard candidate.isUsable else { return decideStale(candidate, request, head) }
        guard isEnough(candidate.freshness, head.control, isImmutable: candidate.head.control.isImmutable) else {
            return forward(.validating(candidate, request, head, .request), head)
        }
        return serve(candidate, request, head)
    }

    /// RFC 9111 §4.2.4, RFC 5861 §3.
    private static func decideStale(
        _ candidate: Candidate,
        _ request: CacheRequest,
        _ head: RequestHead
    ) -> CacheAction {
        let freshness = candidate.freshness
        let isAllowed = !freshness.forbidsStale && !freshness.needsValidation && candidate.response.status < 500
        if isAllowed, isStaleEnough(freshness, head.control) {
            if let allowed = head.control.maxStale, freshness.staleness <= allowed {
                return serve(candidate, request, head, detail: "max-stale")
            }
            if head.control.maxStale == nil, let window = candidate.head.control.staleWhileRevalidate,
                freshness.lifetime != nil, freshness.staleness <= window
            {
                return serve(
                    candidate,
                    request,
                    head,
                    detail: "stale-while-revalidate",
                    behind: .behind(candidate, request, head)
                )
            }
        }
        return forward(.validating(candidate, request, head, .stale), head)
    }

    /// What the client demands of a fresh response (RFC 9111 §5.2.1).
    ///
    /// `max-age=0` is what a reload sends, so a response that won't change is served nevertheless (RFC 8246 §2).
    private static func isEnough(_ freshness: Freshness, _ control: CacheControl, isImmutable: Bool) -> Bool {
        if control.isNoCache { return false }
        if let seconds = control.minFresh, freshness.ttl < seconds { return false }
        guard let seconds = control.maxAge else { return true }
        if seconds == 0 { return isImmutable }
        return freshness.age <= seconds
    }

    /// What the client demands of a stale response that otherwise may be served.
    private static func isStaleEnough(_ freshness: Freshness, _ control: CacheControl) -> Bool {
        if control.isNoCache || control.minFresh != nil { return false }
        guard let seconds = control.maxAge else { return true }
        return seconds > 0 && freshness.age <= seconds
    }

    private static func serve(
        _ candidate: Candidate,
        _ request: CacheRequest,
        _ head: RequestHead,
        detail: String? = nil,
        behind: Forwarding? = nil
    ) -> CacheAction {
        let status = CacheStatus(isHit: true, ttl: candidate.freshness.ttl, detail: detail)
        let answer = Answer.make(candidate, request, head, status: status)
        return .serve(answer, stored: candidate.index, behind: behind)
    }

    /// Asks the origin, unless the client doesn't want that (RFC 9111 §5.2.1.7).
    private static func forward(_ forwarding: Forwarding, _ head: RequestHead) -> CacheAction {
        guard head.control.isOnlyIfCached else { return .forward(forwarding) }
        let status = CacheStatus(isHit: false, detail: "only-if-cached")
        return .refuse(CacheRefusal.gatewayTimeout(.missing, status))
    }
}
