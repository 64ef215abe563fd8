internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes

/// A response that is being stored while clients read it already.
struct SharedResponse: Sendable {
    /// The response as the store will have it; its size is that of the head, or 0.
    var stored: StoredResponse
    /// Whether the head says the size.
    var isSizeKnown: Bool
    /// The fields for the client that asked.
    var fields: HTTPFields
    /// The bytes.
    var body: SharedBody
    /// The place in the bytes of the one client that this value is for; nil where their start is gone.
    var reader: SharedBody.Reader?

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
            source: .miss
        )
    }

    /// The answer for a client that waited, or nil where the response doesn't suit its request.
    func answer(to request: CacheRequest, _ forwarding: Forwarding, now: Timestamp, rules: CachingRules)
        -> ResolverResponse?
    {
        var stored = stored
        // A size of 0 would mean that there is no body.
        if !isSizeKnown { stored.size = .max }
        guard
            case .serve(var resolution, _, nil) = CacheDecision.decide(
                request,
                stored: [stored],
                now: now,
                rules: rules
            )
        else { return nil }
        resolution = resolution.collapsed(forwarding)
        switch resolution.body {
        case .none:
            if !isSizeKnown, resolution.status != .notModified { resolution.fields[.contentLength] = nil }
            return ResolverResponse(
                status: resolution.status,
                fields: resolution.fields,
                body: .none,
                source: .hit,
                verdict: resolution.verdict
            )
        case .whole:
            guard let reader else { return nil }
            if !isSizeKnown { resolution.fields[.contentLength] = nil }
            return ResolverResponse(
                status: resolution.status,
                fields: resolution.fields,
                body: .stream(reader),
                source: .hit,
                verdict: resolution.verdict
            )
        // A part of what isn't there yet: such a client asks the origin for it.
        case .range, .parts: return nil
        }
    }
}
