internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes

/// A request's use of stored responses, if it differs from the standard.
struct Reuse: Sendable, Equatable {
    /// The stored responses that may answer.
    enum Choice: Sendable, Equatable {
        /// The responses that RFC 9111 allows.
        case standard
        /// None; the origin's answer replaces them.
        case none
        /// Those that the origin confirms.
        case validated
        /// Any, however old; if there is none, the origin is asked.
        case anyAge
        /// Any, however old; if there is none, the request fails.
        case anyAgeOrNone
    }

    var choice = Choice.standard
    /// True if a served response is then revalidated in the background, even if it is fresh.
    var validatesBehind = false
    /// True if the origin may be asked although the rules forbid it; if it fails, the rules apply again.
    var overridesOffline = false

    /// True if a stored response may be served when the origin fails.
    var toleratesFailure: Bool { overridesOffline || (choice != .none && choice != .validated) }
}

/// The decisions about requests: those of ``CacheDecision``, as changed by a request's ``Reuse``.
struct Decider: Sendable {
    private let rules: CachingRules
    private let now: @Sendable () -> Timestamp

    init(rules: CachingRules, now: @escaping @Sendable () -> Timestamp) {
        self.rules = rules
        self.now = now
    }

    /// Returns the rules for one request.
    func rules(for request: ResolverRequest) -> CachingRules {
        var rules = rules
        if request.reuse.overridesOffline { rules.connectivity = .online }
        rules.assignedLifetime = request.assignedLifetime ?? rules.assignedLifetime
        return rules
    }

    /// Decides what to do with a request.
    func decide(_ request: ResolverRequest, _ candidates: [StoredCandidate]) -> CacheAction {
        let stored = candidates.map(\.response)
        switch request.reuse.choice {
        case .standard:
            let action = decide(request.caching, stored, rules(for: request))
            guard request.reuse.validatesBehind, case .serve(let resolution, let index, nil) = action else {
                return action
            }
            return .serve(resolution, stored: index, behind: validation(request, stored))
        case .none: return bypass(request, stored)
        case .validated: return validation(request, stored).map { .forward($0) } ?? bypass(request, stored)
        case .anyAge: return anyAge(request, stored, isExact: true) ?? bypass(request, stored)
        case .anyAgeOrNone:
            return anyAge(request, stored, isExact: false) ?? decide(request.caching, [], disconnected)
        }
    }

    /// Decides what to do with a request whose origin has failed.
    func fail(
        _ failure: OriginFailure,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate]
    ) -> CacheAction {
        let stored = candidates.map(\.response)
        if request.reuse.overridesOffline { return decide(request.caching, stored, rules) }
        return CacheDecision.fail(
            failure,
            request: request.caching,
            forwarding: forwarding,
            stored: request.reuse.toleratesFailure ? stored : [],
            now: now(),
            rules: rules
        )
    }

    private func decide(_ request: CacheRequest, _ stored: [StoredResponse], _ rules: CachingRules) -> CacheAction {
        CacheDecision.decide(request, stored: stored, now: now(), rules: rules)
    }

    /// Decides as if nothing were stored.
    private func bypass(_ request: ResolverRequest, _ stored: [StoredResponse]) -> CacheAction {
        let action = decide(request.caching, [], rules(for: request))
        guard case .forward(var forwarding) = action else { return action }
        if !stored.isEmpty { forwarding.reason = .request }
        // A response already on its way for other clients may be older than this request.
        if request.reuse.choice == .none { forwarding.isCollapsible = false }
        return .forward(forwarding)
    }

    /// Returns the request that revalidates the stored responses (RFC 9111 §5.2.1.4); nil if none may be sent, or
    /// nothing is stored.
    private func validation(_ request: ResolverRequest, _ stored: [StoredResponse]) -> Forwarding? {
        guard !stored.isEmpty else { return nil }
        var asking = request.caching
        asking.fields[.cacheControl] = "no-cache"
        guard case .forward(var forwarding) = decide(asking, stored, rules(for: request)) else { return nil }
        forwarding.isCollapsible = false
        return forwarding
    }

    private var disconnected: CachingRules {
        var rules = rules
        rules.connectivity = .offline(OfflinePolicy(expired: .always))
        return rules
    }

    /// Answers from stored responses however old they are, unless they were invalidated.
    ///
    /// `isExact` excludes errors, and responses for other request fields, because the origin can still be asked.
    private func anyAge(_ request: ResolverRequest, _ stored: [StoredResponse], isExact: Bool) -> CacheAction? {
        let indices = stored.indices.filter { index in
            let response = stored[index]
            guard !response.isInvalidated else { return false }
            return !isExact || (response.status < 500 && response.matchesVary(of: request.fields))
        }
        let action = decide(request.caching, indices.map { stored[$0] }, disconnected)
        guard case .serve(let resolution, let index, _) = action else { return nil }
        let behind = request.reuse.validatesBehind ? validation(request, stored) : nil
        // The detail would say that there is no connection, but here the response's age was ignored on purpose.
        let answer = resolution.cacheStatus.detail == nil ? resolution : resolution.with(detail: "any-age")
        return .serve(answer, stored: indices[index], behind: behind)
    }
}
