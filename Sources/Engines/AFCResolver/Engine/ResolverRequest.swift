public import AFCCache
public import AFCCaching
internal import AFCHTTP
public import AFCURL
public import HTTPTypes

/// A request that the resolver is to answer.
public struct ResolverRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The fields as the client sent them.
    public var fields: HTTPFields
    /// The body, or nil for none.
    public var body: ByteStream?
    /// The bytes of the body where they are known.
    public var bodyLength: Int64?
    /// What is taken of what is stored.
    var reuse = Reuse()
    /// Which of several requests that wait for an origin goes first.
    var priority = RequestPriority.normal

    /// Creates a request.
    public init(
        method: HTTPRequest.Method = .get,
        url: WebURL,
        fields: HTTPFields = HTTPFields(),
        body: ByteStream? = nil,
        bodyLength: Int64? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.bodyLength = bodyLength
    }

    /// What the caching decisions are made of.
    var caching: CacheRequest { CacheRequest(method: method, fields: fields) }

    /// Whether something that is stored may answer.
    ///
    /// RFC 9110 §9.3: no other method is answered from the store; what they invalidate is found by its URL. A body with GET is one
    /// that the origin may heed, so its answer is no other request's (RFC 9110 §9.3.1).
    var mayBeStored: Bool { (method == .get || method == .head) && body == nil }
}

/// The resolver's answer.
public struct ResolverResponse: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// Nothing.
        case none
        /// A stored body, or parts of it.
        case stored(StoredBody, Resolution.Body)
        /// Bytes that are still on their way; they end with an error where the origin breaks off.
        case stream(ByteStream)
    }

    /// Where an answer comes from.
    public enum Source: String, Sendable, CaseIterable {
        /// The store, without the origin.
        case hit
        /// The store, after the origin said that it is still right.
        case revalidated
        /// The store, though it is stale.
        case stale
        /// The origin.
        case miss
        /// The resolver itself, as nothing can be served.
        case refused
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// The fields; Content-Length is there where the length is known.
    public var fields: HTTPFields
    /// What follows the head.
    public var body: Body
    /// Where the answer comes from.
    public var source: Source
    /// Why it is what it is, where the store or the resolver answered.
    public var verdict: Resolution.Verdict?
    /// What the last line of Cache-Status says; nil where that isn't of this cache.
    public var cacheStatus: CacheStatus?
    /// Whether every request without conditions, ranges and directives gets this answer, whatever its other fields are.
    public var isForAll = false

    /// Creates an answer.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields,
        body: Body,
        source: Source,
        verdict: Resolution.Verdict? = nil,
        cacheStatus: CacheStatus? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.source = source
        self.verdict = verdict
        self.cacheStatus = cacheStatus
    }

    /// The answer that was decided on, with what is stored.
    init(_ resolution: Resolution, _ body: StoredBody?, source: Source) {
        self.init(
            status: resolution.status,
            fields: resolution.fields,
            body: body.map { .stored($0, resolution.body) } ?? .none,
            source: source,
            verdict: resolution.verdict,
            cacheStatus: resolution.cacheStatus
        )
    }

    /// The refusal that was decided on.
    init(refusing resolution: Resolution) {
        self.init(resolution, nil, source: .refused)
        fields[.contentLength] = "0"
    }

    /// A refusal of the resolver's own.
    init(refusing status: HTTPResponse.Status, _ cacheStatus: CacheStatus) {
        self.init(status: status, fields: HTTPFields(), body: .none, source: .refused, cacheStatus: cacheStatus)
        cacheStatus.append(to: &fields)
        fields[.contentLength] = "0"
    }
}
