internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes

/// A response that is being stored while clients already read it.
struct SharedResponse: Sendable {
    /// The response as the cache will store it; its size is the one that the head states, or 0.
    private let stored: StoredResponse
    /// True if the head states the size.
    private let isSizeKnown: Bool
    /// The fields for the client that asked.
    private let fields: HTTPFields
    private let cacheStatus: CacheStatus?
    private let body: SharedBody
    /// The reader of the one client that this value is for; nil if the body's start is gone.
    private var reader: SharedBody.Reader?

    /// Creates a response whose body is about to arrive.
    ///
    /// - Parameters:
    ///   - stored: The response as it is stored.
    ///   - size: The size of the body, if the head states it.
    ///   - fields: The fields for the client whose request was sent.
    ///   - cacheStatus: The member of Cache-Status for that client.
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

    /// The same response for one more client.
    var forOne: SharedResponse {
        var copy = self
        copy.reader = body.subscribe()
        return copy
    }

    /// Returns the answer for the client whose request was sent.
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

    /// Returns the answer for a client that waited, or nil if the response doesn't match its request.
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
        // The requested part isn't there yet: the client's own request goes to the origin.
        case .range, .parts: return nil
        }
    }
}
