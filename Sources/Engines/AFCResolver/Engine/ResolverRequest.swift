public import AFCCache
public import AFCCaching
internal import AFCHTTP
public import AFCURL
public import HTTPTypes

/// A request to the resolver.
public struct ResolverRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The fields as the client sent them.
    public var fields: HTTPFields
    /// Fields that are sent to the origin in addition, and select no stored response; the response must not depend on
    /// them.
    public var originFields = HTTPFields()
    /// The body, or nil for none.
    public var body: ByteStream?
    /// The length of the body in bytes, if known.
    public var bodyLength: Int64?
    /// The seconds for which the response is fresh once it is stored, whatever the origin says; nil for what it says.
    public var assignedLifetime: Int64?
    /// The place where the response is stored, if it may be.
    public var storingPlace = StoringProposal.Place.disk
    /// Data of the program to keep with the response if it is stored, at most 64 KiB; nil for none.
    public var userInfo: [UInt8]?
    /// The time for which the origin may send nothing; nil for the transport's own limit.
    public var silence: Duration?
    /// The version of HTTP in which the request came, for Via (RFC 9110 §7.6.3).
    package var receivedProtocol = "1.1"
    /// The request's use of stored responses.
    var reuse = Reuse()
    /// The priority among requests that wait for an origin.
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

    /// The request as the caching decisions see it.
    var caching: CacheRequest { CacheRequest(method: method, fields: fields) }

    /// True if a stored response may answer.
    ///
    /// Other methods are never answered from stored responses; those they invalidate are found by URL (RFC 9110 §9.3).
    /// The origin may obey the body of a GET, so its response can't answer other requests (RFC 9110 §9.3.1).
    var mayBeStored: Bool { (method == .get || method == .head) && body == nil }
}

/// The resolver's answer.
public struct ResolverResponse: Sendable {
    /// The source of the body.
    public enum Body: Sendable {
        /// Nothing.
        case none
        /// A stored body, or parts of it.
        case stored(StoredBody, Resolution.Body)
        /// Bytes that are still arriving; they end with an error if the connection to the origin breaks.
        case stream(ByteStream)
    }

    /// The source of an answer.
    public enum Source: String, Sendable, CaseIterable {
        /// The cache, without contacting the origin.
        case hit
        /// The cache, after the origin confirmed the stored response.
        case revalidated
        /// The cache, though the response is stale.
        case stale
        /// The origin.
        case miss
        /// The resolver itself, because nothing can be served.
        case refused
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// The fields, including Content-Length if the length is known.
    public var fields: HTTPFields
    /// The body.
    public var body: Body
    /// The source of the answer.
    public var source: Source
    /// The reason for the answer, if the cache or the resolver gave it.
    public var verdict: Resolution.Verdict?
    /// The last member of Cache-Status; nil if this cache didn't write it.
    public var cacheStatus: CacheStatus?
    /// The failure of the origin, if it was asked and gave no response; nil otherwise.
    public var failure: TransportFailure?
    /// True if nothing can be served because a stored body is missing or damaged.
    package var isDamaged = false
    /// The time that the request waited for an origin; nil if none was asked.
    package var originTime: Duration?
    /// True if this answers every request without conditions, ranges and directives, whatever its other fields are.
    public var isForAll = false
    /// The program's data about the stored response that answers (``StoringProposal/userInfo``); nil for none.
    public var userInfo: [UInt8]?

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

    /// Creates the answer that was decided on, from a stored response.
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

    /// Creates the refusal that was decided on.
    init(refusing resolution: Resolution) {
        self.init(resolution, nil, source: .refused)
        fields[.contentLength] = "0"
    }

    /// Creates a refusal by the resolver itself.
    init(refusing status: HTTPResponse.Status, _ cacheStatus: CacheStatus) {
        self.init(status: status, fields: HTTPFields(), body: .none, source: .refused, cacheStatus: cacheStatus)
        cacheStatus.append(to: &fields)
        fields[.contentLength] = "0"
    }
}

extension ResolverResponse {
    /// Returns the response with the time that passed since an origin was asked.
    func after(_ began: ContinuousClock.Instant) -> ResolverResponse {
        var response = self
        response.originTime = began.duration(to: .now)
        return response
    }

    /// Notes that the origin gave no response, for the program and for clients (RFC 9209).
    mutating func fail(_ failure: TransportFailure) {
        self.failure = failure
        failure.proxyStatus?.append(to: &fields)
    }
}
