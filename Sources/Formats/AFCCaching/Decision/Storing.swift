internal import AFCHTTP
internal import HTTPTypes

/// Whether a response is stored, and in which form (RFC 9111 §3).
enum Storing {
    /// The response as it is stored, or nil where it isn't.
    ///
    /// - Parameters:
    ///   - response: The head of the origin's answer.
    ///   - request: The request.
    ///   - head: What was read from the request's fields.
    ///   - requested: When the request was sent.
    ///   - received: When the head was received.
    ///   - rules: How the cache is set up.
    /// - Returns: The response with size 0, or nil.
    static func stored(
        _ response: OriginResponse,
        for request: CacheRequest,
        _ head: RequestHead,
        requested: Timestamp,
        received: Timestamp,
        rules: CachingRules
    ) -> StoredResponse? {
        let status = response.status.code
        let fields = response.fields.storedFields
        let facts = ResponseFacts(fields, received: received, targets: rules.targets)
        guard !head.control.isNoStore, isStorable(status, request, head, response.fields) else { return nil }
        guard allows(facts.control, status: status, head, rules.sharing) else { return nil }
        guard let names = Vary.names(facts.vary) else { return nil }
        var stored = StoredResponse(
            status: status,
            fields: fields,
            size: 0,
            received: received,
            requestFields: Vary.selecting(names, from: request.fields),
            requested: requested,
            source: .received
        )
        if rules.sharing == .shared { stored.fields.removeFields(facts.control.privateFields) }
        if !fields.contains(.date) { stored.fields[.date] = HTTPDate.format(received) }
        guard isWorthwhile(stored, facts, request, rules.sharing) else { return nil }
        return stored
    }

    /// Statuses and methods (RFC 9111 §3): GET, and POST where the answer says that it is what a GET would get (RFC 9110 §9.3.3).
    private static func isStorable(
        _ status: Int,
        _ request: CacheRequest,
        _ head: RequestHead,
        _ fields: HTTPFields
    ) -> Bool {
        if request.method == .post { return status == 200 && fields[values: .contentLocation].count == 1 }
        guard request.method == .get, (200...599).contains(status) else { return false }
        switch status {
        case 304, 412, 416: return false
        // RFC 6585 §3 to §6: they are about one request, and no cache may store them.
        case 428, 429, 431, 511: return false
        // RFC 9111 §3.3: one part, of which it is known where it lies.
        case 206: return head.range != nil && StoredPart(fields) != nil
        default: return true
        }
    }

    /// What the directives allow (RFC 9111 §3, §3.5, §5.2.2).
    static func allows(
        _ control: CacheControl,
        status: Int,
        _ head: RequestHead,
        _ sharing: Freshness.Sharing
    ) -> Bool {
        if control.forbidsStoring(status: status) { return false }
        guard sharing == .shared else { return true }
        if control.isPrivate { return false }
        guard head.hasAuthorization else { return true }
        return control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
    }

    /// Whether the response says that it may be stored (RFC 9111 §3), and could ever be used.
    private static func isWorthwhile(
        _ stored: StoredResponse,
        _ facts: ResponseFacts,
        _ request: CacheRequest,
        _ sharing: Freshness.Sharing
    ) -> Bool {
        let control = facts.control
        let isExplicit = facts.hasExplicitFreshness(sharing)
        let isSaid =
            isExplicit || control.isPublic || (control.isPrivate && sharing == .isPrivate)
            || StatusRules.isHeuristicallyCacheable(stored.status)
        guard isSaid, isExplicit || request.method == .get else { return false }
        // RFC 9111 §7.3: a cookie makes nothing private. But whoever sets one and says nothing of sharing, or wants to be
        // asked each time, hasn't said either that all may have the same one.
        if sharing == .shared, stored.fields.contains(.setCookie), !control.isPublic {
            let freshness = Freshness(of: stored, head: facts, at: stored.received, sharing: sharing)
            guard isExplicit, (freshness.lifetime ?? 0) > 0 else { return false }
        }
        if facts.hasValidator { return true }
        let freshness = Freshness(of: stored, head: facts, at: stored.received, sharing: sharing)
        if (freshness.lifetime ?? 0) > 0, !control.isNoCache { return true }
        return isExplicit && !control.isNoCache
            && (control.staleIfError != nil || control.staleWhileRevalidate != nil)
    }

    /// The most parts of one representation that are kept; each client may ask for others.
    static let partLimit = 8

    /// The stored responses that a new one replaces: those that the request would have selected; but an error leaves the last good
    /// one, which is served when the error is over, or worse.
    static func replaced(
        by new: StoredResponse,
        _ stored: [StoredResponse],
        _ request: CacheRequest
    ) -> [Int] {
        let same = stored.indices.filter {
            stored[$0].source == .received && (new.status < 500 || stored[$0].status >= 500)
                && Vary.match(stored[$0], vary: stored[$0].fields[values: .vary], request: request.fields) == .matched
        }
        guard new.status == 206, let part = StoredPart(new.fields) else { return same }
        let tag = new.entityTag
        var kept: [Int] = []
        let replaced = same.filter { index in
            let old = stored[index]
            let isSame = tag.map { tag in old.entityTag.map { tag.strongMatches($0) } ?? false } ?? false
            guard isSame else { return true }
            guard old.status == 206, let oldPart = StoredPart(old.fields) else { return false }
            if part.first <= oldPart.first, oldPart.last <= part.last { return true }
            kept.append(index)
            return false
        }
        let surplus = kept.sorted { stored[$0].received > stored[$1].received }.dropFirst(partLimit - 1)
        return (replaced + surplus).sorted()
    }
}

extension HTTPFields {
    /// Removes fields by their names in lower case.
    mutating func removeFields(_ names: [String]) {
        guard !names.isEmpty else { return }
        removeAll { names.contains($0.name.canonicalName) }
    }
}
