public import AFCCache
internal import AFCCaching
public import AFCHTTP

extension OfflineCache {
    /// Answers one request by a policy, from the store and, where that needs it, from the origin.
    ///
    /// A program that asks often keeps a ``Resolver``: its requests for the same resource wait for one answer.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - policy: What is taken of what is stored.
    ///   - options: What is wanted besides.
    ///   - transport: How the origin is asked.
    ///   - now: The clock.
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: ``CacheError`` where the store can't be read or, for `invalidate`, changed; `CancellationError` where the
    ///   task is cancelled.
    public func response(
        for request: ResolverRequest,
        policy: ResourcePolicy = .useProtocolCachePolicy,
        options: ResourceOptions = [],
        through transport: any OriginTransport,
        now: @escaping @Sendable () -> Timestamp
    ) async throws -> ResolverResponse {
        let resolver = Resolver(store: self, transport: transport, configuration: .library(now: now))
        return try await resolver.response(for: request, policy: policy, options: options)
    }
}
