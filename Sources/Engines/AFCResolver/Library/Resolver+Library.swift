public import AFCCache
internal import AFCCaching
public import AFCHTTP
internal import HTTPTypes

extension Resolver.Configuration {
    /// Returns the configuration for a program's own cache: private to one user (RFC 9111 §3), and not an intermediary
    /// in Via.
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
    /// Cancelling the task ends the request, and also the transfer if no other request waits for it. See
    /// docs/reference/library.md.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The use of stored responses.
    ///   - options: Further options.
    ///   - priority: The priority among requests that wait in a ``QueuedTransport``.
    ///   - progress: A closure called as bytes of the body are read; nil for none.
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: `CacheError` if the cache can't be read or, for `invalidate`, changed; `CancellationError` if the
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

    /// Answers a request from the cache at once, and again if the origin's answer differs.
    ///
    /// The origin is asked when the sequence is asked for its second element. There is no second answer if the origin
    /// confirms the first one (304, or the same status and strong entity tag), if it is unreachable, or if the first
    /// answer came from it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The use of stored responses; `returnCacheDataDontLoad` and the policies that reload give one answer.
    ///   - options: Further options; `returnThenRevalidate` is implied.
    ///   - priority: The priority among requests that wait in a ``QueuedTransport``.
    ///   - progress: A closure called as bytes of each body are read; nil for none.
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
                // Revalidated by the second step, not in the background.
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

    func prepared(
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

extension DiskCache {
    /// Answers one request by a policy, from the cache and, if needed, from the origin.
    ///
    /// A program with many requests should keep a ``Resolver``, so that equal requests share one response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The use of stored responses.
    ///   - options: Further options.
    ///   - transport: The transport for requests to origins.
    ///   - now: The clock.
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: `CacheError` if the cache can't be read or, for `invalidate`, changed; `CancellationError` if the
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
