internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOPosix
internal import Synchronization

extension Resolver {
    typealias Interim = @Sendable (Int, HTTPFields) async -> Void

    // MARK: Those who wait

    /// The answer for the client whose request went out.
    func first(
        of flight: Flight,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate]
    ) async throws -> ResolverResponse {
        switch try await flight.outcome(isFirst: true) {
        case .own(let response): return response
        case .shared(let shared): return shared.answerForFirst() ?? gone
        case .failed(let failure): return try await afterFailure(failure, request, forwarding, candidates)
        }
    }

    /// The answer for a client that waited, or nil where it has to be decided anew.
    func other(
        of flight: Flight,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate]
    ) async throws -> ResolverResponse? {
        switch try await flight.outcome(isFirst: false) {
        case .own: return nil
        // Whoever it was for has left, not this client.
        case .failed(let failure) where failure.code == .cancelled: return nil
        case .shared(let shared):
            return shared.answer(to: request.caching, forwarding, now: configuration.now(), rules: rules(for: request))
        case .failed(let failure): return try await afterFailure(failure, request, forwarding, candidates)
        }
    }

    /// The answer where what was to be served is no longer there.
    private var gone: ResolverResponse {
        var fields = HTTPFields()
        fields[.cacheStatus] = CacheStatus(forward: .miss, detail: "body-has-left").description
        fields[.cacheControl] = "no-store"
        fields[.contentLength] = "0"
        return ResolverResponse(status: .badGateway, fields: fields, body: .none, source: .refused)
    }

    func afterFailure(
        _ failure: TransportFailure,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate]
    ) async throws -> ResolverResponse {
        if failure.code == .cancelled { throw CancellationError() }
        switch failed(failure, request, forwarding, candidates.map(\.response)) {
        case .serve(let resolution, let index, _):
            let source: ResolverResponse.Source = resolution.verdict == .stale ? .stale : .hit
            return try await serve(resolution, candidates[index], source: source) ?? gone
        case .refuse(let resolution):
            var response = refusal(resolution)
            // It isn't that the origin failed: nobody asked it.
            if failure.code == .forbidden { response.status = .forbidden }
            return response
        case .forward: return gone
        }
    }

    private func failed(
        _ failure: TransportFailure,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ stored: [StoredResponse]
    ) -> CacheAction {
        let (now, rules) = (configuration.now(), configuration.rules)
        if request.reuse.overridesOffline {
            return CacheDecision.decide(request.caching, stored: stored, now: now, rules: rules)
        }
        return CacheDecision.fail(
            failure.kind,
            request: request.caching,
            forwarding: forwarding,
            stored: request.reuse.toleratesFailure ? stored : [],
            now: now,
            rules: rules
        )
    }

    // MARK: The one who asks

    /// Validates a stored response that is being served (RFC 5861 §3), unless a flight just ended that may have done so.
    func validateBehind(
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate],
        ended: UInt64
    ) {
        var request = request
        (request.method, request.body, request.bodyLength) = (.get, nil, nil)
        guard let (flight, isNew) = flights.join(request.url, isBehind: true, ended: ended), isNew else { return }
        begin(flight, request, forwarding, candidates, interim: { _, _ in })
    }

    /// Sends a request in a task of its own, since others may wait for the answer when the first client has gone.
    func begin(
        _ flight: Flight,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate],
        interim: @escaping Interim
    ) {
        let task = tasks.run {
            await self.ask(flight, request, forwarding, candidates, interim: interim)
            self.flights.leave(request.url, flight)
        }
        guard let task else { return end(flight, request, .failed(.cancelled)) }
        if !flight.isBehind { flight.onLastWaiter { task.cancel() } }
    }

    private func ask(
        _ flight: Flight,
        _ request: ResolverRequest,
        _ forwarding: Forwarding,
        _ candidates: [StoredCandidate],
        interim: @escaping Interim
    ) async {
        var forwarding = forwarding
        // A 304 that fits nothing is followed by one request without conditions.
        for _ in 0..<2 {
            let requested = configuration.now()
            let response: TransportResponse
            do throws(TransportFailure) {
                response = try await transport.send(outgoing(request, forwarding), interim: interim)
            } catch {
                return end(flight, request, .failed(error))
            }
            // RFC 9110 §15: a transport passes interim responses on by itself, and 101 answers an Upgrade, which has its own way.
            guard response.status >= 200 else {
                let reason = "the origin answers with the status \(response.status), which wasn't asked for"
                return end(flight, request, .failed(TransportFailure(.malformed, reason)))
            }
            let isRefused = response.status >= 500 && !request.reuse.toleratesFailure
            let reception = CacheDecision.receive(
                OriginResponse(status: HTTPResponse.Status(stored: response.status), fields: response.fields),
                to: request.caching,
                forwarding: forwarding,
                stored: isRefused ? [] : candidates.map(\.response),
                requested: requested,
                received: configuration.now(),
                rules: rules(for: request)
            )
            await invalidate(reception, request, candidates)
            switch reception.outcome {
            case .refetch(let again): forwarding = again
            case .pass(let fields, let storing, let replacing):
                return await pass(
                    response,
                    fields: fields,
                    storing: mayStore(reception, request) ? storing : nil,
                    replacing: replacing.compactMap { candidates[$0].receivedID },
                    request,
                    flight
                )
            case .freshened(let index, let updated, let resolution, let others):
                await update([(index, updated)] + others.map { ($0.index, $0.updated) }, request, candidates)
                if await finish(flight, request, resolution, candidates[index], source: .revalidated) { return }
                // What was validated has just left: the whole is asked for.
                forwarding.fields[.ifNoneMatch] = nil
                forwarding.fields[.ifModifiedSince] = nil
                forwarding.validating = nil
            case .serveStale(let resolution, let index):
                if await finish(flight, request, resolution, candidates[index], source: .stale) { return }
                return end(flight, request, .failed(Self.bodyHasLeft))
            }
        }
        end(
            flight,
            request,
            .failed(TransportFailure(.malformed, "the origin answers a request without conditions with 304"))
        )
    }

    /// Tells the outcome; whoever comes from now on begins anew.
    private func end(_ flight: Flight, _ request: ResolverRequest, _ outcome: Flight.Outcome) {
        flights.leave(request.url, flight)
        flight.resolve(outcome)
    }

    /// Answers with what is stored; false where its body has just left.
    private func finish(
        _ flight: Flight,
        _ request: ResolverRequest,
        _ resolution: Resolution,
        _ candidate: StoredCandidate,
        source: ResolverResponse.Source
    ) async -> Bool {
        do {
            guard let response = try await serve(resolution, candidate, source: source) else { return false }
            end(flight, request, .own(response))
        } catch {
            end(flight, request, .failed(TransportFailure(.disconnected, "the stored body can't be read: \(error)")))
        }
        return true
    }

    private static let bodyHasLeft = TransportFailure(.disconnected, "the stored body has just left the store")

    private func outgoing(_ request: ResolverRequest, _ forwarding: Forwarding) -> TransportRequest {
        var fields = forwarding.fields
        if let pseudonym = configuration.pseudonym {
            fields.append(HTTPField(name: .via, value: "1.1 \(pseudonym)"))
        }
        return TransportRequest(
            method: request.method,
            url: request.url,
            fields: fields,
            body: request.body,
            bodyLength: request.bodyLength,
            priority: request.priority
        )
    }

    // MARK: The store

    /// RFC 9110 §9.3.3: the answer to POST is stored only where it is of the target itself.
    private func mayStore(_ reception: Reception, _ request: ResolverRequest) -> Bool {
        guard let location = reception.storesOnlyAt else { return request.body == nil }
        return (try? WebURL(location, base: request.url)) == request.url
    }

    private func invalidate(_ reception: Reception, _ request: ResolverRequest, _ candidates: [StoredCandidate]) async {
        let urls = reception.invalidates.compactMap { text -> WebURL? in
            if text.isEmpty { return request.url }
            guard let url = try? WebURL(text, base: request.url), url.origin == request.url.origin else { return nil }
            return url
        }
        let removed = reception.removing.compactMap { candidates[$0].receivedID }
        let isPackageWrong = reception.removing.contains { candidates[$0].receivedID == nil }
        guard !urls.isEmpty || !reception.removing.isEmpty else { return }
        await change { store throws(CacheError) in
            for url in urls { try store.invalidate(url) }
            if !removed.isEmpty { try store.remove(removed) }
            if isPackageWrong { try store.invalidate(request.url) }
        }
    }

    private func update(
        _ updates: [(index: Int, response: StoredResponse)],
        _ request: ResolverRequest,
        _ candidates: [StoredCandidate]
    ) async {
        await change { store throws(CacheError) in
            for (index, response) in updates {
                if let id = candidates[index].receivedID {
                    try store.update(id, response)
                } else {
                    try store.freshenPackageEntry(request.url, response)
                }
            }
        }
    }

    /// Changes the store; where that fails, clients get their answers all the same.
    private func change(_ body: @escaping @Sendable (OfflineCache) throws(CacheError) -> Void) async {
        let store = store
        // In a task of its own, as a client that leaves mustn't keep the cache from knowing what it learnt (RFC 9111 §4.4).
        let task = Task { try await NIOThreadPool.singleton.runIfActive { try body(store) } }
        do {
            try await task.value
            noteChange()
        } catch {
            configuration.onTrouble("\(error)")
        }
    }
}

extension StoredCandidate {
    /// Its name among what was received; nil for what came in a package.
    var receivedID: ReceivedID? { if case .received(let id) = origin { id } else { nil } }
}

extension TransportFailure {
    /// What the caching rules make of it.
    fileprivate var kind: OriginFailure {
        switch code {
        case .unreachable, .disconnected, .insecure, .refused, .forbidden, .cancelled: .unreachable
        case .timedOut: .timedOut
        case .malformed: .malformed
        }
    }
}
