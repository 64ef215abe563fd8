public import HTTPTypes

/// The head of an origin's final answer.
public struct OriginResponse: Equatable, Sendable {
    /// The status; interim responses (1xx) are passed on separately and never get here (RFC 9110 §15.2).
    public var status: HTTPResponse.Status
    /// The fields, without trailers, which are never merged into them (RFC 9111 §3.1).
    public var fields: HTTPFields

    /// Creates a head.
    public init(status: HTTPResponse.Status, fields: HTTPFields) {
        self.status = status
        self.fields = fields
    }
}

/// The decision of a cache about the head of an origin's answer.
public struct Reception: Equatable, Sendable {
    /// The client's answer and the response to store.
    public enum Outcome: Equatable, Sendable {
        /// The client gets the origin's answer, with these fields.
        ///
        /// If `storing` isn't nil, that response is stored in place of those at `replacing`; its size is 0, since it
        /// isn't known yet. The body of a stored response with status 206 consists of the bytes of its Content-Range.
        case pass(fields: HTTPFields, storing: StoredResponse?, replacing: [Int])
        /// The stored response at an index is confirmed: it is updated, and answers (RFC 9111 §4.3.4, §4.3.5).
        case freshened(index: Int, updated: StoredResponse, answer: Resolution, alsoUpdated: [Freshened])
        /// The stored response at an index answers in place of the origin's error (RFC 5861 §4, RFC 9111 §4.3.3).
        case serveStale(Resolution, stored: Int)
        /// The 304 matches no stored response: the request is sent again, without conditions (RFC 9111 §4.3.4).
        case refetch(Forwarding)
    }

    /// Another stored response that a 304 or a HEAD updates.
    public struct Freshened: Equatable, Sendable {
        /// Its index.
        public var index: Int
        /// The response with the new fields.
        public var updated: StoredResponse

        /// Creates an update.
        public init(index: Int, updated: StoredResponse) {
            self.index = index
            self.updated = updated
        }
    }

    /// The client's answer and the response to store.
    public var outcome: Outcome
    /// URIs whose stored responses are invalidated (RFC 9111 §4.4): an empty text for the target URI, and the values of
    /// Location and Content-Location as received.
    ///
    /// The caller resolves them against the target URI, and uses only those of the same origin. It invalidates before
    /// it stores.
    public var invalidates: [String]
    /// The indices of stored responses that are outdated; packaged ones are marked as invalidated instead of removed.
    public var removing: [Int]
    /// A condition on storing: the value of Content-Location, which must resolve to the target URI (RFC 9110 §9.3.3);
    /// nil for none.
    public var storesOnlyAt: String?
    /// The groups whose stored responses of the same origin are invalidated (RFC 9875 §3).
    package var groups: [String] = []
    /// The last member of Cache-Status if the origin's answer is passed on; otherwise the resolution contains it.
    public var cacheStatus: CacheStatus?

    /// Creates a reception.
    ///
    /// - Parameters:
    ///   - outcome: The client's answer and the response to store.
    ///   - invalidates: URIs whose stored responses are invalidated.
    ///   - removing: The indices of stored responses that are outdated.
    ///   - storesOnlyAt: The Content-Location that must be the target URI for the answer to be stored.
    ///   - cacheStatus: The last member of Cache-Status if the origin's answer is passed on.
    public init(
        outcome: Outcome,
        invalidates: [String] = [],
        removing: [Int] = [],
        storesOnlyAt: String? = nil,
        cacheStatus: CacheStatus? = nil
    ) {
        self.outcome = outcome
        self.invalidates = invalidates
        self.removing = removing
        self.storesOnlyAt = storesOnlyAt
        self.cacheStatus = cacheStatus
    }
}
