internal import AFCHTTP
public import HTTPTypes

extension HTTPFields {
    /// The names, in lower case, of fields that describe one connection only (RFC 9110 §7.6.1, RFC 9111 §3.1).
    static let connectionNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
        "proxy-authentication-info", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Fields for all recipients, which Connection may not list (RFC 9110 §7.6.1): without them a message means something else.
    private static let endToEndNames: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "authorization",
        "cache-control", "cdn-cache-control", "content-encoding", "content-language", "content-length",
        "content-location", "content-range", "content-security-policy", "content-type", "cookie", "date", "etag",
        "expires", "host", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "last-modified", "location", "origin", "pragma", "range", "set-cookie", "strict-transport-security", "vary",
        "www-authenticate",
    ]

    /// The fields without those that describe one connection only, and without those that Connection lists (RFC 9110 §7.6.1,
    /// RFC 9111 §3.1).
    ///
    /// Connection can't take away a field for all recipients, so that nobody makes a cache forget what an answer depends on.
    public var withoutConnectionFields: HTTPFields {
        let listed = Set(self[values: .connection].flatMap(FieldText.list).map { $0.lowercased() })
            .subtracting(Self.endToEndNames)
        return HTTPFields(
            filter {
                let name = $0.name.canonicalName
                return !Self.connectionNames.contains(name) && !listed.contains(name)
            }
        )
    }
}
