public import AFCCaching
public import AFCHTTP

/// Stored responses that answer requests without a network: those of a cache, or of mounted packages.
public protocol OfflineAnswering: Sendable {
    /// Answers a request for a URL for which a response is stored.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time for which freshness is determined.
    ///   - policy: The rules for responses that are no longer fresh.
    /// - Returns: The answer, which may be a refusal.
    /// - Throws: ``CacheError`` if the index or the body can't be read.
    func respond(to request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) throws(CacheError) -> CacheAnswer

    /// Answers a request as ``respond(to:now:policy:)`` does, but only if that takes no wait for a disk.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time for which freshness is determined.
    ///   - policy: The rules for responses that are no longer fresh.
    /// - Returns: The answer, whose body may still have to be read from the disk; nil if answering would wait or fails.
    func respondAtOnce(to request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) -> CacheAnswer?

    /// Answers a request for a URL for which nothing is stored with a packaged response whose query differs, or, for a
    /// navigation, with a redirect to the page whose path differs only in a slash, or with a package's fallback.
    ///
    /// Call it only if ``respond(to:now:policy:)`` has found nothing: it doesn't look up the URL itself.
    /// docs/matching.md has the rules.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time for which freshness is determined.
    ///   - policy: The rules for responses that are no longer fresh.
    ///   - matching: The differences to the request that the response may have.
    /// - Returns: The answer, which may be a refusal; nil if no stored URL fits, or more than one.
    /// - Throws: ``CacheError`` if the index or the body can't be read.
    func matched(
        _ request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        matching: QueryMatching
    ) throws(CacheError) -> CacheAnswer?
}

extension OfflineAnswering {
    /// Answers a request, if need be with a response that only matches it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time for which freshness is determined.
    ///   - policy: The rules for responses that are no longer fresh.
    ///   - matching: The differences to the request that a response may have if nothing is stored for the URL.
    /// - Returns: The answer, which may be a refusal.
    /// - Throws: ``CacheError`` if the index or the body can't be read.
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        matching: QueryMatching
    ) throws(CacheError) -> CacheAnswer {
        let answer = try respond(to: request, now: now, policy: policy)
        guard answer.isUnknown, matching != .exact else { return answer }
        return try matched(request, now: now, policy: policy, matching: matching) ?? answer
    }
}
