public import AFCCache
public import AFCCaching
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
    /// Whether every request without conditions, ranges and directives gets this answer, whatever its other fields are.
    public var isForAll = false

    /// Creates an answer.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields,
        body: Body,
        source: Source,
        verdict: Resolution.Verdict? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.source = source
        self.verdict = verdict
    }
}
