public import AFCHTTP
internal import HTTPTypes

extension CacheDecision {
    /// Decides what to do with the head of the origin's final answer.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - request: The client's request.
    ///   - forwarding: What was sent.
    ///   - stored: What was stored when it was sent.
    ///   - requested: When it was sent.
    ///   - received: When the head was received.
    ///   - rules: How the cache is set up.
    /// - Returns: What the client gets, and what changes in the store.
    public static func receive(
        _ response: OriginResponse,
        to request: CacheRequest,
        forwarding: Forwarding,
        stored: [StoredResponse],
        requested: Timestamp,
        received: Timestamp,
        rules: CachingRules
    ) -> Reception {
        let exchange = OriginExchange(
            request: request,
            head: RequestHead(request),
            forwarding: forwarding,
            response: response,
            requested: requested,
            received: received,
            rules: rules
        )
        if response.status.code == 304, let index = forwarding.validating, stored.indices.contains(index) {
            return exchange.notModified(index, stored)
        }
        if let code = FailureRules.serverFailure(response.status.code),
            let action = FailureRules.answer(.status(code), exchange.request, forwarding, stored, received, rules),
            case .serve(let answer, let index, _) = action
        {
            return Reception(outcome: .serveStale(answer, stored: index))
        }
        if request.method == .head, response.status.code == 200, let reception = exchange.head(stored) {
            return reception
        }
        return exchange.answered(stored)
    }
}
