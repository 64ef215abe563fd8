internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
public import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension AFCache {
    /// Loads a resource by its request's cache policy, as `URLSession.data(for:)` does.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Further options.
    ///   - progress: A closure called as bytes of the body are read; nil for none.
    /// - Returns: The body and the head of the response; statuses such as 404 are responses, too.
    /// - Throws: ``Failure`` if there is no response, or if the cache can't be read; `CancellationError` if the task is
    ///   cancelled.
    public func data(
        for request: URLRequest,
        options: LoadOptions = LoadOptions(),
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        let loaded = try await load(request, options: options, progress: progress)
        return (loaded.data, loaded.response)
    }

    /// Loads a resource, as `URLSession.data(from:)` does.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The body and the head of the response.
    /// - Throws: As ``data(for:options:progress:)``.
    public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url))
    }

    /// Loads a resource by its request's cache policy, and says where it came from.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Further options.
    ///   - progress: A closure called as bytes of the body are read; nil for none.
    /// - Returns: The response.
    /// - Throws: As ``data(for:options:progress:)``.
    public func load(
        _ request: URLRequest,
        options: LoadOptions = LoadOptions(),
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> LoadedResponse {
        var (request, hops) = (request, 0)
        while true {
            let loaded = try await Failure.of { try await loadOnce(request, options: options, progress: progress) }
            guard options.followsRedirects, (300..<400).contains(loaded.statusCode),
                let next = RedirectRules.next(after: loaded.response, to: request)
            else {
                return loaded
            }
            hops += 1
            guard hops <= configuration.redirects else {
                throw Failure.of(URLError(.httpTooManyRedirects, failing: request.url))
            }
            request = next
        }
    }

    /// Loads a resource without following redirects.
    private func loadOnce(
        _ request: URLRequest,
        options: LoadOptions,
        progress: (@Sendable (LoadProgress) -> Void)?
    ) async throws -> LoadedResponse {
        let limit = configuration.largestData
        if let known = try await known(request, options, upTo: limit) {
            guard let known = known.loaded else { throw tooLarge(request.url) }
            progress?(LoadProgress(received: Int64(known.data.count), expected: Int64(known.data.count)))
            return known
        }
        let limits = TimeLimits(silence: request.timeoutInterval)
        return try await whole(openResponse(request, options, limits, progress), request, upTo: limit)
    }

    /// A stored response, complete in memory if its body isn't too large for that.
    struct Known: Sendable {
        var loaded: LoadedResponse?
    }

    /// Returns what is stored for a request if no origin is needed and no option has another effect; nil if nothing is.
    func known(_ request: URLRequest, _ options: LoadOptions, upTo limit: Int) async throws -> Known? {
        if let ready = fromMemory(request, options) { return Known(loaded: ready) }
        await ready()
        guard options.isPlain else { return nil }
        let resolving = try request.resolving(options, place: place(options))
        let policy = ResourcePolicy(request.cachePolicy)
        return try await blocking { try $0.find(request, resolving, policy, upTo: limit) }
    }

    /// Waits for the head of a response, without following redirects.
    func openResponse(
        _ request: URLRequest,
        _ options: LoadOptions,
        _ limits: TimeLimits,
        _ progress: (@Sendable (LoadProgress) -> Void)?,
        body: RequestBody? = nil
    ) async throws -> OpenResponse {
        await ready()
        var made = try request.resolving(options, place: place(options))
        made.silence = limits.ofTransport
        if let body { (made.body, made.bodyLength) = (body.pieces, body.length) }
        let resolving = made
        let policy = ResourcePolicy(request.cachePolicy)
        let (resolver, isOffline) = (resolver, isOffline)
        let response: ResolverResponse
        do {
            response = try await limits.waiting(for: request.url) {
                try await resolver.response(
                    for: resolving,
                    policy: policy,
                    options: options.reuse.resource,
                    priority: options.priority.request
                )
            }
        } catch {
            throw loadError(error, request.url)
        }
        if let refusal = refusal(response, of: request.url, isOffline: isOffline, policy: policy) { throw refusal }
        let url = request.url ?? directory
        return OpenResponse(
            head: ResponseHead(url, response.status.code, response.fields.dictionary),
            source: LoadedResponse.Source(response.source),
            response: response,
            reader: try BodyReader(response, url, limits, progress: progress) { [self] in loadError($0, url) }
        )
    }

    /// The place where the response to a request may be stored.
    func place(_ options: LoadOptions) -> StoringProposal.Place {
        let policy = configuration.storagePolicy.limited(to: options.storagePolicy ?? .allowed)
        let (memory, disk) = (memoryCapacity, diskCapacity)
        switch policy {
        case .allowed where disk > 0: return .disk
        case .allowed, .allowedInMemoryOnly: return memory > 0 ? .memory : .nowhere
        default: return .nowhere
        }
    }

    /// Reads the body of a response.
    func whole(_ open: OpenResponse, _ request: URLRequest, upTo limit: Int) async throws -> LoadedResponse {
        if let expected = open.expectedBytes, expected > Int64(limit), request.httpMethod != "HEAD" {
            throw tooLarge(request.url)
        }
        var data = Data()
        while let piece = try await open.reader.next() {
            guard piece.count <= limit - data.count else { throw tooLarge(request.url) }
            if data.isEmpty { data = piece } else { data.append(piece) }
        }
        return LoadedResponse(
            head: open.head,
            data: data,
            userInfo: UserInfo.read(open.response?.userInfo),
            source: open.source
        )
    }

    private func tooLarge(_ url: URL?) -> URLError {
        let reason =
            "the body of '\(url?.absoluteString ?? "")' has more than \(configuration.largestData) bytes; read it with "
            + "'bytes(for:)' or 'file(for:)'"
        return URLError(.dataLengthExceedsMaximum, failing: url, reason: reason)
    }

    // MARK: Stored responses

    /// Returns what is stored for a request if it may be served without asking the origin; blocks for a look-up, and
    /// for reading the body.
    ///
    /// - Parameter request: The request; its cache policy counts.
    /// - Returns: The response; nil if nothing is stored, or the origin must be asked.
    /// - Throws: ``Failure`` if the cache can't be read.
    public func cachedResponse(for request: URLRequest) throws -> LoadedResponse? {
        if let ready = fromMemory(request, LoadOptions()) { return ready }
        return try Failure.of {
            let resolving = try request.resolving(LoadOptions(), place: .nowhere)
            let policy = ResourcePolicy(request.cachePolicy)
            guard let known = try find(request, resolving, policy, upTo: configuration.largestData) else { return nil }
            guard let loaded = known.loaded else { throw tooLarge(request.url) }
            return loaded
        }
    }

    /// Returns the response that memory has for a request.
    func fromMemory(_ request: URLRequest, _ options: LoadOptions) -> LoadedResponse? {
        guard options.isPlain, request.allowsMemory, let url = request.url else { return nil }
        let now = configuration.now()
        return memory.find(url, at: Timestamp(now), mark: foreign.mark(at: now.timeIntervalSinceReferenceDate))
    }

    /// Looks up what is stored for a request, reads the body, and keeps it in memory if other requests may get it;
    /// blocks.
    private func find(
        _ request: URLRequest,
        _ resolving: ResolverRequest,
        _ policy: ResourcePolicy,
        upTo limit: Int
    ) throws -> Known? {
        let changes = memory.changes
        let date = configuration.now()
        let mark = foreign.mark(at: date.timeIntervalSinceReferenceDate)
        guard let found = try resolver.lookUp(resolving, policy: policy) else { return nil }
        let response = found.response
        var data = Data()
        switch response.body {
        case .none: break
        case .stored(let body, .whole):
            guard body.size <= Int64(limit) else { return Known() }
            data = try body.data()
        // Parts are read by the resolver.
        case .stored, .stream: return nil
        }
        let loaded = LoadedResponse(
            head: ResponseHead(request.url ?? directory, response.status.code, response.fields.dictionary),
            data: try BodyCoding.decode(data, response.fields, upTo: limit),
            userInfo: UserInfo.read(response.userInfo),
            source: LoadedResponse.Source(response.source)
        )
        guard memory.isEnabled, request.allowsMemory, found.isOnly, response.source == .hit,
            let cacheStatus = response.cacheStatus, cacheStatus.detail == nil, found.suitsPlainRequests
        else { return Known(loaded: loaded) }
        let (store, clock, candidate) = (store, configuration.now, found.candidate)
        let ready = ReadyResponse(loaded, made: Timestamp(date), cacheStatus: cacheStatus) {
            store.markUsed(candidate, at: Timestamp(clock()))
        }
        if let ready { memory.keep(ready, for: MemoryKey(resolving.url), changes: changes, mark: mark) }
        return Known(loaded: loaded)
    }

    /// Stores a response that the program has; blocks.
    ///
    /// It is stored as if it had just been received for the request: by the standard, so a response that forbids it
    /// isn't stored. One that states no lifetime and has no validator is stored, but isn't fresh: it serves offline, and
    /// for the policies that return stored responses whatever their age.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - data: The body, without content codings.
    ///   - request: The request that it answers.
    ///   - options: Lifetime, place and user info.
    /// - Returns: True if it was stored.
    /// - Throws: ``Failure`` if the cache can't be written.
    @discardableResult
    public func store(
        _ response: HTTPURLResponse,
        _ data: Data,
        for request: URLRequest,
        options: LoadOptions = LoadOptions()
    ) throws -> Bool {
        try Failure.of {
            let place = place(options)
            guard place != .nowhere else { return false }
            var fields = HTTPFields(response.fields)
            // The program's bytes are decoded.
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
            let resolving = try request.resolving(options, place: place)
            var known = resolver.storable(fields, status: response.statusCode, for: resolving)
            if known == nil {
                // Without a lifetime and a validator, it is stored all the same, but never fresh.
                var stale = resolving
                stale.assignedLifetime = 0
                known = resolver.storable(fields, status: response.statusCode, for: stale)
            }
            guard var stored = known else { return false }
            stored.userInfo = UserInfo.bytes(options.userInfo)
            try resolver.put(StoringProposal(stored, of: resolving.url, place: place), body: Array(data))
            return true
        }
    }

    /// Removes what is stored for a URL, whatever its request's fields; blocks.
    ///
    /// What a package has for the URL is validated before its next use; it is removed with the package.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Throws: ``Failure`` if the cache can't be changed.
    public func removeCachedResponse(for url: URL) throws {
        try Failure.of { try resolver.remove(try WebURL(url)) }
    }

    /// Removes all responses that were received from origins, on disk and in memory; packages stay as they were loaded.
    ///
    /// - Returns: The number of responses that were removed from the disk.
    /// - Throws: ``Failure`` if the cache can't be changed.
    @discardableResult
    public func removeAllCachedResponses() async throws -> Int {
        memoryOnly.removeAll()
        defer { forgetMemory() }
        return try await Failure.of { try await store.clearReceived().responses }
    }

    /// Forgets everything in memory that the disk has, too, in all caches of the folder.
    func forgetMemory() { shared.note(nil) }

    /// The number of requests that were answered from memory, and of those that could have been but weren't.
    public var memoryHits: (hits: Int, misses: Int) { memory.counts }
}

extension URLRequest {
    /// True if a response in memory may answer, if it is fresh.
    fileprivate var allowsMemory: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: break
        default: return false
        }
        guard httpMethod == "GET" || httpMethod == nil, httpBody == nil, httpBodyStream == nil else { return false }
        guard let fields = allHTTPHeaderFields, !fields.isEmpty else { return true }
        return fields.keys.allSatisfy { Self.harmless.contains($0.lowercased()) }
    }

    /// Fields that change no response without Vary.
    private static let harmless: Set<String> = ["accept", "accept-language", "user-agent", "referer", "dnt"]
}

extension Resolver.Found {
    /// True if the response answers every request without a body, conditions and directives, and with the accepted
    /// codings of this library.
    fileprivate var suitsPlainRequests: Bool {
        guard response.status.code != 206 else { return false }
        return response.fields[values: .vary].flatMap { FieldText.list($0) }
            .allSatisfy { $0.lowercased() == "accept-encoding" }
    }
}

extension StoredBody {
    /// Reads the whole body; blocks.
    fileprivate func data() throws -> Data {
        if let bytes { return Data(bytes) }
        var data = Data(count: Int(size))
        let count = try data.withUnsafeMutableBytes { try read(into: $0, at: 0) }
        return count == data.count ? data : data.prefix(count)
    }
}

extension HTTPURLResponse {
    /// The fields as texts.
    var fields: [String: String] {
        allHeaderFields.reduce(into: [:]) { fields, field in
            guard let name = field.key as? String, let value = field.value as? String else { return }
            fields[name] = value
        }
    }
}
