internal import AFCCredentials
internal import AFCHTTP
internal import AFCURL

/// The cookies of a crawl: a pure value that stores what responses set and returns what requests carry (RFC 6265bis).
///
/// SameSite is ignored: every request of a crawl counts as made by the user.
package struct CookieStore: Sendable {
    /// The number of cookies that the hosts of one registrable domain may set.
    static let siteLimit = 50
    /// The number of cookies in total.
    static let limit = 3000
    /// The largest size of a Cookie field, in bytes; further cookies are left out.
    static let fieldByteLimit = 16 << 10

    /// The cookies by registrable domain, or by host if there is none.
    private var sites: [String: [Cookie]] = [:]
    private var order: UInt64 = 0
    private(set) var count = 0

    /// Returns the Cookie field of a request, or nil for none.
    ///
    /// Longer paths come first, then older cookies (RFC 6265bis §5.8.3).
    func field(for url: WebURL, now: Timestamp) -> String? {
        guard count > 0, let cookies = sites[Self.site(of: url)] else { return nil }
        let sent = cookies.filter { $0.isFor(url, at: now) }
            .sorted { ($1.path.utf8.count, $0.order) < ($0.path.utf8.count, $1.order) }
        var field = ""
        for text in sent.lazy.map(\.text) {
            guard field.utf8.count + text.utf8.count + 2 <= Self.fieldByteLimit else { continue }
            field += (field.isEmpty ? "" : "; ") + text
        }
        return field.isEmpty ? nil : field
    }

    /// Stores the cookies of a response.
    mutating func take(_ fields: [String], from url: WebURL, now: Timestamp) {
        for field in fields {
            guard let set = SetCookie(field, now: now), let cookie = Self.accepted(set, from: url) else { continue }
            let site = Self.site(of: url)
            // An insecure response must not replace a secure cookie.
            if url.scheme != "https", !cookie.isSecure, isShadowed(cookie, site) { continue }
            insert(cookie, site, now)
        }
    }

    /// Adds a cookie that didn't come from a response.
    mutating func insert(_ cookie: Cookie, now: Timestamp) {
        guard let url = WebURL(httpsHost: cookie.domain) else { return }
        insert(cookie, Self.site(of: url), now)
    }

    /// Returns true if a domain is a public suffix, whose cookies would be sent to unrelated sites.
    static func isPublicSuffix(_ url: WebURL) -> Bool { url.hostKind == .domain && url.registrableDomain == nil }

    private static func site(of url: WebURL) -> String { url.registrableDomain ?? url.host ?? "" }

    /// Returns the cookie if the host may set it (RFC 6265bis §5.7), else nil.
    private static func accepted(_ set: SetCookie, from url: WebURL) -> Cookie? {
        guard let host = url.host else { return nil }
        let isSecureURL = url.scheme == "https"
        guard isSecureURL || !set.isSecure, set.isSecure || !set.isForAllSites else { return nil }
        var cookie = Cookie(
            name: set.name,
            value: set.value,
            domain: host,
            isHostOnly: true,
            path: set.path ?? Cookie.defaultPath(of: url),
            isSecure: set.isSecure,
            expires: set.expires
        )
        if !set.domain.isEmpty, set.domain != host {
            guard Cookie.isBelow(url, set.domain), let domain = WebURL(httpsHost: set.domain),
                domain.host == set.domain,
                !isPublicSuffix(domain)
            else { return nil }
            cookie.domain = set.domain
            cookie.isHostOnly = false
        } else if set.domain == host, url.hostKind == .domain, !isPublicSuffix(url) {
            cookie.isHostOnly = false
        }
        return keepsPromise(cookie, set) ? cookie : nil
    }

    /// Checks the name prefixes of RFC 6265bis §4.1.3.
    private static func keepsPromise(_ cookie: Cookie, _ set: SetCookie) -> Bool {
        let name = cookie.name.lowercased()
        let named = name.isEmpty ? cookie.value.value.prefix(16).lowercased() : name
        if named.hasPrefix("__host-") {
            return !name.isEmpty && cookie.isSecure && cookie.isHostOnly && set.path == "/" && set.domain.isEmpty
        }
        return !named.hasPrefix("__secure-") || !name.isEmpty && cookie.isSecure
    }

    private func isShadowed(_ cookie: Cookie, _ site: String) -> Bool {
        (sites[site] ?? []).contains { other in
            let areRelated =
                other.domain == cookie.domain || other.domain.hasSuffix("." + cookie.domain)
                || cookie.domain.hasSuffix("." + other.domain)
            return other.isSecure && other.name == cookie.name && areRelated && Cookie.matches(cookie.path, other.path)
        }
    }

    private mutating func insert(_ cookie: Cookie, _ site: String, _ now: Timestamp) {
        var cookie = cookie
        var cookies = sites[site] ?? []
        let before = cookies.count
        order += 1
        cookie.order = order
        if let index = cookies.firstIndex(where: { $0.isSame(as: cookie) }) {
            cookie.order = cookies[index].order
            cookies.remove(at: index)
        }
        cookies.removeAll { $0.isExpired(at: now) }
        if !cookie.isExpired(at: now) { cookies.append(cookie) }
        if cookies.count > Self.siteLimit, let oldest = Self.oldest(cookies) { cookies.remove(at: oldest) }
        sites[site] = cookies.isEmpty ? nil : cookies
        count += cookies.count - before
        if count > Self.limit { makeRoom() }
    }

    /// Evicts a cookie of the site that has the most, so that many hosts of one owner evict nobody else's.
    private mutating func makeRoom() {
        let largest = sites.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        guard let largest, let oldest = Self.oldest(largest.value) else { return }
        sites[largest.key]?.remove(at: oldest)
        if largest.value.count == 1 { sites[largest.key] = nil }
        count -= 1
    }

    private static func oldest(_ cookies: [Cookie]) -> Int? {
        cookies.indices.min { cookies[$0].order < cookies[$1].order }
    }
}

/// A stored cookie and the requests that it applies to (RFC 6265bis §5.7).
struct Cookie: Sendable, Equatable {
    var name: String
    var value: Secret
    /// The host, or the domain, which includes all hosts below it.
    var domain: String
    /// True if hosts below the domain don't get the cookie.
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
    /// The expiry, or nil for the end of the crawl.
    var expires: Timestamp?
    /// The cookie's place in the order of creation.
    var order: UInt64 = 0

    /// Returns true if a request for the URL carries the cookie.
    func isFor(_ url: WebURL, at now: Timestamp) -> Bool {
        guard let host = url.host, !isExpired(at: now), !isSecure || url.scheme == "https" else { return false }
        guard host == domain || !isHostOnly && Self.isBelow(url, domain) else { return false }
        return Self.matches(url.path, path)
    }

    func isExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }

    /// Returns true if a newer cookie replaces this one.
    func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }

    /// The cookie's text in the Cookie field.
    var text: String { name.isEmpty ? value.value : name + "=" + value.value }

    /// Returns true if the URL's host is below a domain; an address never is (RFC 6265bis §5.1.3).
    static func isBelow(_ url: WebURL, _ domain: String) -> Bool {
        url.hostKind == .domain && (url.host ?? "").hasSuffix("." + domain)
    }

    /// Matches a path as in RFC 6265bis §5.1.4.
    static func matches(_ path: String, _ cookiePath: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
            || path.dropFirst(cookiePath.count).hasPrefix("/")
    }

    /// Returns the path of a cookie that has none: the request's folder (RFC 6265bis §5.1.4).
    static func defaultPath(of url: WebURL) -> String {
        let path = url.path
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
