/// Why a URL has no resource in the package.
public enum FetchFailure: Error, Hashable, Sendable {
    /// The origin answered with a status that is not stored.
    case status(Int, reason: String)
    /// The origin's name is not known.
    case unknownHost
    /// The origin refused the connection.
    case refused
    /// No connection, or no answer, came in time.
    case timeout
    /// The connection ended, or what came was no HTTP.
    case connection(String)
    /// The host leads into a network that isn't public, and nobody named it.
    case privateAddress
    /// The proxy doesn't do its part.
    case proxy(String)
    /// The TLS handshake failed.
    case tls(String)
    /// The body ended before its length, or its coding before its end.
    case truncated
    /// The body has more bytes than one may have.
    case tooLarge(limit: Int64)
    /// The body's coding is not one that was asked for, or is damaged.
    case coding(String)
    /// The body unpacks to more than it may.
    case expansion
    /// One redirect led to the next too often.
    case redirects(limit: Int)
    /// Redirects lead back to where they began.
    case redirectLoop(String)
    /// A redirect without a Location that is a URL.
    case location(String)
    /// The package's scratch file can't be written.
    case storage(String)

    /// The failure in words; lower case, no full stop.
    public var description: String {
        switch self {
        case .status(let status, let reason): reason.isEmpty ? "status \(status)" : "status \(status) \(reason)"
        case .unknownHost: "the host name could not be resolved"
        case .refused: "the connection was refused"
        case .timeout: "the request timed out"
        case .connection(let message): "the connection failed: \(message)"
        case .privateAddress:
            "the host has a private address; name it as a start URL, or allow private addresses"
        case .proxy(let message): "the proxy failed: \(message)"
        case .tls(let message): "the TLS connection failed: \(message)"
        case .truncated: "the body ended early"
        case .tooLarge(let limit): "the body is larger than \(limit) bytes"
        case .coding(let name): "the content coding '\(name)' can't be decoded"
        case .expansion: "the body expands too much when decompressed"
        case .redirects(let limit): "more than \(limit) redirects"
        case .redirectLoop(let url): "redirect loop, back to '\(url)'"
        case .location(let text):
            text.isEmpty ? "a redirect without a target" : "a redirect to '\(text)', which is not a URL"
        case .storage(let message): "the temporary file can't be written: \(message)"
        }
    }

    /// Whether asking again may help.
    public var isTransient: Bool {
        switch self {
        case .status(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
        case .timeout, .connection, .refused, .truncated: true
        default: false
        }
    }
}
