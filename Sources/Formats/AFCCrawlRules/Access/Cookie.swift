internal import AFCCaching
internal import AFCHTTP
internal import AFCURL

/// A cookie that is kept, and for whom it is (RFC 6265bis §5.7).
struct Cookie: Sendable, Equatable {
    var name: String
    var value: Secret
    /// The host, or the domain with all below it.
    var domain: String
    /// Whether only the domain itself gets it.
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
    /// When it ends, or nil: with the crawl.
    var expires: Timestamp?
    /// When it was made, as a place in the order of all.
    var order: UInt64 = 0

    /// Whether a request for the URL carries it.
    func isFor(_ url: WebURL, at now: Timestamp) -> Bool {
        guard let host = url.host, !isExpired(at: now), !isSecure || url.scheme == "https" else { return false }
        guard host == domain || !isHostOnly && Self.isBelow(url, domain) else { return false }
        return Self.matches(url.path, path)
    }

    func isExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether a newer cookie takes this one's place.
    func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }

    /// What it adds to the Cookie field.
    var text: String { name.isEmpty ? value.value : name + "=" + value.value }

    /// Whether the URL's host lies below a domain; addresses lie below nothing (RFC 6265bis §5.1.3).
    static func isBelow(_ url: WebURL, _ domain: String) -> Bool {
        url.hostKind == .domain && (url.host ?? "").hasSuffix("." + domain)
    }

    /// RFC 6265bis §5.1.4.
    static func matches(_ path: String, _ cookiePath: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
            || path.dropFirst(cookiePath.count).hasPrefix("/")
    }

    /// The path of a cookie that names none: the request's folder (RFC 6265bis §5.1.4).
    static func defaultPath(of url: WebURL) -> String {
        let path = url.path
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
