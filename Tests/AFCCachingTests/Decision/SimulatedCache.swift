import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

/// A cache of one URI that performs decisions as they come, without bodies.
struct SimulatedCache {
    /// What a client saw.
    struct Seen {
        var status: Int
        var fields: HTTPFields
        var body: Resolution.Body?
        /// Whether the origin was not asked before the answer.
        var isFromStore: Bool
        /// What the origin got, the last time that it was asked for this answer.
        var forwarding: Forwarding?
        var reception: Reception?
        var behind: Forwarding?
    }

    var rules = CachingRules()
    var stored: [StoredResponse] = []
    var now: Int64 = 1_000_000_000
    /// How many requests the origin got.
    var asked = 0

    var time: Timestamp { Timestamp(secondsSinceEpoch: now) }

    /// Sends a request; the origin's answer is made of lines, or fails where there are none.
    @discardableResult
    mutating func send(
        _ method: HTTPRequest.Method = .get,
        _ request: [String] = [],
        status: Int = 200,
        _ response: [String]?,
        size: Int64 = 10
    ) -> Seen {
        let request = CacheRequest(method: method, fields: fields(request))
        let action = CacheDecision.decide(request, stored: stored, now: time, rules: rules)
        return perform(action, request, status, response, size)
    }

    private mutating func perform(
        _ action: CacheAction,
        _ request: CacheRequest,
        _ status: Int,
        _ response: [String]?,
        _ size: Int64
    ) -> Seen {
        switch action {
        case .serve(let answer, _, let behind):
            return Seen(
                status: answer.status.code,
                fields: answer.fields,
                body: answer.body,
                isFromStore: true,
                behind: behind
            )
        case .refuse(let answer):
            return Seen(status: answer.status.code, fields: answer.fields, body: answer.body, isFromStore: false)
        case .forward(let forwarding):
            asked += 1
            guard let response else {
                let action = CacheDecision.fail(
                    .unreachable,
                    request: request,
                    forwarding: forwarding,
                    stored: stored,
                    now: time,
                    rules: rules
                )
                return perform(action, request, status, nil, size)
            }
            return receive(status, fields(response), request, forwarding, size)
        }
    }

    private mutating func receive(
        _ status: Int,
        _ response: HTTPFields,
        _ request: CacheRequest,
        _ forwarding: Forwarding,
        _ size: Int64
    ) -> Seen {
        let reception = CacheDecision.receive(
            OriginResponse(status: HTTPResponse.Status(code: status), fields: response),
            to: request,
            forwarding: forwarding,
            stored: stored,
            requested: time,
            received: time,
            rules: rules
        )
        if reception.invalidates.contains("") {
            for index in stored.indices { stored[index].isInvalidated = true }
        }
        var seen = Seen(
            status: status,
            fields: response,
            isFromStore: false,
            forwarding: forwarding,
            reception: reception
        )
        var removed = Set(reception.removing)
        switch reception.outcome {
        case .pass(let fields, let new, let replacing):
            seen.fields = fields
            removed.formUnion(replacing)
            if var new {
                new.size = size
                stored.append(new)
            }
        case .freshened(let index, let updated, let answer, let others):
            stored[index] = updated
            for other in others { stored[other.index] = other.updated }
            seen.status = answer.status.code
            seen.fields = answer.fields
            seen.body = answer.body
        case .serveStale(let answer, _):
            seen.status = answer.status.code
            seen.fields = answer.fields
            seen.body = answer.body
        case .refetch(let again):
            asked += 1
            return receive(200, response, request, again, size)
        }
        stored = stored.indices.filter { !removed.contains($0) }.map { stored[$0] }
        return seen
    }
}

/// Fields from lines; `@` and a number of seconds stands for a date so long after 1,000,000,000.
func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
            Issue.record("'\(line)' is no field")
            continue
        }
        var value = String(line[line.index(after: colon)...].drop { $0 == " " })
        if value.hasPrefix("@"), let seconds = Int64(value.dropFirst()) {
            value = HTTPDate.format(Timestamp(secondsSinceEpoch: 1_000_000_000 + seconds))
        }
        fields.append(HTTPField(name: name, value: value))
    }
    return fields
}

/// Whether a second GET after a pause is answered from the store.
func isReused(
    _ response: [String],
    status: Int = 200,
    after seconds: Int64 = 3,
    first: [String] = [],
    second: [String] = [],
    rules: CachingRules = CachingRules()
) -> Bool {
    var cache = SimulatedCache(rules: rules)
    cache.send(.get, first, status: status, response)
    cache.now += seconds
    return cache.send(.get, second, response).isFromStore
}
