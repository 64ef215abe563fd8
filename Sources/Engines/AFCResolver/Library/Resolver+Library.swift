public import AFCCache
internal import AFCCaching
public import AFCHTTP
internal import HTTPTypes

extension Resolver.Configuration {
    /// How a program's own cache works: for one user (RFC 9111 §3), and not as an intermediary that puts itself into Via.
    ///
    /// - Parameter now: The clock.
    /// - Returns: The configuration.
    public static func library(now: @escaping @Sendable () -> Timestamp) -> Resolver.Configuration {
        var configuration = Resolver.Configuration(now: now)
        configuration.rules.sharing = .isPrivate
        configuration.pseudonym = nil
        return configuration
    }
}

extension Resolver {
    /// Answers a request of the program that this is part of.
    ///
    /// The task's cancellation ends the request, and the transfer too where nobody else waits for it. See docs/library.md.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - policy: What is taken of what is stored.
    ///   - options: What is wanted besides.
    ///   - priority: Which of several requests goes first where a ``QueuedTransport`` makes them wait.
    ///   - progress: Told of the body's bytes as they are read; nil for nobody.
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: ``CacheError`` where the store can't be read or, for `invalidate`, changed; `CancellationError` where the
    ///   task is cancelled.
    public func response(
        for request: ResolverRequest,
        policy: ResourcePolicy = .useProtocolCachePolicy,
        options: ResourceOptions = [],
        priority: RequestPriority = .normal,
        progress: (@Sendable (ResourceProgress) -> Void)? = nil
    ) async throws -> ResolverResponse {
        let request = prepared(request, policy, options, priority)
        if options.contains(.invalidate) {
            try await invalidate(request)
        }
        let response = try await respond(to: request)
        return progress.map { response.reporting(to: $0) } ?? response
    }

    /// Answers a request from the store at once, and again where the origin's answer is another one.
    ///
    /// The second answer is asked for when the sequence is asked for it. It is left out where the origin confirms the first one
    /// (304, or the same status and strong entity tag), where it can't be reached, and where the first answer came from it.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - policy: What is taken of what is stored; `returnCacheDataDontLoad` and those that reload give one answer.
    ///   - options: What is wanted besides; `returnThenRevalidate` is implied.
    ///   - priority: Which of several requests goes first where a ``QueuedTransport`` makes them wait.
    ///   - progress: Told of the bytes of each body as they are read; nil for nobody.
    /// - Returns: One answer or two.
    public func responses(
        for request: ResolverRequest,
        policy: ResourcePolicy = .useProtocolCachePolicy,
        options: ResourceOptions = [],
        priority: RequestPriority = .normal,
        progress: (@Sendable (ResourceProgress) -> Void)? = nil
    ) -> ResourceResponses {
        ResourceResponses { [self] step in
            var options = options.union(.returnThenRevalidate)
            let validates = Reuse(policy, options, isOffline: isOffline).validatesBehind
            switch step {
            case .first:
                // Validated by the second step, not behind.
                if validates { options.formUnion(.neverRevalidate) }
                let response = try await self.response(
                    for: request,
                    policy: policy,
                    options: options,
                    priority: priority,
                    progress: progress
                )
                return (response, validates && [.hit, .stale].contains(response.source))
            case .second:
                let response = try await self.response(
                    for: request,
                    policy: .reloadRevalidatingCacheData,
                    options: options.subtracting([.invalidate, .returnThenRevalidate, .neverRevalidate]),
                    priority: priority,
                    progress: progress
                )
                return (response, false)
            }
        }
    }

    private func prepared(
        _ request: ResolverRequest,
        _ policy: ResourcePolicy,
        _ options: ResourceOptions,
        _ priority: RequestPriority
    ) -> ResolverRequest {
        var request = request
        request.priority = priority
        request.reuse = Reuse(policy, options, isOffline: isOffline)
        if options.contains(.headOnly) { request.method = .head }
        if policy == .reloadIgnoringLocalAndRemoteCacheData {
            request.fields[.cacheControl] = "no-cache"
            request.fields[.pragma] = "no-cache"
        }
        return request
    }
}

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
