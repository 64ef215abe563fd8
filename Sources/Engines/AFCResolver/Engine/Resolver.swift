public import AFCCache
public import AFCCaching
public import AFCHTTP
internal import AFCOrigin
internal import AFCText
internal import AFCURL
public import HTTPTypes

/// Answers requests from the store and, where it must and may, from origins: an HTTP cache (RFC 9111).
///
/// ``Decider`` says what to do, ``ResolverStore`` reads and changes what is stored, and ``Forwarder`` asks origins. See docs/resolver.md.
public final class Resolver: Sendable {
    /// How a resolver works.
    public struct Configuration: Sendable {
        /// How the cache is set up.
        public var rules = CachingRules()
        /// The name in Via fields (RFC 9110 §7.6.3), or nil to send none.
        public var pseudonym: String? = "afcache"
        /// The clock.
        public var now: @Sendable () -> Timestamp
        /// For how many bytes more a response is fetched whose last client has gone, so that it can be kept.
        public var finishingBytes: Int64 = 1 << 20
        /// The most bytes of a response's body that is stored; larger ones only pass through.
        ///
        /// Bodies without a length may have no end, and must not fill the disk meanwhile.
        public var largestStoredBody: Int64 = 1 << 30
        /// Told of what goes wrong with storing, which no client notices.
        public var onTrouble: @Sendable (String) -> Void = { _ in }

        /// Creates a configuration.
        ///
        /// - Parameter now: The clock.
        public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }
    }

    /// The store.
    public let store: OfflineCache
    private let configuration: Configuration
    private let stored: ResolverStore
    private let decider: Decider
    private let forwarder: Forwarder

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - store: What is known, and where received responses go.
    ///   - transport: How origins are asked.
    ///   - configuration: How it works.
    public init(store: OfflineCache, transport: any OriginTransport, configuration: Configuration) {
        self.store = store
        self.configuration = configuration
        stored = ResolverStore(store, configuration)
        decider = Decider(rules: configuration.rules, now: configuration.now)
        forwarder = Forwarder(transport, stored, decider, configuration)
    }

    /// A number that is another after each change that this resolver makes to what is stored.
    public var changes: UInt64 { stored.changes }

    /// Whether no origin may be asked.
    var isOffline: Bool { configuration.rules.connectivity != .online }

    /// Ends all that is asked of origins, waits until it has ended, and closes the transport's connections.
    ///
    /// The cache isn't changed afterwards. Later requests that need an origin fail with `CancellationError`.
    public func shutDown() async { await forwarder.shutDown() }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - interim: Called with each interim response that the origin sends meanwhile (RFC 9110 §15.2).
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: ``CacheError`` where the store can't be read, `CancellationError` where the task is cancelled.
    public func respond(
        to request: ResolverRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void = { _, _ in }
    ) async throws -> ResolverResponse {
        if let loop = loop(request) { return loop }
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
            case .refuse(let resolution): return ResolverResponse(refusing: resolution)
            case .forward(let forwarding):
                let question = Forwarder.Question(request, forwarding, candidates)
                guard mayWait, forwarding.isCollapsible, request.body == nil else {
                    return try await forwarder.ask(question, interim: interim)
                }
                switch try await forwarder.share(question, ended: mayLookAgain ? ended : nil, interim: interim) {
                case .answer(let response): return response
                case .hasEnded: mayLookAgain = false
                // Another look into the store, where the answer may be by now; but only once, or a resource that nobody may
                // store would be fetched for one client after the other.
                case .suitsOthers: mayWait = false
                }
            }
        }
    }

    /// Answers from the store where that needs no origin; blocks for as long as a look-up takes.
    ///
    /// - Parameter request: What is asked for.
    /// - Returns: The answer, or nil where ``respond(to:interim:)`` has to be asked.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func lookUp(_ request: ResolverRequest) throws -> ResolverResponse? {
        guard request.mayBeStored else { return nil }
        let candidates = try store.candidates(for: request.url)
        guard case .serve(let resolution, let index, nil) = decider.decide(request, candidates),
            var response = try stored.found(resolution, candidates[index])
        else { return nil }
        response.isForAll = candidates.count == 1 && resolution.fields[.vary] == nil
        return response
    }

    /// Sends a request that asks for another protocol, past the cache (RFC 9110 §7.8).
    ///
    /// - Parameter request: The request, with Upgrade.
    /// - Returns: What the origin says; nil where there is no transport for it.
    /// - Throws: ``TransportFailure`` where it says nothing.
    public func upgrade(_ request: ResolverRequest) async throws(TransportFailure) -> UpgradeAnswer? {
        guard !isOffline else { return nil }
        return try await forwarder.upgrade(request)
    }

    /// Counts what is stored for a URL as invalidated (RFC 9111 §4.4).
    func invalidate(_ request: ResolverRequest) async throws { try await stored.invalidate(request.url) }

    /// RFC 9110 §7.6.3: a request that has been here already goes round in circles.
    private func loop(_ request: ResolverRequest) -> ResolverResponse? {
        guard let pseudonym = configuration.pseudonym,
            request.fields[values: .via].contains(where: { value in
                value.split(separator: ",").contains { member in
                    member.split(separator: " ").dropFirst().first.map(String.init) == pseudonym
                }
            })
        else { return nil }
        return ResolverResponse(
            refusing: HTTPResponse.Status(code: 508, reasonPhrase: "Loop Detected"),
            CacheStatus(isHit: false, detail: "loop")
        )
    }
}

extension HTTPField.Name {
    static let via = HTTPField.Name("Via") ?? .server
}
