public import AFCCache
public import AFCCaching
public import AFCHTTP
internal import AFCOrigin
internal import AFCText
public import AFCURL
public import HTTPTypes

/// An HTTP cache (RFC 9111) that answers requests from stored responses and, if needed and allowed, from origins.
///
/// `Decider` decides what to do, `ResolverStore` reads and changes what is stored, and `Forwarder` sends requests
/// to origins. See docs/developers/resolver.md.
public final class Resolver: Sendable {
    /// The settings of a resolver.
    public struct Configuration: Sendable {
        /// The rules for caching.
        public var rules = CachingRules()
        /// The differences to a request that a packaged response may have if nothing is stored for the URL and its
        /// origin can't be reached or asked.
        public var matching = QueryMatching.exact
        /// The first part of the name in Via fields (RFC 9110 §7.6.3), or nil to send none.
        ///
        /// A random part follows, by which a resolver tells its own requests from those of other resolvers.
        public var pseudonym: String? = "afcache"
        /// The clock.
        public var now: @Sendable () -> Timestamp
        /// The most missing bytes for which a response is fetched to its end, to be stored, after its last client has
        /// gone.
        public var finishingBytes: Int64 = 1 << 20
        /// The largest response body that is stored, in bytes; larger ones only pass through.
        ///
        /// A body without a length may be endless, and must not fill the disk.
        public var largestStoredBody: Int64 = 1 << 30
        /// The most bytes of responses that are kept in memory only, because ``onStoring`` or a request asks for it.
        public var memoryOnlyBytes = 8 << 20
        /// A closure called with a sentence when storing fails, which clients don't notice.
        public var onTrouble: @Sendable (String) -> Void = { _ in }
        /// A closure called with each failure of an origin, also if a stored response is served in place of an error.
        public var onOriginFailure: @Sendable (WebURL, TransportFailure) -> Void = { _, _ in }
        /// A closure called with each response that is about to be stored; it may change it, or prevent that.
        public var onStoring: (@Sendable (inout StoringProposal) -> Void)?
        /// A closure called after each change that this resolver makes to the responses stored for a URL.
        public var onChange: @Sendable (WebURL) -> Void = { _ in }

        /// Creates a configuration.
        ///
        /// - Parameter now: The clock.
        public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }
    }

    /// The cache.
    public let store: DiskCache
    private let configuration: Configuration
    private let stored: ResolverStore
    private let decider: Decider
    private let via: ViaName?
    private let forwarder: Forwarder

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - store: The cache with the stored responses, to which received responses are added.
    ///   - transport: The transport for requests to origins.
    ///   - configuration: The settings.
    public convenience init(store: DiskCache, transport: any OriginTransport, configuration: Configuration) {
        let memory = MemoryResponses(limit: configuration.memoryOnlyBytes)
        self.init(store: store, memory: memory, transport: transport, configuration: configuration)
    }

    /// Creates a resolver that shares the responses in memory with another one of the same cache.
    package init(
        store: DiskCache,
        memory: MemoryResponses,
        transport: any OriginTransport,
        configuration: Configuration
    ) {
        self.store = store
        self.configuration = configuration
        stored = ResolverStore(store, memory, configuration)
        decider = Decider(rules: configuration.rules, now: configuration.now)
        via = configuration.pseudonym.map { ViaName(prefix: $0) }
        forwarder = Forwarder(transport, stored, decider, via, configuration)
    }

    /// A number that differs after each change that this resolver makes to the cache.
    public var changes: UInt64 { stored.changes }

    /// True if no origin may be contacted.
    var isOffline: Bool { configuration.rules.connectivity != .online }

    /// Cancels all requests to origins, waits until they have ended, and closes the transport's connections.
    ///
    /// The cache isn't changed afterwards. Later requests that need an origin fail with `CancellationError`.
    public func shutDown() async { await forwarder.shutDown() }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: A closure called with each interim response from the origin (RFC 9110 §15.2).
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: `CacheError` if the cache can't be read, `CancellationError` if the task is cancelled.
    public func respond(
        to request: ResolverRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void = { _, _ in }
    ) async throws -> ResolverResponse {
        let response = try await respondExactly(to: request, interim: interim)
        guard configuration.matching != .exact, request.mayBeStored, response.source == .refused,
            response.status == .gatewayTimeout, response.verdict == .missing
        else { return response }
        return try await matched(request, insteadOf: response) ?? response
    }

    /// Answers with a packaged response whose query or slash differs, or with a fallback, in place of a 504; nil if
    /// there is none.
    private func matched(
        _ request: ResolverRequest,
        insteadOf refusal: ResolverResponse
    ) async throws -> ResolverResponse? {
        guard try await stored.candidates(for: request).isEmpty,
            let match = try await stored.match(for: request, by: configuration.matching)
        else { return nil }
        let forward = refusal.cacheStatus?.forward
        let action =
            forward.map { decider.fail(.unreachable, request, Forwarding(fields: [:], reason: $0), [match.candidate]) }
            ?? decider.decide(request, [match.candidate])
        guard case .serve(let resolution, _, _) = action else { return nil }
        return try await stored.serve(match.marked(resolution), match.candidate)
    }

    private func respondExactly(
        to request: ResolverRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws -> ResolverResponse {
        var request = request
        if let last = last(&request) { return last }
        var mayWait = true
        var mayLookAgain = true
        var withoutBody: Set<StoredCandidate.Origin> = []
        while true {
            let ended = forwarder.ended(request.url)
            let candidates = try await stored.candidates(for: request).filter { !withoutBody.contains($0.origin) }
            switch decider.decide(request, candidates) {
            case .serve(let resolution, let index, let behind):
                if let behind { forwarder.validateBehind(.init(request, behind, candidates), ended: ended) }
                if let response = try await stored.serve(resolution, candidates[index]) { return response }
                withoutBody.insert(candidates[index].origin)
            case .refuse(let resolution):
                var refusal = ResolverResponse(refusing: resolution)
                refusal.isDamaged = !withoutBody.isEmpty
                return refusal
            case .forward(let forwarding):
                let question = Forwarder.Question(request, forwarding, candidates)
                let began = ContinuousClock.now
                guard mayWait, forwarding.isCollapsible, request.body == nil else {
                    return try await forwarder.ask(question, interim: interim).after(began)
                }
                switch try await forwarder.share(question, ended: mayLookAgain ? ended : nil, interim: interim) {
                case .answer(let response): return response.after(began)
                case .hasEnded: mayLookAgain = false
                // Look into the cache again, where the response may be by now. Only once, or clients would fetch a
                // resource that can't be stored one after the other.
                case .suitsOthers: mayWait = false
                }
            }
        }
    }

    /// Answers from stored responses if no origin is needed; blocks for as long as a look-up takes.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer, or nil if ``respond(to:interim:)`` must be called.
    /// - Throws: `CacheError` if the cache can't be read.
    public func lookUp(_ request: ResolverRequest) throws -> ResolverResponse? {
        guard request.mayBeStored else { return nil }
        return try found(request)?.response
    }

    /// An answer from stored responses, and the stored response that it is made from.
    package struct Found: Sendable {
        /// The answer.
        package var response: ResolverResponse
        /// The stored response.
        package var candidate: StoredCandidate
        /// True if no other response is stored for the URL.
        package var isOnly: Bool
    }

    /// Answers from stored responses if no origin is needed, as ``lookUp(_:)`` does, also by a policy.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - policy: The use of stored responses.
    ///   - options: Further options.
    /// - Returns: The answer, or nil if the origin is needed.
    /// - Throws: ``CacheError`` if the cache can't be read.
    package func lookUp(
        _ request: ResolverRequest,
        policy: ResourcePolicy,
        options: ResourceOptions = []
    ) throws -> Found? {
        let request = prepared(request, policy, options, .normal)
        guard request.mayBeStored else { return nil }
        return try found(request)
    }

    private func found(_ request: ResolverRequest) throws -> Found? {
        let candidates = try stored.candidates(of: request.url)
        guard case .serve(let resolution, let index, nil) = decider.decide(request, candidates),
            var response = try stored.found(resolution, candidates[index])
        else { return nil }
        response.isForAll = candidates.count == 1 && resolution.fields[.vary] == nil
        // What answers other URLs, too, may be stored for another one.
        let isOnly = candidates.count == 1 && !resolution.fields.contains(.noVarySearch)
        return Found(response: response, candidate: candidates[index], isOnly: isOnly)
    }

    /// Removes the responses stored for a URL, and makes those in packages invalid; blocks.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Throws: ``CacheError`` if nothing can be changed.
    package func remove(_ url: WebURL) throws { try stored.remove(url) }

    /// Invalidates the responses stored for a URL (RFC 9111 §4.4); blocks.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Throws: ``CacheError`` if nothing can be changed.
    package func invalidateAtOnce(_ url: WebURL) throws { try stored.invalidateAtOnce(url) }

    /// Returns a response that the program has in the form in which it is stored, by the rules for received ones.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - status: The status.
    ///   - request: The request that it answers.
    /// - Returns: The response with size 0; nil if it may not be stored.
    package func storable(_ fields: HTTPFields, status: Int, for request: ResolverRequest) -> StoredResponse? {
        let now = configuration.now()
        let sent = request.fields.withoutConnectionFields
        let reception = CacheDecision.receive(
            OriginResponse(status: HTTPResponse.Status(stored: status), fields: fields),
            to: request.caching,
            forwarding: Forwarding(fields: sent, reason: .uriMiss),
            stored: [],
            requested: now,
            received: now,
            rules: decider.rules(for: request)
        )
        guard case .pass(_, let storing, _) = reception.outcome, reception.storesOnlyAt == nil else { return nil }
        return storing
    }

    /// Stores a complete response that the program has; blocks.
    ///
    /// - Parameters:
    ///   - proposal: The response, and where it is stored.
    ///   - body: The body.
    /// - Throws: ``CacheError`` if it can't be stored.
    package func put(_ proposal: StoringProposal, body: [UInt8]) throws { try stored.put(proposal, body: body) }

    /// Sends a request to switch to another protocol, bypassing the cache (RFC 9110 §7.8).
    ///
    /// - Parameter request: The request, with Upgrade.
    /// - Returns: The origin's answer; nil if the transport can't switch protocols.
    /// - Throws: ``TransportFailure`` if there is no answer.
    public func upgrade(_ request: ResolverRequest) async throws(TransportFailure) -> UpgradeAnswer? {
        // A loop is answered as for other requests.
        guard !isOffline, !(via?.isIn(request.fields, for: request.url) ?? false) else { return nil }
        return try await forwarder.upgrade(request)
    }

    /// Invalidates the responses stored for a URL (RFC 9111 §4.4).
    package func invalidate(_ request: ResolverRequest) async throws { try await stored.invalidate(request.url) }

    /// Answers a request that may not be forwarded again: one that has passed through this cache before, and would loop
    /// (RFC 9110 §7.6.3), or one whose Max-Forwards is used up (§7.6.2), which is lowered otherwise.
    private func last(_ request: inout ResolverRequest) -> ResolverResponse? {
        if via?.isIn(request.fields, for: request.url) ?? false {
            let status = HTTPResponse.Status(code: 508, reasonPhrase: "Loop Detected")
            var response = ResolverResponse(refusing: status, CacheStatus(isHit: false, detail: "loop"))
            ProxyStatus(error: .loop).append(to: &response.fields)
            return response
        }
        guard !isOffline, !request.fields.countForwarding(request.method) else { return nil }
        let status = CacheStatus(isHit: false, detail: "max-forwards")
        // Repeating a request, as TRACE asks, would show a page what the browser adds to it.
        var response = ResolverResponse(refusing: request.method == .options ? .ok : .methodNotAllowed, status)
        response.fields[.allow] = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"
        response.fields[.date] = HTTPDate.format(configuration.now())
        return response
    }
}
