public import HTTPCaching
public import HTTPTypes
public import URLStandard

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
            let chosen = Self.choose(candidates, for: request.fields)
            var resolution = OfflineResolver.resolve(
                method: request.method,
                request: request.fields,
                stored: chosen?.response,
                now: now,
                policy: policy
            )
            guard let chosen else { return OfflineResponse(resolution: resolution, body: nil, package: nil) }
            resolution.restoreCoding(of: chosen)
            markUsed(chosen, at: now)
            guard resolution.body != .none else {
                return OfflineResponse(resolution: resolution, body: nil, package: chosen.package)
            }
            if let body = try openBody(of: chosen) {
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
            forgetSnapshot()
        }
    }

    /// The most recent response that is for a request with these fields.
    ///
    /// Of what came in packages also one that isn't, since the resolver says so in its answer; never of what was received.
    private static func choose(_ candidates: [StoredCandidate], for request: HTTPFields) -> StoredCandidate? {
        if candidates.count == 1, candidates[0].package != nil { return candidates[0] }
        return candidates.first { $0.matches(request) } ?? candidates.first { $0.package != nil }
    }

    /// Whether the store has a response for a URL; doesn't count as a use of it.
    ///
    /// - Parameter url: The resource.
    /// - Returns: Whether there is one.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func contains(_ url: WebURL) throws(CacheError) -> Bool {
        if try snapshot().find(url) != nil { return true }
        return try !received.entry(for: url.description).variants.isEmpty
    }
}

extension Resolution {
    /// Received bodies are kept as they came, so that their coding goes with them.
    fileprivate mutating func restoreCoding(of candidate: StoredCandidate) {
        guard candidate.package == nil, status.code == candidate.response.status || status == .partialContent else {
            return
        }
        fields[fields: .contentEncoding] = candidate.response.fields[fields: .contentEncoding]
    }
}
