internal import AFCHTTP
public import HTTPTypes
internal import NIOHTTP1

/// A request as the client sent it.
public struct ServerRequest: Sendable {
    /// The version of HTTP.
    public enum Version: Int, Sendable, Comparable {
        /// HTTP/1.0 or older.
        case http10
        /// HTTP/1.1.
        case http11
        /// HTTP/2.
        case http2

        /// The version in Via (RFC 9110 §7.6.3).
        var receivedProtocol: String {
            switch self {
            case .http10: "1.0"
            case .http11: "1.1"
            case .http2: "2"
            }
        }

        /// Returns true if the left version is the older one.
        public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// The method, case-sensitive.
    public var method: String
    /// The request target exactly as sent (RFC 9112 §3.2); in HTTP/2 that of `:path`, or of `:authority` for CONNECT.
    public var target: String
    /// The host that the request names.
    public let host: NamedHost
    /// All other fields, in their order.
    public var fields: HTTPFields
    /// Fields for the origin that aren't the client's and select no response.
    var originFields = HTTPFields()
    /// The version.
    public var version: Version
    /// True if the request came over TLS.
    public var isSecure = false
    /// The name that the client sent in the TLS handshake (RFC 6066 §3).
    public var serverName: String?
    /// The authority of the CONNECT request whose tunnel carries this request, if this server is at its end; ``isSecure``
    /// tells whether the client uses TLS in it.
    public var tunnelled: Authority?
    /// The client's address without a port; nil if it has none.
    public var remoteAddress: String?
    /// The hosts and the port that mean this server itself.
    public var server: ServerIdentity
    /// The body.
    public var body: RequestBody

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target as sent.
    ///   - hosts: The values of all Host fields; in HTTP/2 that of `:authority`.
    ///   - fields: All other fields.
    ///   - version: The version.
    ///   - server: The hosts and the port that mean this server itself.
    ///   - body: The body.
    public init(
        method: String,
        target: String,
        hosts: [String],
        fields: HTTPFields = HTTPFields(),
        version: Version = .http11,
        server: ServerIdentity,
        body: RequestBody = RequestBody()
    ) {
        self.method = method
        self.target = target
        host = NamedHost(hosts)
        self.fields = fields
        self.version = version
        self.server = server
        self.body = body
    }

    /// True if only the head of the answer is sent.
    public var isHead: Bool { method == "HEAD" }

    /// True if the request must have a Host field (RFC 9112 §3.2).
    public var needsHost: Bool { version >= .http11 }

    /// True if the client asks for an HTML page, as browsers do for pages that they will show.
    public var wantsHTML: Bool { fields.acceptsPages }
}

extension ServerRequest {
    /// Creates a request from an HTTP/1 head.
    init(_ head: HTTPRequestHead, body: RequestBody, connection: ConnectionContext) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            // NIO writes this one without its hyphen.
            method: head.methodName,
            target: head.uri,
            hosts: head.headers["host"],
            fields: fields,
            version: !head.version.isBefore11 ? .http11 : .http10,
            server: connection.server,
            body: body
        )
        isSecure = connection.isSecure
        serverName = connection.serverName
        tunnelled = connection.tunnelled
        remoteAddress = connection.remoteAddress
    }
}
