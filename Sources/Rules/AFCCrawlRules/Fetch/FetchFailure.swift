/// The reason why the package has no resource for a URL.
public enum FetchFailure: Error, Hashable, Sendable {
    /// The origin answered with a status that is not stored.
    case status(Int, reason: String)
    /// The host name could not be resolved.
    case unknownHost
    /// The origin refused the connection.
    case refused
    /// No connection or no response in time.
    case timeout
    /// The connection was lost.
    case connection(String)
    /// The response isn't valid HTTP, or exceeds a limit.
    case response(String)
    /// The host has a private address, and the user didn't name it.
    case privateAddress
    /// The proxy failed; the sentence begins with its address.
    case proxy(String)
    /// The TLS handshake failed.
    case tls(String)
    /// The body or its content coding ended early.
    case truncated
    /// The body exceeds the size limit.
    case tooLarge(limit: Int64)
    /// The content coding was not requested, or the body's data is damaged.
    case coding(String)
    /// The decoded body exceeds the permitted expansion.
    case expansion
    /// Too many redirects in a row.
    case redirects(limit: Int)
    /// A redirect back to an earlier URL of the chain.
    case redirectLoop(String)
    /// A start URL that redirects to a URL that the crawl doesn't request.
    case target(String, SkipRule)
    /// A redirect whose Location is missing or not a URL.
    case location(String)
    /// The temporary file for bodies can't be written.
    case storage(String)

    /// True if the failure concerns every resource of the host.
    public var isOfHost: Bool {
        switch self {
        case .unknownHost, .refused, .timeout, .connection, .privateAddress, .proxy, .tls: true
        default: false
        }
    }

    /// The failure in words; lower case, no full stop.
    public var description: String {
        switch self {
        case .status(let status, let reason): reason.isEmpty ? "status \(status)" : "status \(status) \(reason)"
        case .unknownHost: "the host name could not be resolved"
        case .refused: "the connection was refused"
        case .timeout: "the request timed out"
        case .connection(let message): "the connection failed: \(message)"
        case .response(let message): message
        case .privateAddress:
            "the host has a private address; name it as a start URL, or allow private addresses"
        case .proxy(let message): "the proxy \(message)"
        case .tls(let message): "the TLS connection failed: \(message)"
        case .truncated: "the body ended early"
        case .tooLarge(let limit): "the body is larger than \(limit) bytes"
        case .coding(let name): "the content coding '\(name)' can't be decoded"
        case .expansion: "the body expands too much when decompressed"
        case .redirects(let limit): "more than \(limit) redirects"
        case .redirectLoop(let url): "the redirects lead back to '\(url)'"
        case .target(let url, let rule): "the start URL leads to '\(url)', " + Self.words(ofTarget: rule)
        case .location(let text):
            text.isEmpty ? "a redirect without a target" : "a redirect to '\(text)', which is not a URL"
        case .storage(let message): "the temporary file can't be written: \(message)"
        }
    }

    private static func words(ofTarget rule: SkipRule) -> String {
        switch rule {
        case .scheme: "which is neither http nor https"
        case .credentials: "which contains credentials"
        case .urlTooLong: "which is longer than 8 KiB"
        case .privateAddress: "whose host has a private address; start there if that is intended"
        default: "outside the scope; start there instead"
        }
    }

    /// True if a retry may succeed.
    public var isTransient: Bool {
        switch self {
        case .status(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
        case .timeout, .connection, .refused, .truncated: true
        default: false
        }
    }

    /// True if the origin says that the resource doesn't exist (RFC 9110 §15.5.5, §15.5.11).
    public var isGone: Bool {
        if case .status(let status, _) = self { return status == 404 || status == 410 }
        return false
    }

    /// True if the origin says that it gets too many requests (RFC 6585 §4, RFC 9110 §15.6.4).
    public var asksForFewer: Bool {
        if case .status(let status, _) = self { return status == 429 || status == 503 }
        return false
    }
}
