public import AFCCaching
public import AFCHTTP
public import AFCText
public import AFCURL
public import HTTPTypes

/// A request that the store is to answer.
public struct OfflineRequest: Sendable, Equatable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The request's fields.
    public var fields: HTTPFields

    /// Creates a request.
    public init(method: HTTPRequest.Method = .get, url: WebURL, fields: HTTPFields = HTTPFields()) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The answer: what was decided, and the stored body that it takes bytes from.
public struct OfflineResponse: Sendable {
    /// Head and ranges.
    public var resolution: Resolution
    /// The stored body, open, or nil where the answer has none.
    public var body: StoredBody?
    /// The package that the response came in, or nil where there was none.
    public var package: String?
}

extension OfflineCache {
    /// Answers a request from the store alone.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    /// - Returns: The answer; also refusals are answers.
    /// - Throws: ``CacheError`` where the index or the body can't be read.
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy
    ) throws(CacheError) -> OfflineResponse {
        // What was found may be replaced before its body is opened; then the next look-up finds what is there now.
        var missed: Set<StoredCandidate.Origin> = []
        var missedGeneration: Int64?
        while true {
            var candidates = try candidates(for: request.url)
            if !missed.isEmpty { candidates.removeAll { missed.contains($0.origin) } }
            let action = CacheDecision.decide(
                CacheRequest(method: request.method, fields: request.fields),
                stored: candidates.map(\.response),
                now: now,
                rules: CachingRules(connectivity: .offline(policy))
            )
            guard case .serve(let resolution, let index, _) = action else {
                return OfflineResponse(resolution: try Self.refusal(action, request), body: nil, package: nil)
            }
            let chosen = candidates[index]
            markUsed(chosen, at: now)
            guard resolution.body != .none else {
                return OfflineResponse(resolution: resolution, body: nil, package: chosen.package)
            }
            if let body = try openBody(of: chosen) {
                // A part can't be compared with the digest of the whole, and a small body is compared before its head is sent.
                if resolution.body != .whole || body.size <= Self.smallBody { try body.requireSound() }
                return OfflineResponse(resolution: resolution, body: body, package: chosen.package)
            }
            if case .generation(let package, _) = chosen.place, missedGeneration != package.generation.id {
                missedGeneration = package.generation.id
            } else if chosen.package != nil {
                let body = try body(of: chosen)
                return OfflineResponse(resolution: resolution, body: body, package: chosen.package)
            } else {
                missed.insert(chosen.origin)
            }
            reader.forget()
        }
    }

    /// The most bytes of a body that is compared as a whole before its response begins.
    private static let smallBody: Int64 = 1 << 20

    /// Without a connection there is nothing but a stored response or a refusal.
    private static func refusal(_ action: CacheAction, _ request: OfflineRequest) throws(CacheError) -> Resolution {
        if case .refuse(let resolution) = action { return resolution }
        throw CacheError(
            .damaged,
            subject: request.url.description,
            message: "the decision needs an origin, and there is none"
        )
    }

    /// Whether the store has a response for a URL; doesn't count as a use of it.
    ///
    /// - Parameter url: The resource.
    /// - Returns: Whether there is one.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func contains(_ url: WebURL) throws(CacheError) -> Bool {
        try !candidates(for: url).isEmpty
    }
}
