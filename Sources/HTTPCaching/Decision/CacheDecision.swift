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
        .forward(Forwarding(fields: request.fields.withoutConnectionFields, reason: .uriMiss))
    }

    /// Decides what to do with the head of the origin's final answer.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - request: The client's request.
    ///   - forwarding: What was sent.
    ///   - stored: What was stored when it was sent.
    ///   - requested: When it was sent.
    ///   - received: When the head was received.
    ///   - rules: How the cache is set up.
    /// - Returns: What the client gets, and what changes in the store.
    public static func receive(
        _ response: OriginResponse,
        to request: CacheRequest,
        forwarding: Forwarding,
        stored: [StoredResponse],
        requested: Timestamp,
        received: Timestamp,
        rules: CachingRules
    ) -> Reception {
        Reception(outcome: .pass(fields: response.fields.withoutConnectionFields, storing: nil, replacing: []))
    }

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
        .forward(forwarding)
    }
}
