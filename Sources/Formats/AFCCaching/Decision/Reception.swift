public import HTTPTypes

/// The head of an origin's final answer.
public struct OriginResponse: Equatable, Sendable {
    /// The status; interim responses (1xx) are passed on as they come and never get here (RFC 9110 §15.2).
    public var status: HTTPResponse.Status
    /// The fields; trailers are not among them, and are never merged into them (RFC 9111 §3.1).
    public var fields: HTTPFields

    /// Creates a head.
    public init(status: HTTPResponse.Status, fields: HTTPFields) {
        self.status = status
        self.fields = fields
    }
}

/// What a cache does with the head of an origin's answer.
public struct Reception: Equatable, Sendable {
    /// What the client gets, and what is stored.
    public enum Outcome: Equatable, Sendable {
        /// The client gets the origin's answer, with these fields.
        ///
        /// Where `storing` is there, the response is stored in place of the ones at `replacing`; its size is 0, since it isn't known
        /// yet. A stored response with status 206 has the bytes of its Content-Range as its body.
        case pass(fields: HTTPFields, storing: StoredResponse?, replacing: [Int])
        /// The stored response at an index is still right: it is updated, and answers (RFC 9111 §4.3.4, §4.3.5).
        case freshened(index: Int, updated: StoredResponse, answer: Resolution, alsoUpdated: [Freshened])
        /// The stored response at an index answers in place of the origin's error (RFC 5861 §4, RFC 9111 §4.3.3).
        case serveStale(Resolution, stored: Int)
        /// The 304 doesn't fit what is stored: the origin is asked again, without conditions (RFC 9111 §4.3.4).
        case refetch(Forwarding)
    }

    /// Another stored response that a 304 or a HEAD updates.
    public struct Freshened: Equatable, Sendable {
        /// Its index.
        public var index: Int
        /// It, with the new fields.
        public var updated: StoredResponse

        /// Creates an update.
        public init(index: Int, updated: StoredResponse) {
            self.index = index
            self.updated = updated
        }
    }

    /// What the client gets, and what is stored.
    public var outcome: Outcome
    /// URIs whose stored responses count as invalidated from now on (RFC 9111 §4.4): empty text for the target URI, and the values of
    /// Location and Content-Location as received.
    ///
    /// The caller resolves them against the target URI and takes those of the same origin only. It invalidates before it stores.
    public var invalidates: [String]
    /// Stored responses that are no longer right; what came in a package is marked as invalidated instead.
    public var removing: [Int]
    /// A condition on storing: the value of Content-Location, which has to be the target URI once it is resolved (RFC 9110 §9.3.3);
    /// nil for none.
    public var storesOnlyAt: String?
    /// What the last line of Cache-Status says where the origin's answer is passed; else the resolution has it.
    public var cacheStatus: CacheStatus?

    /// Creates a reception.
    ///
    /// - Parameters:
    ///   - outcome: What the client gets, and what is stored.
    ///   - invalidates: URIs whose stored responses count as invalidated.
    ///   - removing: Stored responses that are no longer right.
    ///   - storesOnlyAt: The Content-Location that has to be the target URI for the answer to be stored.
    ///   - cacheStatus: What the last line of Cache-Status says where the origin's answer is passed.
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
