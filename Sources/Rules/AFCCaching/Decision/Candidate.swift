internal import AFCHTTP
internal import HTTPTypes

/// The stored response that is chosen for a request.
struct Candidate {
    /// Its index among the stored responses.
    var index: Int
    var response: StoredResponse
    var head: ResponseFacts
    var match: Vary.Match
    var freshness: Freshness
    /// True if it was received after the present time, because the clock was set back since, so that its age is unknown.
    ///
    /// The origin is then asked if it can be. Of a package, the clock of another machine states the time.
    var isFromFuture = false

    /// True if it may be served without contacting the origin.
    var isUsable: Bool { freshness.isFresh && !freshness.needsValidation }
    /// True if it is an error that can no longer be served.
    var isSpentError: Bool { response.status >= 500 && !isUsable }
}

/// The stored responses that could answer a request.
struct Candidates {
    /// The best of them, or nil if none is complete enough and matches the request's fields.
    var best: Candidate?
    /// The reason that there is none.
    var missReason: CacheStatus.Forward = .uriMiss

    /// Selects among stored responses (RFC 9111 §4.1): those that match are preferred to those for which that is
    /// unknown, then usable, complete and recent ones.
    ///
    /// - Parameters:
    ///   - stored: The responses stored for the URI.
    ///   - request: The request.
    ///   - head: The parsed fields of the request.
    ///   - now: The time.
    ///   - rules: The rules of the cache.
    ///   - worst: The worst match that is accepted.
    init(
        _ stored: [StoredResponse],
        _ request: CacheRequest,
        _ head: RequestHead,
        now: Timestamp,
        rules: CachingRules,
        worst: Vary.Match
    ) {
        for index in stored.indices {
            let response = stored[index]
            let facts = ResponseFacts(response.fields, received: response.received, targets: rules.targets)
            let match = Vary.match(response, vary: facts.vary, request: request.fields)
            guard Self.rank(match) >= Self.rank(worst) else {
                if missReason == .uriMiss { missReason = .varyMiss }
                continue
            }
            guard response.status != 206 || Self.covers(response, request, head) else {
                missReason = .partial
                continue
            }
            let candidate = Candidate(
                index: index,
                response: response,
                head: facts,
                match: match,
                freshness: Freshness(of: response, head: facts, at: now, sharing: rules.sharing),
                isFromFuture: response.source == .received && response.received > now
            )
            if let current = best, !Self.isBetter(candidate, than: current) { continue }
            best = candidate
        }
    }

    /// Returns true if a stored part has all bytes that a request asks for (RFC 9111 §3.3).
    private static func covers(_ response: StoredResponse, _ request: CacheRequest, _ head: RequestHead) -> Bool {
        guard let range = head.range, let part = StoredPart(response.fields) else { return false }
        return part.select(range, size: response.size) != nil
            && (!head.hasIfRange || Precondition.allowsRange(request.fields, against: response))
    }

    private static func isBetter(_ one: Candidate, than other: Candidate) -> Bool {
        if one.match != other.match { return rank(one.match) > rank(other.match) }
        let (isPart, isOtherPart) = (one.response.status == 206, other.response.status == 206)
        if isPart != isOtherPart {
            if one.isUsable != other.isUsable { return one.isUsable }
            return isOtherPart
        }
        if one.isSpentError != other.isSpentError { return other.isSpentError }
        if one.head.date != other.head.date { return one.head.date > other.head.date }
        return one.response.received > other.response.received
    }

    private static func rank(_ match: Vary.Match) -> Int {
        switch match {
        case .matched: 2
        case .unknown: 1
        case .mismatched: 0
        }
    }
}
