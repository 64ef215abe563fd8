internal import AFCCaching
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// The rules for following redirects (RFC 9110 §15.4), as the Fetch Standard has them (§4.4, HTTP-redirect fetch).
package enum Redirection {
    /// The fields of a request that only its URL's origin may get.
    package static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]
    /// The fields of a request that describe its body.
    package static let ofBody = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length",
    ]

    /// Returns true for the statuses whose Location is followed.
    package static func isFollowed(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns true if the next request is a GET without a body.
    ///
    /// - Parameters:
    ///   - status: The status of the redirect.
    ///   - method: The method of the request that it answers.
    /// - Returns: True for 303, and for 301 and 302 to a POST.
    package static func becomesGet(_ status: Int, _ method: String) -> Bool {
        ([301, 302].contains(status) && method == "POST") || (status == 303 && method != "GET" && method != "HEAD")
    }

    /// Returns the request that follows a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request that it answers.
    /// - Returns: The next request; nil if the response isn't a redirect, or if the body would have to be sent again.
    package static func next(after response: ResolverResponse, to request: ResolverRequest) -> ResolverRequest? {
        guard isFollowed(response.status.code), let location = response.fields.singleValue(of: .location),
            let url = try? WebURL(location, base: request.url), url.isHTTP, url.host != nil
        else { return nil }
        var next = request
        next.url = url
        if becomesGet(response.status.code, request.method.rawValue) {
            (next.method, next.body, next.bodyLength) = (.get, nil, nil)
            remove(ofBody, from: &next.fields)
        }
        guard next.body == nil else { return nil }
        if url.origin != request.url.origin { remove(credentials, from: &next.fields) }
        return next
    }

    private static func remove(_ names: [String], from fields: inout HTTPFields) {
        for name in names.compactMap({ HTTPField.Name($0) }) { fields[name] = nil }
    }
}
