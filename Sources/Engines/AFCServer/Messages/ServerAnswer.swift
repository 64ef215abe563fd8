internal import AFCCache
public import AFCCaching
package import AFCHTTP
package import AFCResolver
public import AFCURL
public import HTTPTypes
public import NIOCore

/// The answer to a request.
///
/// The server does the framing: it drops fields that belong to the connection, and omits the body if the method or the
/// status doesn't allow one.
public struct ServerAnswer: Sendable {
    /// The source of the body.
    public enum Body: Sendable {
        /// Nothing; Content-Length is sent as given.
        case none
        /// Bytes in memory; Content-Length is theirs.
        case bytes(ByteBuffer)
        /// A stored body, or parts of it, read while it is sent; Content-Length is sent as given.
        case stored(BodyStream)
        /// Bytes that arrive while they are sent.
        ///
        /// If there is a Content-Length, the number of bytes must match it, or the connection is cut. Otherwise the
        /// bytes are sent chunked, or until the connection closes. If the stream throws, the connection is cut, so that
        /// no client takes the body for complete.
        case stream(any AsyncSequence<ByteBuffer, any Error> & Sendable)
    }

    /// The status: a final one, or 101 with a ``handover``.
    public var status: HTTPResponse.Status
    /// The fields.
    public var fields: HTTPFields
    /// The body.
    public var body: Body
    /// A closure that returns the trailer fields after the stream has ended; nil for none (RFC 9110 §6.5).
    public var trailers: (@Sendable () -> HTTPFields)?
    /// The new use of the connection after the head; for CONNECT with a 2xx status, and for 101.
    public var handover: Handover?
    /// The requests for which, and the time until which, the same answer may be repeated.
    public var repetition: Repetition?
    /// The URL of the requested resource, if there is one; for logs.
    public var url: WebURL?
    /// The package of the stored response that is served; nil for other answers.
    var package: String?
    /// The request, if it is to be listed because nothing is stored for it.
    var unanswered: UnansweredRequest?
    /// The time that the client waited for the head of an origin's response; nil if no origin was asked.
    var originTime: Duration?
    /// This cache's member of Cache-Status, the last one; nil if this cache didn't write it.
    public var cacheStatus: CacheStatus?

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The fields.
    ///   - body: The body.
    ///   - url: The URL of the requested resource.
    ///   - cacheStatus: The last member of Cache-Status, if this cache wrote it.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = HTTPFields(),
        body: Body = .none,
        url: WebURL? = nil,
        cacheStatus: CacheStatus? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
        self.cacheStatus = cacheStatus
    }

    /// The value of Content-Length.
    var statedLength: Int64? { fields[.contentLength].flatMap { Int64($0) } }

    /// Returns the place from which a body of this size, all of the answer's body, can be read again.
    func place(ofBody size: Int) -> BodyPlace? {
        guard size > 0, case .stored(let stream) = body, let place = stream.place else { return nil }
        return place.size == size ? place : nil
    }
}

/// An error for a failed origin, or a failed connection to it; answered with 502.
public protocol GatewayFailure: Error {}

extension ServerAnswer {
    /// Creates an answer from the resolver's response.
    init(_ response: ResolverResponse, url: WebURL) {
        let body: Body =
            switch response.body {
            case .none: .none
            case .stored(let stored, let part): .stored(BodyStream(part, of: stored))
            case .stream(let stream): .stream(stream)
            }
        self.init(
            status: response.status,
            fields: response.fields,
            body: body,
            url: url,
            cacheStatus: response.cacheStatus
        )
        originTime = response.originTime
    }

    /// Creates an answer with a sentence as its body.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - text: The sentence.
    ///   - detail: The word for Cache-Status.
    ///   - now: The time for Date.
    /// - Returns: The answer.
    package static func plain(
        _ status: HTTPResponse.Status,
        _ text: String,
        detail: String,
        at now: Timestamp
    ) -> ServerAnswer {
        ServerAnswer(own: status, .plain(text), detail: detail, now: now, isHead: false)
    }

    /// Returns the answer with a member of Proxy-Status (RFC 9209), for a server that stands between client and origin.
    func failing(_ error: ProxyStatus.ErrorType) -> ServerAnswer {
        var answer = self
        ProxyStatus(error: error).append(to: &answer.fields)
        return answer
    }

    /// Returns the answer as a forward proxy passes it on: with the proxy in Via (RFC 9110 §7.6.3), and over https
    /// without the origin's promises about its own TLS (RFC 6797 §8.1, RFC 7838), which would bind the client beyond
    /// the certificates that are made here.
    package func passedOn() -> ServerAnswer {
        var answer = self
        if url?.scheme == "https" { answer.fields = answer.fields.without(.promise) }
        answer.fields.append(HTTPField(name: .via, value: "1.1 afcache"))
        return answer
    }

    /// Answers a request for another protocol (RFC 9110 §7.8); nil if it isn't such a request, or can't be answered.
    static func upgrade(
        _ request: ServerRequest,
        url: WebURL,
        resolver: Resolver,
        now: @Sendable () -> Timestamp
    ) async -> ServerAnswer? {
        guard request.asksForUpgrade else { return nil }
        do throws(TransportFailure) {
            return try await resolver.upgrade(ResolverRequest(request, url: url)).map { ServerAnswer($0, url: url) }
        } catch {
            return ServerAnswer(error, at: now())
        }
    }

    /// Creates an answer from an origin's answer to a request for another protocol.
    package init(_ upgraded: UpgradeAnswer, url: WebURL) {
        switch upgraded {
        case .switched(let fields, let tunnel):
            self.init(status: .switchingProtocols, fields: fields, url: url)
            handover = .raw { client in
                try await tunnel.join(client.inbound, send: client.send, finish: client.finish)
            }
        case .response(let response):
            self.init(response, url: url)
            let status = CacheStatus(forward: .bypass)
            status.append(to: &fields)
            cacheStatus = status
        }
    }

    /// Creates an answer that passes an origin's response on.
    package init(_ response: TransportResponse, url: WebURL) {
        var fields = response.fields.withoutConnectionFields
        fields[.contentLength] = response.bodyLength.map { String($0) }
        self.init(
            status: HTTPResponse.Status(stored: response.status),
            fields: fields,
            body: .stream(response.body),
            url: url
        )
    }

    /// Creates the answer to a request that got no response from its origin.
    package init(_ failure: TransportFailure, at now: Timestamp) {
        self = .plain(failure.status, failure.message, detail: failure.detail, at: now)
        failure.proxyStatus?.append(to: &fields)
    }
}

extension ServerRequest {
    /// True if the request asks for another protocol (RFC 9110 §7.8) that can be passed on.
    package var asksForUpgrade: Bool {
        method == "GET" && version == .http11 && body.isEmpty && fields[values: .upgrade].count == 1
            && fields[values: .connection].contains(where: { $0.lowercased().contains("upgrade") })
            // RFC 9113 §3.1 deprecates h2c; passed on, it would carry requests to the origin that this cache doesn't see.
            && fields[values: .upgrade].allSatisfy({ !$0.lowercased().contains("h2c") })
    }
}
