public import AFCHTTP
internal import HTTPTypes

/// The decisions of an HTTP cache (RFC 9111): pure functions of a request, the responses stored for its URI, the time
/// and the rules.
///
/// The caller first calls ``decide(_:stored:now:rules:)``. If the action is to forward, it then calls either
/// ``receive(_:to:forwarding:stored:requested:received:rules:)`` with the head of the final answer, or
/// ``fail(_:request:forwarding:stored:now:rules:)`` if there is none. The stored responses of one URI must have the
/// same order in each call, since indices refer to them.
public enum CacheDecision {
    /// Decides what to do with a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: The responses stored for its URI.
    ///   - now: The time.
    ///   - rules: The rules of the cache.
    /// - Returns: The action; offline, it is never to forward.
    public static func decide(
        _ request: CacheRequest,
        stored: [StoredResponse],
        now: Timestamp,
        rules: CachingRules
    ) -> CacheAction {
        if case .offline(let policy) = rules.connectivity {
            let outcome = OfflineDecision.decide(request, stored: stored, now: now, policy: policy, rules: rules)
            guard let index = outcome.stored else { return .refuse(outcome.resolution) }
            return .serve(outcome.resolution, stored: index, behind: nil)
        }
        guard request.method == .get || request.method == .head else {
            return .forward(Forwarding(fields: request.fields.withoutConnectionFields, reason: .method))
        }
        let head = RequestHead(request)
        let candidates = Candidates(stored, request, head, now: now, rules: rules, worst: .unknown)
        // RFC 9110 §13.2.1: conditions that only an origin can evaluate are forwarded.
        guard let candidate = candidates.best, !head.hasOriginConditions else {
            let reason: CacheStatus.Forward = candidates.best == nil ? candidates.missReason : .request
            return forward(.unconditional(request, head, reason), head)
        }
        guard candidate.match == .matched else {
            return forward(.validating(candidate, request, head, .varyMiss), head)
        }
        guard candidate.isUsable, !candidate.isFromFuture else { return decideStale(candidate, request, head) }
        guard isEnough(candidate.freshness, head.control, isImmutable: candidate.head.control.isImmutable) else {
            return forward(.validating(candidate, request, head, .request), head)
        }
        return serve(candidate, request, head)
    }

    /// Decides on a stale response (RFC 9111 §4.2.4, RFC 5861 §3).
    private static func decideStale(
        _ candidate: Candidate,
        _ request: CacheRequest,
        _ head: RequestHead
    ) -> CacheAction {
        let freshness = candidate.freshness
        let isAllowed =
            !freshness.forbidsStale && !freshness.needsValidation && !candidate.isFromFuture
            && candidate.response.status < 500
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

    /// Returns true if a fresh response meets the client's demands (RFC 9111 §5.2.1).
    ///
    /// Reloads send `max-age=0`, so an immutable response is served nevertheless (RFC 8246 §2).
    private static func isEnough(_ freshness: Freshness, _ control: CacheControl, isImmutable: Bool) -> Bool {
        if control.isNoCache { return false }
        if let seconds = control.minFresh, freshness.ttl < seconds { return false }
        guard let seconds = control.maxAge else { return true }
        if seconds == 0 { return isImmutable }
        return freshness.age <= seconds
    }

    /// Returns true if a stale response that may otherwise be served meets the client's demands.
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

    /// Forwards the request, unless the client forbids it (RFC 9111 §5.2.1.7).
    private static func forward(_ forwarding: Forwarding, _ head: RequestHead) -> CacheAction {
        guard head.control.isOnlyIfCached else { return .forward(forwarding) }
        let status = CacheStatus(isHit: false, detail: "only-if-cached")
        return .refuse(CacheRefusal.gatewayTimeout(.missing, status))
    }
}

extension CacheDecision {
    /// Decides what to do if the origin gave no answer.
    ///
    /// - Parameters:
    ///   - failure: The kind of failure.
    ///   - request: The client's request.
    ///   - forwarding: The request that was sent, or was to be sent.
    ///   - stored: The stored responses.
    ///   - now: The time.
    ///   - rules: The rules of the cache.
    /// - Returns: A stored response if one may be served, else a refusal; never to forward.
    public static func fail(
        _ failure: OriginFailure,
        request: CacheRequest,
        forwarding: Forwarding,
        stored: [StoredResponse],
        now: Timestamp,
        rules: CachingRules
    ) -> CacheAction {
        if let action = FailureRules.answer(.failure(failure), request, forwarding, stored, now, rules) {
            return action
        }
        var status = CacheStatus(forward: forwarding.reason)
        switch failure {
        case .unreachable:
            status.detail = "origin-unreachable"
            return .refuse(CacheRefusal.gatewayTimeout(.missing, status))
        case .timedOut:
            status.detail = "origin-timeout"
            return .refuse(CacheRefusal.gatewayTimeout(.missing, status))
        case .malformed:
            status.detail = "origin-malformed"
            return .refuse(CacheRefusal.badGateway(status))
        case .busy:
            status.detail = "too-many-requests"
            return .refuse(CacheRefusal.serviceUnavailable(status))
        }
    }
}

/// The rules for serving a stored response when the origin fails (RFC 9111 §4.2.4, §4.3.3; RFC 5861 §4).
enum FailureRules {
    enum Cause: Equatable {
        /// There was no answer.
        case failure(OriginFailure)
        /// The answer was an error: 500, 502, 503 or 504.
        case status(Int)
    }

    /// Returns the status if it is one of the errors that stale-if-error covers (RFC 5861 §4).
    static func serverFailure(_ status: Int) -> Int? { [500, 502, 503, 504].contains(status) ? status : nil }

    /// Returns the stored response to serve, or nil.
    static func answer(
        _ cause: Cause,
        _ request: CacheRequest,
        _ forwarding: Forwarding,
        _ stored: [StoredResponse],
        _ now: Timestamp,
        _ rules: CachingRules
    ) -> CacheAction? {
        guard request.method == .get || request.method == .head else { return nil }
        let head = RequestHead(request)
        let candidates = Candidates(stored, request, head, now: now, rules: rules, worst: .unknown)
        guard !head.hasOriginConditions, let candidate = candidates.best else { return nil }
        // A package often doesn't record the request fields that a response depends on; serving it is still better than
        // an error.
        guard candidate.match == .matched || candidate.response.source == .package else { return nil }
        guard let permission = permission(candidate, head.control, cause, rules) else { return nil }
        var status = CacheStatus(forward: forwarding.reason, detail: permission)
        if case .status(let code) = cause { status.forwardStatus = code }
        status.ttl = candidate.freshness.ttl
        let answer = Answer.make(candidate, request, head, status: status)
        return .serve(answer, stored: candidate.index, behind: nil)
    }

    /// Returns the reason that the response may be served, or nil if it may not.
    private static func permission(
        _ candidate: Candidate,
        _ request: CacheControl,
        _ cause: Cause,
        _ rules: CachingRules
    ) -> String? {
        let freshness = candidate.freshness
        let control = candidate.head.control
        let isGenericallyAllowed = cause != .status(500)
        if candidate.isUsable { return isGenericallyAllowed ? "origin-failed" : nil }
        // An old error is never served in place of a new one.
        guard candidate.response.status < 500 else { return nil }
        if let allowed = request.maxStale, freshness.staleness > allowed { return nil }
        let isForbidden = freshness.forbidsStale || freshness.needsValidation
        if candidate.response.source == .package, rules.packageStaleSeconds > 0,
            freshness.staleness <= rules.packageStaleSeconds
        {
            return isForbidden ? "origin-overruled" : "stale-package"
        }
        if isForbidden { return nil }
        // RFC 5861 §4: the larger of the response's and the request's limits applies.
        let window = max(control.staleIfError ?? -1, request.staleIfError ?? -1)
        if window >= 0, freshness.staleness <= window { return "stale-if-error" }
        // If the origin states a limit, it isn't exceeded.
        guard isGenericallyAllowed, control.staleIfError == nil else { return nil }
        return "origin-failed"
    }
}

extension CacheDecision {
    /// Decides what to do with the head of the origin's final answer.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - request: The client's request.
    ///   - forwarding: The request that was sent.
    ///   - stored: The responses that were stored when it was sent.
    ///   - requested: The time it was sent.
    ///   - received: The time the head was received.
    ///   - rules: The rules of the cache.
    /// - Returns: The client's answer, and the changes in the cache.
    public static func receive(
        _ response: OriginResponse,
        to request: CacheRequest,
        forwarding: Forwarding,
        stored: [StoredResponse],
        requested: Timestamp,
        received: Timestamp,
        rules: CachingRules
    ) -> Reception {
        let exchange = AnsweredRequest(
            request: request,
            head: RequestHead(request),
            forwarding: forwarding,
            response: response,
            requested: requested,
            received: received,
            rules: rules
        )
        if response.status.code == 304, let index = forwarding.validating, stored.indices.contains(index) {
            return exchange.notModified(index, stored)
        }
        if let code = FailureRules.serverFailure(response.status.code),
            let action = FailureRules.answer(.status(code), exchange.request, forwarding, stored, received, rules),
            case .serve(let answer, let index, _) = action
        {
            return Reception(outcome: .serveStale(answer, stored: index))
        }
        if request.method == .head, response.status.code == 200, let reception = exchange.head(stored) {
            return reception
        }
        return exchange.answered(stored)
    }
}
