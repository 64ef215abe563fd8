internal import AFCResolver
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A response whose head is known, and whose body is about to be read.
struct OpenResponse: Sendable {
    var head: ResponseHead
    var source: AFCache.LoadedResponse.Source
    /// The resolver's response; nil if the body is in memory.
    var response: ResolverResponse?
    /// The body, if it is in memory.
    var data: Data?
    var reader: BodyReader

    /// The length of the body as it is stored or sent; nil if it isn't known.
    var expectedBytes: Int64? { data.map { Int64($0.count) } ?? response?.expectedBytes }
}

extension OpenResponse {
    /// Creates the form of a response whose body is in memory.
    init(_ loaded: AFCache.LoadedResponse) {
        self.init(head: loaded.head, source: loaded.source, data: loaded.data, reader: BodyReader(loaded.data))
    }
}

extension AFCache {
    /// Waits for the head of a response, without following redirects; small stored bodies are read at once.
    func open(
        _ request: URLRequest,
        _ options: LoadOptions,
        _ limits: TimeLimits,
        _ progress: (@Sendable (LoadProgress) -> Void)?
    ) async throws -> OpenResponse {
        if let known = try await known(request, options, upTo: ReadyResponse.bodyLimit)?.loaded {
            progress?(LoadProgress(received: Int64(known.data.count), expected: Int64(known.data.count)))
            return OpenResponse(known)
        }
        return try await openResponse(request, options, limits, progress)
    }

    /// Waits for the head of a response, after redirects if the options say so.
    ///
    /// - Returns: The response, and the request that it answers.
    func openLast(
        _ request: URLRequest,
        _ options: LoadOptions,
        _ progress: (@Sendable (LoadProgress) -> Void)?,
        body: RequestBody? = nil,
        inMemory: Bool = true
    ) async throws -> (OpenResponse, URLRequest) {
        let limits = TimeLimits(silence: request.timeoutInterval)
        var (request, body, hops) = (request, body, 0)
        while true {
            let open =
                try await inMemory && body == nil
                ? open(request, options, limits, progress)
                : openResponse(request, options, limits, progress, body: body)
            guard options.followsRedirects, let next = RedirectRules.next(after: open.head.response, to: request) else {
                return (open, request)
            }
            hops += 1
            guard hops <= configuration.redirects else { throw URLError(.httpTooManyRedirects, failing: request.url) }
            // Its body is stored as well.
            try await open.reader.skip(upTo: 1 << 20)
            if next.httpMethod != request.httpMethod { body = nil }
            request = next
        }
    }
}
