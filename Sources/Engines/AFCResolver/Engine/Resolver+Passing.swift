internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore
internal import NIOPosix
internal import Synchronization

extension Resolver {
    /// Passes an origin's response on, and stores it where it may be.
    func pass(
        _ response: TransportResponse,
        fields: HTTPFields,
        storing: StoredResponse?,
        replacing: [ReceivedID],
        _ request: ResolverRequest,
        _ flight: Flight
    ) async {
        var fields = fields
        fields[.contentLength] = contentLength(response, request)
        let isTooLarge = response.bodyLength.map { $0 > configuration.largestStoredBody } ?? false
        if let storing, !isTooLarge, let file = await receive(storing, request, replacing) {
            return await keep(response, fields: fields, storing: storing, file, request, flight)
        }
        // Nobody else may have it, so nobody else waits for it.
        flights.leave(request.url, flight)
        flight.resolve(
            .own(
                ResolverResponse(
                    status: HTTPResponse.Status(stored: response.status),
                    fields: fields,
                    body: .stream(response.body),
                    source: .miss
                )
            )
        )
    }

    /// RFC 9110 §8.6: an answer to HEAD, and 304, say the length of what isn't sent.
    private func contentLength(_ response: TransportResponse, _ request: ResolverRequest) -> String? {
        if request.method == .head || response.status == 304 { return response.fields[.contentLength] }
        return response.bodyLength.map { String($0) }
    }

    private func receive(_ response: StoredResponse, _ request: ResolverRequest, _ replacing: [ReceivedID]) async
        -> ReceivedBody?
    {
        let (store, url) = (store, request.url)
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                try store.receive(response, for: url, replacing: replacing)
            }
        } catch {
            configuration.onTrouble("cannot keep '\(request.url)': \(error)")
            return nil
        }
    }

    /// Stores a response while clients read it.
    private func keep(
        _ response: TransportResponse,
        fields: HTTPFields,
        storing: StoredResponse,
        _ file: ReceivedBody,
        _ request: ResolverRequest,
        _ flight: Flight
    ) async {
        let body = SharedBody(file, limit: configuration.largestStoredBody)
        var stored = storing
        stored.size = response.bodyLength ?? 0
        let shared = SharedResponse(
            stored: stored,
            isSizeKnown: response.bodyLength != nil,
            fields: fields,
            body: body
        )
        let pump = Task {
            let ending = await self.pump(response, into: body, file, request)
            // Whoever comes when the clients have it all looks into the store.
            self.flights.leave(request.url, flight)
            body.end(ending)
        }
        // When the clients have gone, what is nearly there is fetched to its end, so that the next one has it.
        body.onAbandonment(length: response.bodyLength, finishingBytes: configuration.finishingBytes) { pump.cancel() }
        flight.resolve(.shared(shared))
        body.release(isWanted: flight.isBehind)
        // Only the resolver's end cancels this task from here on.
        await withTaskCancellationHandler {
            await pump.value
        } onCancel: {
            pump.cancel()
        }
    }

    /// Writes a body into the store.
    ///
    /// - Returns: How the body ended.
    private func pump(
        _ response: TransportResponse,
        into body: SharedBody,
        _ file: ReceivedBody,
        _ request: ResolverRequest
    ) async -> Result<Void, any Error> {
        do {
            for try await bytes in response.body {
                await body.append(bytes)
                try Task.checkCancellation()
            }
            // Some sequences just end where they are cancelled.
            try Task.checkCancellation()
            if let length = response.bodyLength, body.count != length {
                throw TransportFailure(.disconnected, "the body isn't as long as its head says")
            }
        } catch {
            file.abandon()
            return .failure(error)
        }
        guard body.isKept else {
            let limit = configuration.largestStoredBody
            let reason =
                body.count > limit ? "its body has more than \(limit) bytes" : "the store has no room for its body"
            configuration.onTrouble("cannot keep '\(request.url)': \(reason)")
            file.abandon()
            return .success(())
        }
        do {
            _ = try await NIOThreadPool.singleton.runIfActive { try file.finish() }
            noteChange()
        } catch {
            configuration.onTrouble("cannot keep '\(request.url)': \(error)")
        }
        return .success(())
    }
}
