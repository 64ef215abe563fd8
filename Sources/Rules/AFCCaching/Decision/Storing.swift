internal import AFCHTTP
internal import HTTPTypes

/// The rules for storing a response (RFC 9111 §3).
enum Storing {
    /// Returns the response in the form in which it is stored, or nil if it isn't stored.
    ///
    /// - Parameters:
    ///   - response: The head of the origin's answer.
    ///   - request: The request.
    ///   - head: The parsed fields of the request.
    ///   - requested: The time the request was sent.
    ///   - received: The time the head was received.
    ///   - rules: The rules of the cache.
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
        stored.assignedLifetime = assignedLifetime(facts, status: status, rules)
        guard isWorthwhile(stored, facts, request, rules) else { return nil }
        return stored
    }

    /// Returns the lifetime that the program assigns to a response, in seconds; nil for none.
    static func assignedLifetime(_ facts: ResponseFacts, status: Int, _ rules: CachingRules) -> Int64? {
        guard status < 400, StatusRules.isHeuristicallyCacheable(status) else { return nil }
        if let seconds = rules.assignedLifetime { return max(0, seconds) }
        guard !facts.hasExplicitFreshness(rules.sharing), !facts.control.isNoCache else { return nil }
        return rules.defaultLifetime.map { max(0, $0) }
    }

    /// Checks status and method (RFC 9111 §3): GET, and POST if the answer says that a GET would get the same (RFC 9110
    /// §9.3.3).
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
        // RFC 6585 §3 to §6: these are about one request, and no cache may store them.
        case 428, 429, 431, 511: return false
        // RFC 9111 §3.3: a single part, whose place is known.
        case 206: return head.range != nil && StoredPart(fields) != nil
        default: return true
        }
    }

    /// Checks the directives (RFC 9111 §3, §3.5, §5.2.2).
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

    /// Returns true if the response explicitly may be stored (RFC 9111 §3), and could ever be used.
    private static func isWorthwhile(
        _ stored: StoredResponse,
        _ facts: ResponseFacts,
        _ request: CacheRequest,
        _ rules: CachingRules
    ) -> Bool {
        if mayServeStale(stored, request, rules) { return true }
        let (control, sharing) = (facts.control, rules.sharing)
        let isExplicit = facts.hasExplicitFreshness(sharing) || stored.assignedLifetime != nil
        let isSaid =
            isExplicit || control.isPublic || (control.isPrivate && sharing == .isPrivate)
            || StatusRules.isHeuristicallyCacheable(stored.status)
        guard isSaid, isExplicit || request.method == .get else { return false }
        // RFC 9111 §7.3: a cookie doesn't make a response private. But an origin that sets one and neither allows
        // sharing nor states a positive lifetime hasn't said that all users may get the same cookie.
        if sharing == .shared, stored.fields.contains(.setCookie), !control.isPublic {
            let freshness = Freshness(of: stored, head: facts, at: stored.received, sharing: sharing)
            guard isExplicit, (freshness.lifetime ?? 0) > 0 else { return false }
        }
        // The program may want it for the time when the origin can't be reached.
        if facts.hasValidator || stored.assignedLifetime != nil { return true }
        let freshness = Freshness(of: stored, head: facts, at: stored.received, sharing: sharing)
        if (freshness.lifetime ?? 0) > 0, !freshness.needsValidation { return true }
        return isExplicit && !control.isNoCache
            && (control.staleIfError != nil || control.staleWhileRevalidate != nil)
    }

    /// Returns true if the response is stored even if it is never fresh; see ``CachingRules/storesWithoutLifetime``.
    ///
    /// Errors aren't, so that they don't take the place of the last success.
    private static func mayServeStale(
        _ stored: StoredResponse,
        _ request: CacheRequest,
        _ rules: CachingRules
    ) -> Bool {
        guard rules.storesWithoutLifetime, rules.sharing == .isPrivate, request.method == .get else { return false }
        switch stored.status {
        case 200, 203, 204, 300...303, 307, 308: return !stored.fields.isEndless
        default: return false
        }
    }

    /// Returns true if an answer neither replaces a stored success nor makes it outdated.
    ///
    /// The network's login page answers in the origin's place: with a temporary redirect, or with HTML for an image or
    /// data. Without a lifetime, no cache needs to store these (RFC 9111 §3), and the success serves offline.
    ///
    /// - Parameters:
    ///   - response: The head of the answer.
    ///   - request: The request as it was sent.
    ///   - stored: The stored responses of the URL.
    ///   - received: The time the head was received.
    ///   - rules: The rules of the cache.
    /// - Returns: True if a stored success stays the answer for later.
    static func isProvisional(
        _ response: OriginResponse,
        for request: CacheRequest,
        _ stored: [StoredResponse],
        received: Timestamp,
        rules: CachingRules
    ) -> Bool {
        let isHTML = response.fields.isHTML
        switch response.status.code {
        case 302, 303, 307: break
        case 200 where isHTML && !response.fields.contains(.eTag) && !response.fields.contains(.lastModified): break
        default: return false
        }
        let new = StoredResponse(
            status: response.status.code,
            fields: response.fields,
            size: 0,
            received: received,
            requestFields: HTTPFields(),
            requested: received,
            source: .received
        )
        let freshness = Freshness(of: new, at: received, sharing: rules.sharing, targets: rules.targets)
        guard (freshness.lifetime ?? 0) <= 0 else { return false }
        return stored.contains { old in
            (200..<300).contains(old.status) && (response.status.code != 200 || !old.fields.isHTML)
                && Vary.match(old, vary: old.fields[values: .vary], request: request.fields) == .matched
        }
    }

    /// The most parts of one representation that are stored, since each client may request others.
    static let partLimit = 8

    /// Returns the stored responses that a new one replaces: those that the request would have selected.
    ///
    /// An error doesn't replace the last successful response, which may be served again later.
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
    /// True for a body that arrives for as long as the client reads: events, or pictures in place of each other.
    fileprivate var isEndless: Bool {
        guard let type = self[.contentType].flatMap({ MediaType($0) }) else { return false }
        return type.essence == "text/event-stream" || type.essence == "multipart/x-mixed-replace"
    }

    /// True for a page.
    fileprivate var isHTML: Bool {
        guard let type = self[.contentType].flatMap({ MediaType($0) }) else { return false }
        return type.essence == "text/html" || type.essence == "application/xhtml+xml"
    }

    /// Removes fields by their names in lower case.
    mutating func removeFields(_ names: [String]) {
        guard !names.isEmpty else { return }
        removeAll { names.contains($0.name.canonicalName) }
    }
}
