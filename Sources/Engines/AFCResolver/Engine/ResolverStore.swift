internal import AFCCache
internal import AFCCaching
internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import Synchronization

/// The cache as a resolver uses it: reads and changes run on threads for blocking work, and changes are counted.
final class ResolverStore: Sendable {
    private let store: OfflineCache
    private let configuration: Resolver.Configuration
    private let changed = Atomic<UInt64>(0)

    init(_ store: OfflineCache, _ configuration: Resolver.Configuration) {
        self.store = store
        self.configuration = configuration
    }

    /// A number that differs after each change made here.
    var changes: UInt64 { changed.load(ordering: .acquiring) }

    private func noteChange() { changed.add(1, ordering: .releasing) }

    // MARK: Reading

    /// Returns the responses stored for a request.
    func candidates(for request: ResolverRequest) async throws -> [StoredCandidate] {
        guard request.mayBeStored else { return [] }
        let (store, url) = (store, request.url)
        return try await Blocking.run { try store.candidates(for: url) }
    }

    /// Returns the packaged response whose query differs, or the fallback, for a request for a URL for which nothing is
    /// stored.
    func match(for request: ResolverRequest, by matching: QueryMatching) async throws -> MatchedCandidate? {
        let (store, asked) = (store, OfflineRequest(method: request.method, url: request.url, fields: request.fields))
        return try await Blocking.run { try store.match(for: asked, by: matching) }
    }

    /// Makes the answer from a stored body; nil if the body has just been removed.
    ///
    /// `source` is the source of the answer, a cache hit by default.
    func serve(
        _ resolution: Resolution,
        _ candidate: StoredCandidate,
        source: ResolverResponse.Source? = nil
    ) async throws -> ResolverResponse? {
        guard resolution.body != .none else { return try found(resolution, candidate, source: source) }
        return try await Blocking.run { try self.found(resolution, candidate, source: source) }
    }

    /// Makes the answer from a stored body, and blocks to open it.
    func found(
        _ resolution: Resolution,
        _ candidate: StoredCandidate,
        source: ResolverResponse.Source? = nil
    ) throws(CacheError) -> ResolverResponse? {
        store.markUsed(candidate, at: configuration.now())
        let source = source ?? (resolution.verdict == .stale ? .stale : .hit)
        guard resolution.body != .none else { return ResolverResponse(resolution, nil, source: source) }
        guard let body = try body(of: candidate) else { return nil }
        return ResolverResponse(resolution, body, source: source)
    }

    /// Opens a body; nil if it was removed or replaced.
    private func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody? {
        do throws(CacheError) {
            return try store.body(of: candidate)
        } catch  where error.code == .damaged {
            if candidate.receivedID == nil { configuration.onTrouble("\(error)") }
            return nil
        }
    }

    // MARK: Changing

    /// Invalidates the responses stored for a URL (RFC 9111 §4.4).
    func invalidate(_ url: WebURL) async throws {
        let store = store
        try await Blocking.run { try store.invalidate(url) }
        noteChange()
    }

    /// Invalidates and removes stored responses that an origin's answer contradicts.
    func invalidate(_ reception: Reception, _ request: ResolverRequest, _ candidates: [StoredCandidate]) async {
        let urls = reception.invalidates.compactMap { text -> WebURL? in
            if text.isEmpty { return request.url }
            guard let url = try? WebURL(text, base: request.url), url.origin == request.url.origin else { return nil }
            return url
        }
        let removed = reception.removing.compactMap { candidates[$0].receivedID }
        let isPackageWrong = reception.removing.contains { candidates[$0].receivedID == nil }
        guard !urls.isEmpty || !reception.removing.isEmpty else { return }
        let url = request.url
        await change { store throws(CacheError) in
            for url in urls { try store.invalidate(url) }
            if !removed.isEmpty { try store.remove(removed) }
            if isPackageWrong { try store.invalidate(url) }
        }
    }

    /// Updates stored responses with the fields of a 304 or a HEAD response.
    func update(_ url: WebURL, _ updates: [(candidate: StoredCandidate, response: StoredResponse)]) async {
        await change { store throws(CacheError) in
            for (candidate, response) in updates {
                if let id = candidate.receivedID {
                    try store.update(id, response)
                } else {
                    try store.freshenPackageEntry(url, response)
                }
            }
        }
    }

    /// Changes the cache; on failure, clients still get their answers.
    private func change(_ body: @escaping @Sendable (OfflineCache) throws(CacheError) -> Void) async {
        let store = store
        // In a task of its own: a client that leaves must not keep the cache from learning this (RFC 9111 §4.4).
        let task = Task { try await Blocking.run { try body(store) } }
        do {
            try await task.value
            noteChange()
        } catch {
            configuration.onTrouble("\(error)")
        }
    }

    // MARK: Receiving

    /// Begins to store a response; nil if that isn't possible.
    func receive(_ response: StoredResponse, for url: WebURL, replacing: [ReceivedID]) async -> ReceivedBody? {
        let store = store
        do {
            return try await Blocking.run { try store.receive(response, for: url, replacing: replacing) }
        } catch is CancellationError {
            return nil
        } catch {
            cannotKeep(url, "\(error)")
            return nil
        }
    }

    /// Stores a response whose body is complete.
    func keep(_ file: ReceivedBody, of url: WebURL) async {
        do {
            _ = try await Blocking.run { try file.finish() }
            noteChange()
        } catch {
            cannotKeep(url, "\(error)")
        }
    }

    /// Reports a response that may be stored but isn't.
    func cannotKeep(_ url: WebURL, _ reason: String) { configuration.onTrouble("cannot store '\(url)': \(reason)") }
}

extension StoredCandidate {
    /// The identifier of a received response; nil for a package's entry.
    var receivedID: ReceivedID? { if case .received(let id) = origin { id } else { nil } }
}
