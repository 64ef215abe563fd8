public import HTTPTypes

/// A request as it came over the wire.
public struct ServerRequest: Sendable {
    /// The version in which it came.
    public enum Version: Int, Sendable, Comparable {
        /// HTTP/1.0, or before.
        case http10
        /// HTTP/1.1.
        case http11
        /// HTTP/2.
        case http2

        /// Whether a version is the older one.
        public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// The method, case-sensitive.
    public var method: String
    /// The request target exactly as sent (RFC 9112 §3.2); in HTTP/2 that of `:path`, or of `:authority` for CONNECT.
    public var target: String
    /// The host that it names.
    public let host: NamedHost
    /// All other fields, in their order.
    public var fields: HTTPFields
    /// The version.
    public var version: Version
    /// Whether it came over TLS.
    public var isSecure = false
    /// The name that the client asked for when TLS began (RFC 6066 §3).
    public var serverName: String?
    /// The authority of the CONNECT whose tunnel the request came through, where this server ended its TLS.
    public var tunnelled: Authority?
    /// The client's address, without port; nil where it has none.
    public var remoteAddress: String?
    /// By what hosts and port this server itself is meant.
    public var server: ServerIdentity
    /// What comes after the head.
    public var body: RequestBody

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target as sent.
    ///   - hosts: The values of all Host fields; in HTTP/2 that of `:authority`.
    ///   - fields: All other fields.
    ///   - version: The version.
    ///   - server: By what hosts and port the server itself is meant.
    ///   - body: What comes after the head.
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

    /// Whether only the head of the answer goes out.
    public var isHead: Bool { method == "HEAD" }

    /// Whether the request must have a Host field (RFC 9112 §3.2).
    public var needsHost: Bool { version >= .http11 }

    /// Whether the client asks for a page, as browsers do for what they will show.
    public var wantsHTML: Bool {
        fields[values: .accept].contains { value in
            let text = value.lowercased()
            return text.contains("text/html") || text.contains("application/xhtml+xml")
        }
    }
}
