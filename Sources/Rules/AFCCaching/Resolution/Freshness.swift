public import AFCHTTP
public import HTTPTypes

/// The age and the freshness of a stored response (RFC 9111 §4.2) at one point in time.
public struct Freshness: Equatable, Sendable {
    /// The users that responses are stored for; shared caches obey `s-maxage`, `proxy-revalidate` and `private`.
    public enum Sharing: Sendable {
        /// One user.
        case isPrivate
        /// Several users, as behind a server.
        case shared
    }

    /// The age in seconds, never negative (RFC 9111 §4.2.3).
    public let age: Int64
    /// The seconds from its creation for which the response is fresh, or nil if it doesn't say (RFC 9111 §4.2.1).
    public let lifetime: Int64?
    /// True if the lifetime was estimated from Last-Modified (RFC 9111 §4.2.2).
    public let isHeuristic: Bool
    /// True if the origin forbids serving the response stale (RFC 9111 §4.2.4).
    public let forbidsStale: Bool
    /// True if each use requires revalidation (RFC 9111 §5.2.2.4), or the next one does (§4.4).
    public let needsValidation: Bool

    /// The longest lifetime that is estimated, in seconds: a week.
    static let heuristicLimit: Int64 = 604_800

    /// True if the response itself states its lifetime (RFC 9111 §4.2.1), or the program assigned one, so that it can be
    /// fresh or expired.
    public var isStated: Bool { lifetime != nil && !isHeuristic }

    /// The seconds for which the response stays fresh; negative for the time since it became stale.
    ///
    /// Without a lifetime it counts as stale for its whole age: no lifetime is estimated for packaged responses.
    public var ttl: Int64 { (lifetime ?? 0).subtractingSaturated(age) }
    /// True if the response may be served without marking it stale.
    public var isFresh: Bool { lifetime.map { $0 > age } ?? false }
    /// The seconds for which the response has been stale.
    var staleness: Int64 { ttl < 0 ? Int64(0).subtractingSaturated(ttl) : 0 }

    /// Calculates the freshness of a response.
    ///
    /// - Parameters:
    ///   - response: The stored response.
    ///   - now: The time to calculate for.
    ///   - sharing: The users that responses are stored for.
    ///   - targets: The fields that replace Cache-Control (RFC 9213).
    public init(
        of response: StoredResponse,
        at now: Timestamp,
        sharing: Sharing,
        targets: [HTTPField.Name] = []
    ) {
        let head = ResponseFacts(response.fields, received: response.received, targets: targets)
        self.init(of: response, head: head, at: now, sharing: sharing)
    }

    init(of response: StoredResponse, head: ResponseFacts, at now: Timestamp, sharing: Sharing) {
        // RFC 9111 §4.2.3, with its names.
        let apparentAge = max(0, response.received - head.date)
        let responseDelay = response.requested.map { max(0, response.received - $0) } ?? 0
        let correctedAgeValue = head.age.addingSaturated(responseDelay)
        let correctedInitialAge = max(apparentAge, correctedAgeValue)
        let residentTime = max(0, now - response.received)
        age = correctedInitialAge.addingSaturated(residentTime)
        let assigned = response.assignedLifetime.map { $0.addingSaturated(correctedInitialAge) }
        let explicit = assigned ?? Self.explicitLifetime(head, received: response.received, sharing: sharing)
        lifetime = explicit ?? Self.heuristicLifetime(of: response, head)
        isHeuristic = explicit == nil && lifetime != nil
        let control = head.control
        let isShared = sharing == .shared
        forbidsStale =
            control.mustRevalidate || (isShared && (control.proxyRevalidate || control.sharedMaxAge != nil))
        needsValidation = (control.isNoCache && assigned == nil) || response.isInvalidated
    }

    /// Returns the stated lifetime (RFC 9111 §4.2.1); an invalid Expires counts as in the past (§5.3).
    private static func explicitLifetime(_ head: ResponseFacts, received: Timestamp, sharing: Sharing) -> Int64? {
        if sharing == .shared, let seconds = head.control.sharedMaxAge { return seconds }
        if let seconds = head.control.maxAge { return seconds }
        guard let text = head.expires else { return nil }
        guard let expires = HTTPDate.parse(text, now: received) else { return 0 }
        return max(0, expires - head.date)
    }

    /// Returns an estimated lifetime (RFC 9111 §4.2.2): a tenth of the time since the last change, if an estimate is
    /// allowed.
    private static func heuristicLifetime(of response: StoredResponse, _ head: ResponseFacts) -> Int64? {
        guard response.source == .received, let text = head.lastModified,
            head.control.isPublic || StatusRules.isHeuristicallyCacheable(response.status),
            let lastModified = HTTPDate.parse(text, now: response.received), lastModified < head.date
        else { return nil }
        return min((head.date - lastModified) / 10, heuristicLimit)
    }
}
