public import AFCHTTP
public import HTTPTypes

/// How old a stored response is, and how long it is fresh (RFC 9111 §4.2), at one point in time.
public struct Freshness: Equatable, Sendable {
    /// For whom responses are stored; shared caches obey `s-maxage`, `proxy-revalidate` and `private`.
    public enum Sharing: Sendable {
        /// One user.
        case isPrivate
        /// Several users, as behind a server.
        case shared
    }

    /// The age in seconds, never negative (RFC 9111 §4.2.3).
    public let age: Int64
    /// For how many seconds from its making the response is fresh, or nil where it doesn't say (RFC 9111 §4.2.1).
    public let lifetime: Int64?
    /// Whether the lifetime was guessed from Last-Modified (RFC 9111 §4.2.2).
    public let isHeuristic: Bool
    /// Whether the origin forbids to serve the response once it is stale (RFC 9111 §4.2.4).
    public let forbidsStale: Bool
    /// Whether each use needs a validation (RFC 9111 §5.2.2.4), or the next one does (§4.4).
    public let needsValidation: Bool

    /// The most that is guessed, in seconds: a week.
    static let heuristicLimit: Int64 = 604_800

    /// Whether the response itself says for how long it is fresh (RFC 9111 §4.2.1), so that it can be fresh or expired.
    public var isStated: Bool { lifetime != nil && !isHeuristic }

    /// How many seconds the response stays fresh; negative for how long it has been stale.
    ///
    /// Without a lifetime it has been stale for all its age: nothing is guessed for what came in a package.
    public var ttl: Int64 { (lifetime ?? 0).subtractingSaturated(age) }
    /// Whether the response may be served without a word.
    public var isFresh: Bool { lifetime.map { $0 > age } ?? false }
    /// For how many seconds the response has been stale.
    var staleness: Int64 { ttl < 0 ? Int64(0).subtractingSaturated(ttl) : 0 }

    /// Calculates the freshness of a response.
    ///
    /// - Parameters:
    ///   - response: What is stored.
    ///   - now: The time to calculate for.
    ///   - sharing: For whom responses are stored.
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
        let explicit = Self.explicitLifetime(head, received: response.received, sharing: sharing)
        lifetime = explicit ?? Self.heuristicLifetime(of: response, head)
        isHeuristic = explicit == nil && lifetime != nil
        let control = head.control
        let isShared = sharing == .shared
        forbidsStale =
            control.mustRevalidate || (isShared && (control.proxyRevalidate || control.sharedMaxAge != nil))
        needsValidation = control.isNoCache || response.isInvalidated
    }

    /// RFC 9111 §4.2.1; what is no date lies in the past (§5.3).
    private static func explicitLifetime(_ head: ResponseFacts, received: Timestamp, sharing: Sharing) -> Int64? {
        if sharing == .shared, let seconds = head.control.sharedMaxAge { return seconds }
        if let seconds = head.control.maxAge { return seconds }
        guard let text = head.expires else { return nil }
        guard let expires = HTTPDate.parse(text, now: received) else { return 0 }
        return max(0, expires - head.date)
    }

    /// RFC 9111 §4.2.2: a tenth of the time that the response had not changed for, where that may be guessed.
    private static func heuristicLifetime(of response: StoredResponse, _ head: ResponseFacts) -> Int64? {
        guard response.source == .received, let text = head.lastModified,
            head.control.isPublic || StatusRules.isHeuristicallyCacheable(response.status),
            let lastModified = HTTPDate.parse(text, now: response.received), lastModified < head.date
        else { return nil }
        return min((head.date - lastModified) / 10, heuristicLimit)
    }
}
