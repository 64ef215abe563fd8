internal import AFCHTTP
internal import HTTPTypes

/// A request to the origin and its answer.
struct AnsweredRequest {
    var request: CacheRequest
    var head: RequestHead
    var forwarding: Forwarding
    var response: OriginResponse
    var requested: Timestamp
    var received: Timestamp
    var rules: CachingRules

    // MARK: 304

    /// Handles a 304 (RFC 9111 §4.3.4).
    func notModified(_ index: Int, _ stored: [StoredResponse]) -> Reception {
        guard Freshening.fits(response.fields, stored[index]) else {
            return Reception(outcome: .refetch(.again(request, head, forwarding.reason)))
        }
        return freshened(index, stored, others: sameStrong(index, stored))
    }

    /// Returns other stored responses with the answer's strong validator.
    private func sameStrong(_ index: Int, _ stored: [StoredResponse]) -> [Int] {
        stored.indices.filter { $0 != index && Freshening.isSameStrong(response.fields, stored[$0]) }
    }

    /// Returns true if the answer doesn't change the Vary of a stored response, of whose request only the fields are
    /// known that Vary names.
    private func keepsVary(_ stored: StoredResponse) -> Bool {
        let vary = response.fields[values: .vary]
        return vary.isEmpty || vary == stored.fields[values: .vary]
    }

    private func freshened(
        _ index: Int,
        _ stored: [StoredResponse],
        others: [Int],
        removing: [Int] = []
    ) -> Reception {
        var updated = update(stored[index])
        let facts = ResponseFacts(updated.fields, received: received, targets: rules.targets)
        let names = Vary.names(facts.vary)
        if updated.source == .received, let names {
            updated.requestFields = Vary.selecting(names, from: forwarding.fields)
        }
        let candidate = Candidate(
            index: index,
            response: updated,
            head: facts,
            match: .matched,
            freshness: Freshness(of: updated, head: facts, at: received, sharing: rules.sharing)
        )
        var status = CacheStatus(forward: forwarding.reason)
        status.forwardStatus = response.status.code
        status.ttl = candidate.freshness.ttl
        let answer = Answer.make(candidate, request, head, status: status, isValidated: true)
        // The stored response was stored lawfully, even if this client has credentials (RFC 9111 §3.5).
        let isAllowed =
            names != nil && Storing.allows(facts.control, status: updated.status, anonymous, rules.sharing)
        return Reception(
            outcome: .freshened(
                index: index,
                updated: updated,
                answer: answer,
                alsoUpdated: isAllowed
                    ? others.filter { keepsVary(stored[$0]) }
                        .map { Reception.Freshened(index: $0, updated: update(stored[$0])) } : []
            ),
            removing: isAllowed ? removing : removing + [index]
        )
    }

    /// The request's head without credentials.
    private var anonymous: RequestHead {
        var head = head
        head.hasAuthorization = false
        return head
    }

    private func update(_ old: StoredResponse) -> StoredResponse {
        var updated = Freshening.updated(
            old,
            with: response.fields,
            requested: requested,
            received: received,
            rules: rules
        )
        // A HEAD without validators doesn't confirm that the stored bytes are current (RFC 9111 §4.4).
        let isValidation =
            response.status.code == 304 || response.fields.contains(.eTag) || response.fields.contains(.lastModified)
        updated.isInvalidated = old.isInvalidated && !isValidation
        return updated
    }

    // MARK: HEAD

    /// Handles the answer to a HEAD (RFC 9111 §4.3.5); nil if no stored response matches it.
    func head(_ stored: [StoredResponse]) -> Reception? {
        let selected = stored.indices.filter {
            stored[$0].status == 200
                && Vary.match(stored[$0], vary: stored[$0].fields[values: .vary], request: request.fields) == .matched
        }
        guard !selected.isEmpty else { return nil }
        let described = selected.filter { Freshening.describes(response.fields, stored[$0]) }
        let outdated = selected.filter { !described.contains($0) }
        let latest = described.max { stored[$0].date < stored[$1].date }
        guard let latest else {
            var reception = answered(stored)
            reception.removing = outdated
            return reception
        }
        return freshened(latest, stored, others: described.filter { $0 != latest }, removing: outdated)
    }

    // MARK: Other answers

    /// Handles an answer that goes to the client and may be stored.
    func answered(_ stored: [StoredResponse]) -> Reception {
        // The fields sent to the origin decide which requests its answer matches, whatever else the client sent.
        let sent = CacheRequest(method: request.method, fields: forwarding.fields)
        let isProvisional = Storing.isProvisional(response, for: sent, stored, received: received, rules: rules)
        let new =
            isProvisional
            ? nil
            : Storing.stored(
                response,
                for: sent,
                RequestHead(sent),
                requested: requested,
                received: received,
                rules: rules
            )
        var fields = response.fields.withoutConnectionFields
        // RFC 9110 §6.6.1: an answer without Date gets one; existing Date and Age are passed on unchanged.
        if !fields.contains(.date) { fields[.date] = HTTPDate.format(received) }
        var status = CacheStatus(forward: forwarding.reason)
        status.isStored = new != nil
        if let new {
            status.ttl = Freshness(of: new, at: received, sharing: rules.sharing, targets: rules.targets).ttl
        }
        status.append(to: &fields)
        let isPost = request.method == .post
        let replacing = new.map { Storing.replaced(by: $0, stored, sent) } ?? []
        var reception = Reception(
            outcome: .pass(fields: fields, storing: new, replacing: isPost ? [] : replacing),
            invalidates: invalidated,
            removing: new == nil && !isProvisional ? outdated(stored) : [],
            storesOnlyAt: isPost && new != nil ? response.fields[.contentLocation] : nil,
            cacheStatus: status
        )
        // RFC 9875 §3: ignored with a safe method.
        if isUnsafe { reception.groups = CacheGroups.names(in: response.fields[values: .cacheGroupInvalidation]) }
        return reception
    }

    private var isUnsafe: Bool { !Self.safeMethods.contains(request.method.rawValue) }

    /// The URIs that an answer invalidates, if it isn't an error and the method isn't safe (RFC 9111 §4.4).
    private var invalidated: [String] {
        guard isUnsafe, (200..<400).contains(response.status.code) else { return [] }
        return [""] + response.fields[values: .location] + response.fields[values: .contentLocation]
    }

    /// The methods of RFC 9110 §9.2.1, and the registered safe methods of RFC 3253, 4918, 5323; an unknown method
    /// counts as unsafe.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]

    /// Returns the revalidated response if another one that isn't stored came in its place (RFC 9111 §4.3.3).
    ///
    /// Errors, and answers for one user, don't make it outdated.
    private func outdated(_ stored: [StoredResponse]) -> [Int] {
        guard let index = forwarding.validating, stored.indices.contains(index), !head.hasAuthorization else {
            return []
        }
        switch response.status.code {
        case 200, 203, 204, 206, 300...303, 307, 308, 404, 410: return [index]
        default: return []
        }
    }
}
