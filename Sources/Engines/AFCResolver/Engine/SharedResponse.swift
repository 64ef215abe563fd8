internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes

/// A response that is being stored while clients read it already.
struct SharedResponse: Sendable {
    /// The response as the store will have it; its size is that of the head, or 0.
    private let stored: StoredResponse
    /// Whether the head says the size.
    private let isSizeKnown: Bool
    /// The fields for the client that asked.
    private let fields: HTTPFields
    private let cacheStatus: CacheStatus?
    private let body: SharedBody
    /// The place in the bytes of the one client that this value is for; nil where their start is gone.
    private var reader: SharedBody.Reader?

    /// Takes a response whose body is about to come.
    ///
    /// - Parameters:
    ///   - stored: The response as it is stored.
    ///   - size: The size of the body, where the head says it.
    ///   - fields: The fields for the client that asked.
    ///   - cacheStatus: What Cache-Status says to that client.
    ///   - body: The bytes.
    init(
        _ stored: StoredResponse,
        size: Int64?,
        fields: HTTPFields,
        cacheStatus: CacheStatus?,
        body: SharedBody
    ) {
        var stored = stored
        stored.size = size ?? 0
        self.stored = stored
        isSizeKnown = size != nil
        self.fields = fields
        self.cacheStatus = cacheStatus
        self.body = body
    }

    /// The same response for one client more.
    var forOne: SharedResponse {
        var copy = self
        copy.reader = body.subscribe()
        return copy
    }

    /// The answer for the client whose request went out.
    func answerForFirst() -> ResolverResponse? {
        guard let reader else { return nil }
        return ResolverResponse(
            status: HTTPResponse.Status(stored: stored.status),
            fields: fields,
            body: .stream(reader),
            source: .miss,
            cacheStatus: cacheStatus
        )
    }

    /// The answer for a client that waited, or nil where the response doesn't suit its request.
    func answer(
        to request: CacheRequest,
        _ forwarding: Forwarding,
        now: Timestamp,
        rules: CachingRules
    ) -> ResolverResponse? {
        var stored = stored
        // A size of 0 would mean that there is no body.
        if !isSizeKnown { stored.size = .max }
        let action = CacheDecision.decide(request, stored: [stored], now: now, rules: rules)
        guard case .serve(var resolution, _, nil) = action else { return nil }
        resolution = resolution.collapsed(forwarding)
        if !isSizeKnown, resolution.status != .notModified { resolution.fields[.contentLength] = nil }
        var answer = ResolverResponse(resolution, nil, source: .hit)
        switch resolution.body {
        case .none: return answer
        case .whole:
            guard let reader else { return nil }
            answer.body = .stream(reader)
            return answer
        // A part of what isn't there yet: such a client asks the origin for it.
        case .range, .parts: return nil
        }
    }
}
