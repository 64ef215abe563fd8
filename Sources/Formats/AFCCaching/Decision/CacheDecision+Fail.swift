public import AFCHTTP
internal import HTTPTypes

extension CacheDecision {
    /// Decides what to do where the origin gave no answer.
    ///
    /// - Parameters:
    ///   - failure: How it failed.
    ///   - request: The client's request.
    ///   - forwarding: What was sent, or was to be sent.
    ///   - stored: What is stored.
    ///   - now: The time.
    ///   - rules: How the cache is set up.
    /// - Returns: A stored response where one may be served, else a refusal; never a forwarding.
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
        }
    }
}

/// When a stored response may stand in for an origin that fails (RFC 9111 §4.2.4, §4.3.3; RFC 5861 §4).
enum FailureRules {
    enum Cause: Equatable {
        /// No answer came.
        case failure(OriginFailure)
        /// An error came: 500, 502, 503 or 504.
        case status(Int)
    }

    /// The status, where it is one of the errors for which stale-if-error is (RFC 5861 §4).
    static func serverFailure(_ status: Int) -> Int? { [500, 502, 503, 504].contains(status) ? status : nil }

    /// The stored response that is served, or nil.
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
        // Which request fields a package's response depends on is often not known; then it is right more often than an error is.
        guard candidate.match == .matched || candidate.response.source == .package else { return nil }
        guard let permission = permission(candidate, head.control, cause, rules) else { return nil }
        var status = CacheStatus(forward: forwarding.reason, detail: permission)
        if case .status(let code) = cause { status.forwardStatus = code }
        status.ttl = candidate.freshness.ttl
        let answer = Answer.make(candidate, request, head, status: status)
        return .serve(answer, stored: candidate.index, behind: nil)
    }

    /// Why the response may be served, or nil where it may not.
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
        // RFC 5861 §4: the window of the response, or the one of the request.
        let window = max(control.staleIfError ?? -1, request.staleIfError ?? -1)
        if window >= 0, freshness.staleness <= window { return "stale-if-error" }
        // An origin that says how long doesn't mean longer.
        guard isGenericallyAllowed, control.staleIfError == nil else { return nil }
        return "origin-failed"
    }
}
