internal import AFCResolver
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The rules for following redirects (RFC 9110 §15.4), as the Fetch Standard has them (§4.4, HTTP-redirect fetch).
enum RedirectRules {
    /// Returns the request that follows a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request that it answers.
    /// - Returns: The next request; nil if the response isn't a redirect that is followed.
    static func next(after response: HTTPURLResponse, to request: URLRequest) -> URLRequest? {
        guard Redirection.isFollowed(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let base = request.url, let url = URL(string: location, relativeTo: base)?.absoluteURL,
            url.scheme?.lowercased() == "http" || url.scheme?.lowercased() == "https"
        else { return nil }
        var next = request
        next.url = url.fragment == nil ? url.withFragment(of: base) : url
        let method = request.httpMethod ?? "GET"
        if Redirection.becomesGet(response.statusCode, method) {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in Redirection.ofBody {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        if !isSameOrigin(base, url) {
            for name in Redirection.credentials {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        return next
    }

    private static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return one.scheme?.lowercased() == other.scheme?.lowercased()
            && one.host?.lowercased() == other.host?.lowercased() && port(one) == port(other)
    }
}

extension URL {
    /// Returns this URL with the fragment of another one (RFC 9110 §10.2.2).
    fileprivate func withFragment(of other: URL) -> URL {
        guard let fragment = other.fragment, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return self
        }
        parts.percentEncodedFragment = fragment
        return parts.url ?? self
    }
}
