internal import HTTPTypes

/// How old a stored response is, and how long it is fresh (RFC 9111 §4.2), at one point in time.
public struct Freshness: Equatable, Sendable {
    /// For whom responses are stored; shared caches obey `s-maxage` and `proxy-revalidate`.
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
    /// Whether the origin forbids to serve the response once it is stale (RFC 9111 §4.2.4).
    public let forbidsStale: Bool
    /// Whether each use needs a validation (RFC 9111 §5.2.2.4).
    public let needsValidation: Bool

    /// How many seconds the response stays fresh; negative for how long it has been stale.
    ///
    /// Without a lifetime it has been stale for all its age: nothing is guessed for what came in a package.
    public var ttl: Int64 { (lifetime ?? 0) - age }
    /// Whether the response may be served without a word.
    public var isFresh: Bool { lifetime.map { $0 > age } ?? false }

    /// Calculates the freshness of a response.
    ///
    /// - Parameters:
    ///   - response: What is stored.
    ///   - now: The time to calculate for.
    ///   - sharing: For whom responses are stored.
    public init(of response: StoredResponse, at now: Timestamp, sharing: Sharing) {
        let control = CacheControl(response.fields)
        let apparent = max(0, response.received - response.date)
        let ageText = response.fields[.age].flatMap { FieldText.list($0).first }
        let ageValue = ageText.flatMap { FieldText.deltaSeconds($0) } ?? 0
        let resident = max(0, now - response.received)
        let (sum, overflow) = max(apparent, ageValue).addingReportingOverflow(resident)
        age = overflow ? .max : sum
        lifetime = Self.lifetime(of: response, control: control, sharing: sharing)
        let isShared = sharing == .shared
        forbidsStale =
            control.mustRevalidate || (isShared && (control.has("proxy-revalidate") || control.sharedMaxAge != nil))
        needsValidation = control.isNoCache
    }

    private static func lifetime(
        of response: StoredResponse,
        control: CacheControl,
        sharing: Sharing
    ) -> Int64? {
        if sharing == .shared, let seconds = control.sharedMaxAge { return seconds }
        if let seconds = control.maxAge { return seconds }
        guard let text = response.fields[values: .expires].first else { return nil }
        guard let expires = HTTPDate.parse(text, now: response.received) else { return 0 }
        return max(0, expires - response.date)
    }
}
