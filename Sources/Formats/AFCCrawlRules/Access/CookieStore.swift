internal import AFCHTTP
package import AFCURL

/// The cookies of a crawl: a pure value that takes what responses set, and says what requests carry (RFC 6265bis).
///
/// SameSite isn't looked at: every request of a crawl counts as made by the user.
package struct CookieStore: Sendable {
    /// How many cookies hosts of one registrable domain may set.
    static let siteLimit = 50
    /// How many cookies are kept in all.
    static let limit = 3000
    /// How many bytes a Cookie field may have; the cookies that no longer fit stay out.
    static let fieldByteLimit = 16 << 10

    /// By registrable domain, or by host where there is none.
    private var sites: [String: [Cookie]] = [:]
    private var order: UInt64 = 0
    private(set) var count = 0

    /// The Cookie field of a request: longer paths first, then older cookies (RFC 6265bis §5.8.3); nil for none.
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

    /// Takes the Set-Cookie fields of a response.
    mutating func take(_ fields: [String], from url: WebURL, now: Timestamp) {
        for field in fields {
            guard let set = SetCookie(field, now: now), let cookie = Self.accepted(set, from: url) else { continue }
            let site = Self.site(of: url)
            // What a secure response set isn't for others to change.
            if url.scheme != "https", !cookie.isSecure, isShadowed(cookie, site) { continue }
            insert(cookie, site, now)
        }
    }

    /// Takes a cookie that the user has from elsewhere.
    mutating func insert(_ cookie: Cookie, now: Timestamp) {
        guard let url = Self.url(ofHost: cookie.domain) else { return }
        insert(cookie, Self.site(of: url), now)
    }

    /// The URL of a host, or nil where it isn't one.
    package static func url(ofHost host: String) -> WebURL? {
        do throws(WebURL.ParseError) {
            let url = try WebURL("https://" + host + "/")
            return url.authority == url.host && url.path == "/" && !url.hasCredentials ? url : nil
        } catch {
            return nil
        }
    }

    /// Whether a domain is a public suffix: what is set for it would go to strangers.
    static func isPublicSuffix(_ url: WebURL) -> Bool { url.hostKind == .domain && url.registrableDomain == nil }

    private static func site(of url: WebURL) -> String { url.registrableDomain ?? url.host ?? "" }

    /// What a host may set (RFC 6265bis §5.7), or nil.
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
            guard Cookie.isBelow(url, set.domain), let domain = self.url(ofHost: set.domain), domain.host == set.domain,
                !isPublicSuffix(domain)
            else { return nil }
            cookie.domain = set.domain
            cookie.isHostOnly = false
        } else if set.domain == host, url.hostKind == .domain, !isPublicSuffix(url) {
            cookie.isHostOnly = false
        }
        return keepsPromise(cookie, set) ? cookie : nil
    }

    /// The prefixes of RFC 6265bis §4.1.3.
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

    /// Lets go of a cookie of whoever has most, so that many hosts of one owner push out nobody else's.
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
