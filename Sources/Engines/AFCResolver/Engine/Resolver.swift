public import AFCCache
public import AFCCaching
public import AFCHTTP
internal import AFCOrigin
internal import AFCText
internal import AFCURL
public import HTTPTypes
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Answers requests from the store and, where it must and may, from origins: an HTTP cache (RFC 9111).
///
/// What to do is decided by ``CacheDecision``; this type does it: it looks up, asks, stores while it passes on, lets requests
/// for the same resource wait for one answer, and validates in the background. See docs/resolver.md.
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
    let transport: any OriginTransport
    let configuration: Configuration
    let flights = Flights()
    /// What is asked of origins, also where nobody waits for it any more.
    let tasks = OwnedTasks()
    private let changed = Atomic<UInt64>(0)

    /// A number that is another after each change that this resolver makes to what is stored.
    public var changes: UInt64 { changed.load(ordering: .acquiring) }

    /// What is stored has changed.
    func noteChange() { changed.add(1, ordering: .releasing) }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - store: What is known, and where received responses go.
    ///   - transport: How origins are asked.
    ///   - configuration: How it works.
    public init(store: OfflineCache, transport: any OriginTransport, configuration: Configuration) {
        self.store = store
        self.transport = transport
        self.configuration = configuration
    }

    /// Ends all that is asked of origins, waits until it has ended, and closes the transport's connections.
    ///
    /// The store isn't changed afterwards. Later requests that need an origin fail with `CancellationError`.
    public func shutDown() async {
        await tasks.end()
        await transport.shutDown()
    }

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
            let ended = flights.ended(request.url)
            let candidates = try await candidates(for: request).filter { !withoutBody.contains($0.origin) }
            let action = decide(request, candidates)
            switch action {
            case .serve(let resolution, let index, let behind):
                if let behind { validateBehind(request, behind, candidates, ended: ended) }
                let source: ResolverResponse.Source = resolution.verdict == .stale ? .stale : .hit
                if let response = try await serve(resolution, candidates[index], source: source) { return response }
                withoutBody.insert(candidates[index].origin)
            case .refuse(let resolution): return refusal(resolution)
            case .forward(let forwarding):
                guard mayWait, forwarding.isCollapsible, request.body == nil else {
                    let flight = Flight()
                    begin(flight, request, forwarding, candidates, interim: interim)
                    return try await first(of: flight, request, forwarding, candidates)
                }
                guard let (flight, isNew) = flights.join(request.url, ended: mayLookAgain ? ended : nil) else {
                    mayLookAgain = false
                    continue
                }
                if isNew {
                    begin(flight, request, forwarding, candidates, interim: interim)
                    return try await first(of: flight, request, forwarding, candidates)
                }
                if let response = try await other(of: flight, request, forwarding, candidates) { return response }
                // Another look into the store, where the answer may be by now; but only once, or a resource that nobody may
                // store would be fetched for one client after the other.
                mayWait = false
            }
        }
    }

    /// Answers from the store where that needs no origin; blocks for as long as a look-up takes.
    ///
    /// - Parameter request: What is asked for.
    /// - Returns: The answer, or nil where ``respond(to:interim:)`` has to be asked.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func lookUp(_ request: ResolverRequest) throws -> ResolverResponse? {
        guard request.method == .get || request.method == .head, request.body == nil else { return nil }
        let candidates = try store.candidates(for: request.url)
        guard case .serve(let resolution, let index, nil) = decide(request, candidates) else { return nil }
        let source: ResolverResponse.Source = resolution.verdict == .stale ? .stale : .hit
        store.markUsed(candidates[index], at: configuration.now())
        var response = answer(resolution, nil, source: source)
        if resolution.body != .none {
            guard let body = try body(of: candidates[index]) else { return nil }
            response = answer(resolution, body, source: source)
        }
        response.isForAll = candidates.count == 1 && resolution.fields[.vary] == nil
        return response
    }

    private func candidates(for request: ResolverRequest) async throws -> [StoredCandidate] {
        // RFC 9110 §9.3: no other method is answered from the store; what they invalidate is found by its URL.
        // A body with GET is one that the origin may heed, so its answer is no other request's (RFC 9110 §9.3.1).
        guard request.method == .get || request.method == .head, request.body == nil else { return [] }
        let (store, url) = (store, request.url)
        return try await NIOThreadPool.singleton.runIfActive { try store.candidates(for: url) }
    }

    // MARK: Answers

    /// The answer with a stored body; nil where the body has just left the store.
    func serve(_ resolution: Resolution, _ candidate: StoredCandidate, source: ResolverResponse.Source) async throws
        -> ResolverResponse?
    {
        store.markUsed(candidate, at: configuration.now())
        guard resolution.body != .none else { return answer(resolution, nil, source: source) }
        guard let body = try await NIOThreadPool.singleton.runIfActive({ try self.body(of: candidate) }) else {
            return nil
        }
        return answer(resolution, body, source: source)
    }

    /// Opens a body; nil where it isn't there any more, or isn't what was stored.
    private func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody? {
        do throws(CacheError) {
            return try store.body(of: candidate)
        } catch  where error.code == .damaged {
            if candidate.receivedID == nil { configuration.onTrouble("\(error)") }
            return nil
        }
    }

    func answer(_ resolution: Resolution, _ body: StoredBody?, source: ResolverResponse.Source) -> ResolverResponse {
        ResolverResponse(
            status: resolution.status,
            fields: resolution.fields,
            body: body.map { .stored($0, resolution.body) } ?? .none,
            source: source,
            verdict: resolution.verdict
        )
    }

    func refusal(_ resolution: Resolution) -> ResolverResponse {
        var response = answer(resolution, nil, source: .refused)
        response.fields[.contentLength] = "0"
        return response
    }

    /// RFC 9110 §7.6.3: a request that has been here already goes round in circles.
    private func loop(_ request: ResolverRequest) -> ResolverResponse? {
        guard let pseudonym = configuration.pseudonym,
            request.fields[values: .via].contains(where: { value in
                value.split(separator: ",").contains { member in
                    member.split(separator: " ").dropFirst().first.map(String.init) == pseudonym
                }
            })
        else { return nil }
        var fields = HTTPFields()
        fields[.cacheStatus] = CacheStatus(isHit: false, detail: "loop").description
        fields[.contentLength] = "0"
        return ResolverResponse(
            status: HTTPResponse.Status(code: 508, reasonPhrase: "Loop Detected"),
            fields: fields,
            body: .none,
            source: .refused
        )
    }
}

extension HTTPField.Name {
    static let via = HTTPField.Name("Via") ?? .server
}
