internal import AFCBlocking
internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import Synchronization

/// The cache as a resolver uses it: reads and changes run on threads for blocking work, and changes are counted.
final class ResolverStore: Sendable {
    private let store: DiskCache
    private let memory: MemoryResponses
    private let relatedRoom = WaitingRoom(1)
    private let configuration: Resolver.Configuration
    private let changed = Atomic<UInt64>(0)
    /// What became invalid while origins were asked.
    let invalidations = Invalidations()
    /// The time at which a cache that can't be read was last reported.
    private let reported = Mutex<Timestamp?>(nil)

    init(_ store: DiskCache, _ memory: MemoryResponses, _ configuration: Resolver.Configuration) {
        self.store = store
        self.memory = memory
        self.configuration = configuration
    }

    /// A number that differs after each change made here.
    var changes: UInt64 { changed.load(ordering: .acquiring) }

    private func noteChange(of url: WebURL) {
        changed.add(1, ordering: .releasing)
        configuration.onChange(url)
    }

    // MARK: Reading

    /// Returns the responses stored for a request.
    func candidates(for request: ResolverRequest) async throws -> [StoredCandidate] {
        guard request.mayBeStored else { return [] }
        let url = request.url
        return try await Blocking.run { try self.candidates(of: url) }
    }

    /// Returns the responses stored for a URL, on disk and in memory, the most recent first; blocks.
    func candidates(of url: WebURL) throws(CacheError) -> [StoredCandidate] {
        let onDisk = try readable(or: []) { () throws(CacheError) in try store.candidates(for: url) }
        let inMemory = memory.candidates(for: url)
        guard !inMemory.isEmpty else { return onDisk }
        return (onDisk + inMemory).sorted { $0.isBefore($1) }
    }

    /// Returns the packaged response whose query or slash differs, or the fallback, for a request for a URL for which
    /// nothing is stored.
    func match(for request: ResolverRequest, by matching: QueryMatching) async throws -> MatchedCandidate? {
        let (store, asked) = (store, OfflineRequest(method: request.method, url: request.url, fields: request.fields))
        return try await Blocking.run {
            try self.readable(or: nil) { () throws(CacheError) in try store.match(for: asked, by: matching) }
        }
    }

    /// Reads the cache; if that fails and origins may be asked, clients get the origins' responses nevertheless.
    ///
    /// The failure is reported once a minute.
    private func readable<Value>(
        or other: Value,
        _ body: () throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        do throws(CacheError) {
            return try body()
        } catch {
            guard configuration.rules.connectivity == .online else { throw error }
            let now = configuration.now()
            let isNew = reported.withLock { reported in
                if let last = reported, (0..<60).contains(now.secondsSinceEpoch - last.secondsSinceEpoch) {
                    return false
                }
                reported = now
                return true
            }
            if isNew { configuration.onTrouble("responses are passed on but not served from the cache: \(error)") }
            return other
        }
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
        var body: StoredBody?
        if resolution.body != .none {
            guard let opened = try self.body(of: candidate) else { return nil }
            body = opened
        }
        var response = ResolverResponse(resolution, body, source: source)
        response.userInfo = candidate.response.userInfo
        return response
    }

    /// Opens a body; nil if it was removed or replaced.
    private func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody? {
        try readable(or: nil) { () throws(CacheError) in
            do throws(CacheError) {
                return try store.body(of: candidate)
            } catch  where error.code == .damaged {
                if candidate.receivedID == nil { configuration.onTrouble("\(error)") }
                return nil
            }
        }
    }

    // MARK: Changing

    /// Invalidates the responses stored for a URL (RFC 9111 §4.4).
    func invalidate(_ url: WebURL) async throws {
        let others = try await Blocking.run { try self.invalidateNow(url) }
        for url in others + [url] { noteChange(of: url) }
    }

    /// Invalidates the responses stored for a URL, and blocks.
    func invalidateAtOnce(_ url: WebURL) throws(CacheError) {
        for url in try invalidateNow(url) + [url] { noteChange(of: url) }
    }

    /// Invalidates the responses that answer a URL, and those that share a group.
    ///
    /// - Returns: The other URLs of which a response was invalidated.
    private func invalidateNow(_ url: WebURL) throws(CacheError) -> [WebURL] {
        invalidations.note(url)
        memory.update(url) { candidate in
            var response = candidate.response
            response.isInvalidated = true
            return response
        }
        let others = try store.invalidateAll(url)
        for other in others { invalidations.note(other) }
        return others
    }

    /// Removes the responses stored for a URL, and invalidates those in packages; blocks.
    func remove(_ url: WebURL) throws(CacheError) {
        defer { noteChange(of: url) }
        memory.remove(url)
        let candidates = try store.candidates(for: url)
        let ids = candidates.compactMap(\.receivedID)
        if !ids.isEmpty { try store.remove(ids) }
        if ids.count < candidates.count { try store.invalidate(url) }
    }

    /// Invalidates and removes stored responses that an origin's answer contradicts.
    func invalidate(_ reception: Reception, _ request: ResolverRequest, _ candidates: [StoredCandidate]) async {
        let urls = reception.invalidates.compactMap { text -> WebURL? in
            if text.isEmpty { return request.url }
            guard let url = try? WebURL(text, base: request.url), url.origin == request.url.origin else { return nil }
            return url
        }
        let removed = reception.removing.compactMap { candidates[$0].receivedID }
        let onDisk = removed.filter { !$0.isInMemoryOnly }
        let isPackageWrong = reception.removing.contains { candidates[$0].receivedID == nil }
        guard !urls.isEmpty || !reception.removing.isEmpty || !reception.groups.isEmpty else { return }
        let (url, groups) = (request.url, reception.groups)
        forget(removed, of: url)
        await change(urls + [url]) { store throws(CacheError) in
            var others: [WebURL] = []
            for url in urls { others += try store.invalidateNow(url) }
            if !groups.isEmpty {
                store.invalidations.note(origin: url.origin)
                others += try store.store.invalidate(groups: Set(groups), of: url.origin)
            }
            for other in Set(others) { store.noteChange(of: other) }
            if !onDisk.isEmpty { try store.store.remove(onDisk) }
            if isPackageWrong { try store.store.invalidate(url) }
        }
    }

    /// Removes responses that only memory has.
    private func forget(_ ids: [ReceivedID], of url: WebURL) {
        guard ids.contains(where: \.isInMemoryOnly) else { return }
        memory.remove(url) { candidate in candidate.receivedID.map { ids.contains($0) } ?? false }
    }

    /// Updates stored responses with the fields of a 304 or a HEAD response.
    func update(_ url: WebURL, _ updates: [(candidate: StoredCandidate, response: StoredResponse)]) async {
        await change([url]) { store throws(CacheError) in
            for (candidate, response) in updates {
                guard let id = candidate.receivedID else {
                    try store.store.freshenPackageEntry(url, response)
                    continue
                }
                if id.isInMemoryOnly {
                    store.memory.update(url) { $0.receivedID == id ? response : nil }
                } else {
                    try store.store.update(id, response)
                }
            }
        }
    }

    /// Changes the cache; on failure, clients still get their answers.
    private func change(
        _ urls: [WebURL],
        _ body: @escaping @Sendable (ResolverStore) throws(CacheError) -> Void
    ) async {
        // In a task of its own: a client that leaves must not keep the cache from learning this (RFC 9111 §4.4).
        let task = Task {
            // An origin may name groups with very many responses, which must not occupy all threads.
            let room = store.hasRelatedResponses ? relatedRoom : nil
            await room?.enter()
            defer { room?.leave() }
            try await Blocking.run { try body(self) }
        }
        do {
            try await task.value
        } catch {
            configuration.onTrouble("\(error)")
        }
        // Even after an error, a part may have been changed.
        for url in Set(urls) { noteChange(of: url) }
    }

    // MARK: Receiving

    /// Begins to store a response; nil if that isn't possible.
    func receive(_ response: StoredResponse, for url: WebURL, replacing: [ReceivedID]) async -> ReceivedBody? {
        let store = store
        let onDisk = replacing.filter { !$0.isInMemoryOnly }
        do {
            return try await Blocking.run { try store.receive(response, for: url, replacing: onDisk) }
        } catch is CancellationError {
            return nil
        } catch {
            cannotKeep(url, "\(error)")
            return nil
        }
    }

    /// Stores a response whose body is complete, with another body if the program wants to change it.
    func keep(_ file: ReceivedBody, of url: WebURL, _ proposal: StoringProposal, replacing: [ReceivedID]) async {
        do {
            let isKept = try await Blocking.run { () throws -> Bool in
                guard let change = proposal.changeBody else {
                    self.replace(with: try file.finish(), of: url)
                    return true
                }
                file.abandon()
                guard file.written <= StoringProposal.changedBodyLimit else {
                    throw CacheError(.full, subject: url.description, message: "the body is too large to be changed")
                }
                guard let body = change(try file.allBytes()) else { return false }
                var proposal = proposal
                proposal.changeBody = nil
                try self.store(proposal, body: body, replacing: replacing)
                return true
            }
            if isKept { noteChange(of: url) }
        } catch {
            cannotKeep(url, "\(error)")
        }
    }

    /// Removes responses in memory in whose place a newer one was stored.
    private func replace(with new: StoredCandidate, of url: WebURL) {
        memory.remove(url) { new.standsFor($0) }
    }

    /// Stores a response that the program has itself; blocks.
    func put(_ proposal: StoringProposal, body: [UInt8]) throws(CacheError) {
        try store(proposal, body: body, replacing: [])
        noteChange(of: proposal.url)
    }

    /// Stores a complete response; blocks.
    private func store(_ proposal: StoringProposal, body: [UInt8], replacing: [ReceivedID]) throws(CacheError) {
        let (url, response) = (proposal.url, proposal.response)
        let onDisk = replacing.filter { !$0.isInMemoryOnly }
        switch proposal.place {
        case .nowhere: return
        case .memory:
            guard memory.add(response, body: body, of: url, replacing: replacing) else {
                throw CacheError(.full, subject: url.description, message: "there is no room for it in memory")
            }
            // What is on disk is older.
            let older =
                try onDisk
                + store.candidates(for: url).filter { old in
                    memory.candidates(for: url).contains { $0.standsFor(old) }
                }.compactMap(\.receivedID)
            if !older.isEmpty { try store.remove(Array(Set(older))) }
        case .disk:
            let file = try store.receive(response, for: url, replacing: onDisk)
            // Not `withUnsafeBytes`, which can't pass typed errors on.
            let result = body.withUnsafeBytes { bytes in Result { () throws(CacheError) in try file.write(bytes) } }
            try result.get()
            replace(with: try file.finish(), of: url)
        }
    }

    /// Stores a response in memory only; reports if there is no room.
    func keepInMemory(_ proposal: StoringProposal, body: [UInt8], replacing: [ReceivedID]) async {
        var (proposal, body) = (proposal, body)
        if let change = proposal.changeBody {
            guard let changed = change(body) else { return }
            body = changed
            proposal.changeBody = nil
        }
        do {
            let (known, bytes) = (proposal, body)
            try await Blocking.run { try self.store(known, body: bytes, replacing: replacing) }
            noteChange(of: proposal.url)
        } catch {
            cannotKeep(proposal.url, "\(error)")
        }
    }

    /// The largest body for which memory can have room, in bytes.
    var largestBodyInMemory: Int { memory.largestBody }

    /// Reports a response that may be stored but isn't.
    ///
    /// The query may be secret, and isn't part of the line.
    func cannotKeep(_ url: WebURL, _ reason: String) {
        configuration.onTrouble("cannot store '\(url.description.prefix { $0 != "?" })': \(reason)")
    }
}

extension StoredCandidate {
    /// The identifier of a received response; nil for a package's entry.
    var receivedID: ReceivedID? { if case .received(let id) = origin { id } else { nil } }
}

extension ReceivedBody {
    /// Reads all bytes written so far; blocks.
    fileprivate func allBytes() throws(CacheError) -> [UInt8] {
        let count = Int(written)
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(CacheError) in try self.read(into: buffer, at: 0) }
        }
        return Array(bytes.prefix(try result.get()))
    }
}
