internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCOrigin
internal import AFCURL
internal import HTTPTypes

/// The sender of requests to origins; lets equal requests share one response, which is stored while it is passed on.
struct Forwarder: Sendable {
    typealias Interim = @Sendable (Int, HTTPFields) async -> Void

    /// A request for the origin, with the responses stored for it.
    struct Question: Sendable {
        var request: ResolverRequest
        var forwarding: Forwarding
        let candidates: [StoredCandidate]

        init(_ request: ResolverRequest, _ forwarding: Forwarding, _ candidates: [StoredCandidate]) {
            self.request = request
            self.forwarding = forwarding
            self.candidates = candidates
        }
    }

    /// The result of waiting for a shared response.
    enum Shared {
        case answer(ResolverResponse)
        /// The response matches only other clients' requests.
        case suitsOthers
        /// A request for the same resource has ended since the cache was looked into, so the cache may have its
        /// response.
        case hasEnded
    }

    private let transport: any OriginTransport
    private let store: ResolverStore
    private let decider: Decider
    private let via: ViaName?
    private let configuration: Resolver.Configuration
    private let flights: Flights
    /// The tasks that send requests, even after all clients have gone.
    private let tasks = OwnedTasks()

    init(
        _ transport: any OriginTransport,
        _ store: ResolverStore,
        _ decider: Decider,
        _ via: ViaName?,
        _ configuration: Resolver.Configuration
    ) {
        self.transport = transport
        self.store = store
        flights = Flights(store.invalidations)
        self.decider = decider
        self.via = via
        self.configuration = configuration
    }

    /// Cancels all requests to origins, waits until they have ended, and closes the transport's connections.
    func shutDown() async {
        // A task may wait for a connection that only the transport can end.
        tasks.cancel()
        await transport.shutDown()
        await tasks.end()
    }

    // MARK: Waiting

    /// Returns the number of flights that have ended for a URL, and for a few others; to be read before looking into
    /// the cache.
    func ended(_ url: WebURL) -> UInt64 { flights.ended(url) }

    /// Sends a request for one client alone.
    func ask(_ question: Question, interim: @escaping Interim) async throws -> ResolverResponse {
        try await begin(flights.single(question.request.url), question, interim: interim)
    }

    /// Waits for the response to an equal request that is on its way, or sends the request if there is none.
    ///
    /// `ended` is the value of ``ended(_:)`` before the cache was looked into, or nil after a second look.
    func share(_ question: Question, ended: UInt64?, interim: @escaping Interim) async throws -> Shared {
        guard let (flight, isNew) = flights.join(question.request.url, ended: ended) else { return .hasEnded }
        guard !isNew else { return .answer(try await begin(flight, question, interim: interim)) }
        switch try await flight.outcome(isFirst: false) {
        case .own: return .suitsOthers
        // The client that it was for has gone, not this one.
        case .failed(let failure) where failure.code == .cancelled: return .suitsOthers
        case .failed(let failure): return .answer(try await answer(after: failure, question))
        case .shared(let shared):
            let request = question.request
            let (now, rules) = (configuration.now(), decider.rules(for: request))
            let answer = shared.answer(to: request.caching, question.forwarding, now: now, rules: rules)
            return answer.map { .answer($0) } ?? .suitsOthers
        }
    }

    /// Revalidates a stored response that is being served (RFC 5861 §3), unless a request that just ended may have done
    /// so.
    func validateBehind(_ question: Question, ended: UInt64) {
        var question = question
        (question.request.method, question.request.body, question.request.bodyLength) = (.get, nil, nil)
        let joined = flights.join(question.request.url, isBehind: true, ended: ended)
        guard let (flight, isNew) = joined, isNew else { return }
        send(flight, question, interim: { _, _ in })
    }

    /// Sends the request, and answers the client whose request it is.
    private func begin(
        _ flight: Flight,
        _ question: Question,
        interim: @escaping Interim
    ) async throws -> ResolverResponse {
        send(flight, question, interim: interim)
        switch try await flight.outcome(isFirst: true) {
        case .own(let response): return response
        case .shared(let shared): return shared.answerForFirst() ?? .gone
        case .failed(let failure): return try await answer(after: failure, question)
        }
    }

    private func answer(after failure: TransportFailure, _ question: Question) async throws -> ResolverResponse {
        if failure.code == .cancelled { throw CancellationError() }
        let stored = question.candidates
        switch decider.fail(failure.kind, question.request, question.forwarding, stored) {
        case .serve(let resolution, let index, _):
            var response = try await store.serve(resolution, stored[index]) ?? .gone
            response.fail(failure)
            return response
        case .refuse(let resolution):
            // A program that is offline gets the refusal of the rules that then apply.
            let isForwarded = resolution.cacheStatus.forward != nil
            let refusal = isForwarded ? resolution.with(detail: failure.cause.rawValue) : resolution
            var response = ResolverResponse(refusing: refusal)
            response.fail(failure)
            // The origin didn't fail: it was never contacted.
            if failure.code == .forbidden { response.status = .forbidden }
            return response
        case .forward: return .gone
        }
    }

    // MARK: Sending

    /// Sends a request in a task of its own, since other clients may wait for the response when the first one has gone.
    private func send(_ flight: Flight, _ question: Question, interim: @escaping Interim) {
        let task = tasks.run {
            await exchange(flight, question, interim: interim)
            flights.leave(question.request.url, flight)
        }
        guard let task else { return end(flight, question.request, .failed(.cancelled)) }
        if !flight.isBehind { flight.onLastWaiter { task.cancel() } }
    }

    private func exchange(_ flight: Flight, _ question: Question, interim: @escaping Interim) async {
        let (request, candidates) = (question.request, question.candidates)
        let rules = decider.rules(for: request)
        var forwarding = question.forwarding
        func end(_ outcome: Flight.Outcome) { self.end(flight, request, outcome) }
        func fail(_ failure: TransportFailure) {
            if failure.code != .cancelled { configuration.onOriginFailure(request.url, failure) }
            end(.failed(failure))
        }
        // A 304 that matches no stored response is followed by one unconditional request.
        for _ in 0..<2 {
            let requested = configuration.now()
            let response: TransportResponse
            do throws(TransportFailure) {
                response = try await transport.send(outgoing(request, forwarding), interim: interim)
            } catch {
                return fail(error)
            }
            // RFC 9110 §15: a transport passes interim responses on by itself, and 101 belongs to Upgrade, which is
            // handled separately.
            guard response.status >= 200 else {
                let reason = "the origin sent the status \(response.status), which the request doesn't allow"
                return fail(TransportFailure(.malformed, reason))
            }
            let isRefused = response.status >= 500 && !request.reuse.toleratesFailure
            let reception = CacheDecision.receive(
                OriginResponse(status: HTTPResponse.Status(stored: response.status), fields: response.fields),
                to: request.caching,
                forwarding: forwarding,
                stored: isRefused ? [] : candidates.map(\.response),
                requested: requested,
                received: configuration.now(),
                rules: rules
            )
            await store.invalidate(reception, request, candidates)
            // A response that invalidates the older ones isn't older itself.
            let since = reception.invalidates.isEmpty ? flight.invalidations : store.invalidations[request.url]
            switch reception.outcome {
            case .refetch(let again): forwarding = again
            case .pass(let fields, let storing, let replacing):
                let passing = Passing(
                    response: response,
                    fields: fields,
                    cacheStatus: reception.cacheStatus,
                    storing: mayStore(reception, request) ? storing.flatMap { proposal($0, request) } : nil,
                    replacing: replacing.compactMap { candidates[$0].receivedID },
                    since: since
                )
                return await pass(passing, request, flight)
            case .freshened(let index, let updated, let resolution, let others):
                let updates = [(index, updated)] + others.map { ($0.index, $0.updated) }
                await keep(request.url, since: since) {
                    await store.update(request.url, updates.map { (candidates[$0.0], $0.1) })
                }
                if await serve(flight, request, resolution, candidates[index], source: .revalidated) { return }
                // The revalidated body has just been removed: an unconditional request follows.
                forwarding.fields[.ifNoneMatch] = nil
                forwarding.fields[.ifModifiedSince] = nil
                forwarding.validating = nil
            case .serveStale(let resolution, let index):
                if await serve(flight, request, resolution, candidates[index], source: .stale) { return }
                return end(.failed(TransportFailure(.disconnected, "the stored body has just been removed")))
            }
        }
        fail(TransportFailure(.malformed, "the origin sent 304 Not Modified to an unconditional request"))
    }

    /// Stores a response, unless its URL was invalidated since it was asked for: the origin may have made it before the
    /// change that the invalidation is about.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - since: The number of invalidations before.
    ///   - keep: Stores it.
    /// - Returns: False if it wasn't stored.
    @discardableResult
    private func keep(_ url: WebURL, since: UInt64, _ keep: () async -> Void) async -> Bool {
        guard store.invalidations[url] == since else { return false }
        await keep()
        // What became invalid meanwhile may have been stored after that.
        guard store.invalidations[url] != since else { return true }
        do {
            try await store.invalidate(url)
        } catch {
            configuration.onTrouble("\(error)")
        }
        return true
    }

    /// Ends the flight with an outcome; a later request starts over.
    private func end(_ flight: Flight, _ request: ResolverRequest, _ outcome: Flight.Outcome) {
        flights.leave(request.url, flight)
        flight.resolve(outcome)
    }

    /// Answers with a stored response; false if its body has just been removed.
    private func serve(
        _ flight: Flight,
        _ request: ResolverRequest,
        _ resolution: Resolution,
        _ candidate: StoredCandidate,
        source: ResolverResponse.Source
    ) async -> Bool {
        do {
            guard var response = try await store.serve(resolution, candidate, source: source) else { return false }
            if source == .stale, let status = resolution.cacheStatus.forwardStatus {
                ProxyStatus(receivedStatus: status).append(to: &response.fields)
            }
            end(flight, request, .own(response))
        } catch {
            // The reason names files, which are none of a client's business.
            configuration.onTrouble("\(error)")
            end(flight, request, .failed(TransportFailure(.disconnected, "the stored body can't be read")))
        }
        return true
    }

    private func outgoing(_ request: ResolverRequest, _ forwarding: Forwarding) -> TransportRequest {
        var outgoing = TransportRequest(
            method: request.method,
            url: request.url,
            fields: sent(forwarding.fields, for: request),
            body: request.body,
            bodyLength: request.bodyLength,
            priority: request.priority
        )
        outgoing.silence = request.silence
        return outgoing
    }

    /// Returns the fields for the origin: with those that it gets in addition, and with this cache added to Via.
    private func sent(_ fields: HTTPFields, for request: ResolverRequest) -> HTTPFields {
        var fields = fields
        fields.append(contentsOf: request.originFields)
        guard let via else { return fields }
        fields.append(HTTPField(name: .via, value: "\(request.receivedProtocol) \(via.name(for: request.url))"))
        return fields
    }

    /// Returns true if the response may be stored; for POST, only if it describes the target itself (RFC 9110 §9.3.3).
    private func mayStore(_ reception: Reception, _ request: ResolverRequest) -> Bool {
        guard let location = reception.storesOnlyAt else { return request.body == nil }
        return (try? WebURL(location, base: request.url)) == request.url
    }

    // MARK: Passing on

    /// An origin's response on its way to clients and, if it may be stored, into the cache.
    private struct Passing: Sendable {
        var response: TransportResponse
        var fields: HTTPFields
        var cacheStatus: CacheStatus?
        var storing: StoringProposal?
        var replacing: [ReceivedID]
        /// The number of invalidations of the URL before the response.
        var since: UInt64

        /// Takes back that the response is stored (RFC 9211 §2.5).
        mutating func leaveOut() {
            guard var status = cacheStatus, status.isStored else { return }
            status.isStored = false
            fields[values: .cacheStatus] = fields[values: .cacheStatus].dropLast() + [status.description]
            cacheStatus = status
        }
    }

    private func pass(_ passing: Passing, _ request: ResolverRequest, _ flight: Flight) async {
        let response = passing.response
        var passing = passing
        passing.fields[.contentLength] = contentLength(response, request)
        let isTooLarge = response.bodyLength.map { $0 > configuration.largestStoredBody } ?? false
        if let proposal = passing.storing, !isTooLarge {
            if proposal.place == .memory { return keepInMemory(passing, proposal, request, flight) }
            if let file = await store.receive(proposal.response, for: request.url, replacing: passing.replacing) {
                return await keep(passing, proposal, file, request, flight)
            }
        }
        // No other client may get it, so none waits for it.
        passing.leaveOut()
        let answer = ResolverResponse(
            status: HTTPResponse.Status(stored: response.status),
            fields: passing.fields,
            body: .stream(response.body),
            source: .miss,
            cacheStatus: passing.cacheStatus
        )
        end(flight, request, .own(answer))
    }

    /// Returns the Content-Length of a response to HEAD or a 304, which states the length of a body that isn't sent
    /// (RFC 9110 §8.6).
    private func contentLength(_ response: TransportResponse, _ request: ResolverRequest) -> String? {
        if request.method == .head || response.status == 304 { return response.fields[.contentLength] }
        return response.bodyLength.map { String($0) }
    }

    /// Returns the response that is to be stored, as the program wants it; nil if it doesn't.
    private func proposal(_ storing: StoredResponse, _ request: ResolverRequest) -> StoringProposal? {
        var proposal = StoringProposal(storing, for: request)
        configuration.onStoring?(&proposal)
        guard proposal.place != .nowhere else { return nil }
        if let info = proposal.userInfo, info.count > StoringProposal.userInfoLimit {
            store.cannotKeep(request.url, "the program's data has more than \(StoringProposal.userInfoLimit) bytes")
            return nil
        }
        return proposal
    }

    /// Passes a response on, and stores it in memory when its body has been read.
    private func keepInMemory(
        _ passing: Passing,
        _ proposal: StoringProposal,
        _ request: ResolverRequest,
        _ flight: Flight
    ) {
        let limit = min(Int64(store.largestBodyInMemory), configuration.largestStoredBody)
        let body = KeptBody(passing.response, limit: limit) { [store] bytes in
            await keep(request.url, since: passing.since) {
                await store.keepInMemory(proposal, body: bytes, replacing: passing.replacing)
            }
        }
        let answer = ResolverResponse(
            status: HTTPResponse.Status(stored: passing.response.status),
            fields: passing.fields,
            body: .stream(body),
            source: .miss,
            cacheStatus: passing.cacheStatus
        )
        end(flight, request, .own(answer))
    }

    /// Stores a response while clients read it.
    private func keep(
        _ passing: Passing,
        _ proposal: StoringProposal,
        _ file: ReceivedBody,
        _ request: ResolverRequest,
        _ flight: Flight
    ) async {
        let response = passing.response
        let limit = mostStored(response)
        let body = SharedBody(file, limit: limit)
        let shared = SharedResponse(
            proposal.response,
            size: response.bodyLength,
            fields: passing.fields,
            cacheStatus: passing.cacheStatus,
            body: body
        )
        let pump = Task {
            let ending = await write(passing, proposal, into: body, file, limit: limit)
            // Clients that come when the response is complete look into the cache.
            flights.leave(request.url, flight)
            body.end(ending)
        }
        // When all clients have gone, a nearly complete response is fetched to its end, so that the next client has it.
        body.onAbandonment(length: response.bodyLength, finishingBytes: configuration.finishingBytes) { pump.cancel() }
        flight.resolve(.shared(shared))
        body.release(isWanted: flight.isBehind)
        // From here on, only the resolver's shutdown cancels this task.
        await withTaskCancellationHandler {
            await pump.value
        } onCancel: {
            pump.cancel()
        }
    }

    /// Returns the most bytes of a body that are stored.
    ///
    /// Without a stated length it may be endless, such as a radio program; of those that nobody asked to be stored, less
    /// is written.
    private func mostStored(_ response: TransportResponse) -> Int64 {
        guard configuration.rules.storesWithoutLifetime, response.bodyLength == nil,
            response.fields[.eTag] == nil, response.fields[.cacheControl] == nil
        else { return configuration.largestStoredBody }
        return min(Self.mostWithoutLength, configuration.largestStoredBody)
    }

    /// The most bytes that are stored of a body that states neither a length, nor whether it may be stored.
    private static let mostWithoutLength: Int64 = 64 << 20

    /// Writes a body into the cache.
    ///
    /// - Returns: Success if the body is complete, else the error.
    private func write(
        _ passing: Passing,
        _ proposal: StoringProposal,
        into body: SharedBody,
        _ file: ReceivedBody,
        limit: Int64
    ) async -> Result<Void, any Error> {
        let (response, url) = (passing.response, proposal.url)
        do {
            for try await bytes in response.body {
                await body.append(bytes)
                try Task.checkCancellation()
            }
            // Some sequences end without an error when they are cancelled.
            try Task.checkCancellation()
            if let length = response.bodyLength, body.count != length {
                throw TransportFailure(.disconnected, "the body's length differs from its Content-Length")
            }
        } catch {
            file.abandon()
            return .failure(error)
        }
        if body.isKept {
            let isKept = await keep(url, since: passing.since) {
                await store.keep(file, of: url, proposal, replacing: passing.replacing)
            }
            if !isKept { file.abandon() }
        } else {
            let isLong = body.count > limit
            store.cannotKeep(
                url,
                isLong ? "its body has more than \(limit) bytes" : "the cache has no room for its body"
            )
            file.abandon()
        }
        return .success(())
    }

    // MARK: Other protocols

    /// Sends a request to switch to another protocol (RFC 9110 §7.8); nil if the transport can't.
    func upgrade(_ request: ResolverRequest) async throws(TransportFailure) -> UpgradeAnswer? {
        guard let transport = transport as? any TunnelTransport else { return nil }
        var fields = request.fields.withoutConnectionFields
        fields[fields: .upgrade] = request.fields[fields: .upgrade]
        do throws(TransportFailure) {
            return try await transport.upgrade(
                TransportRequest(method: request.method, url: request.url, fields: sent(fields, for: request))
            )
        } catch {
            if error.code != .cancelled { configuration.onOriginFailure(request.url, error) }
            throw error
        }
    }
}

extension TransportFailure {
    /// The failure as the caching rules see it.
    fileprivate var kind: OriginFailure {
        switch code {
        case .unreachable, .disconnected, .insecure, .forbidden, .cancelled: .unreachable
        case .refused: .busy
        case .timedOut: .timedOut
        case .malformed: .malformed
        }
    }
}
