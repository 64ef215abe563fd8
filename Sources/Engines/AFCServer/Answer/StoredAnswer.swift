package import AFCCache
package import AFCCaching
internal import AFCHTTP
package import AFCURL
internal import HTTPTypes

extension ServerAnswer {
    /// Creates the answer that serves a stored response.
    ///
    /// - Parameters:
    ///   - response: The cache's answer, whose verdict is fresh or stale.
    ///   - url: The URL of the resource.
    ///   - isHead: True to leave the body out.
    ///   - form: The form in which the client reaches the resource, which decides about fields that could do harm.
    ///   - location: A closure that returns the value of Location for the client; nil to leave it unchanged.
    package init(
        _ response: CacheAnswer,
        url: WebURL,
        isHead: Bool,
        form: LinkForm.Kind,
        location: (String) -> String?
    ) {
        let resolution = response.resolution
        self.init(
            status: resolution.status,
            fields: ServedFields.safe(resolution.fields, form: form),
            url: url,
            cacheStatus: resolution.cacheStatus
        )
        package = response.package
        if let field = fields[.location], let own = location(field) { fields[.location] = own }
        if !isHead, resolution.body != .none, let stored = response.body {
            body = .stored(BodyStream(resolution.body, of: stored))
        }
    }
}

extension Resolution {
    /// Returns true for a redirect to one of several URLs.
    ///
    /// A redirect from http to https of the same URL would lead a client that names neither back to the same answer.
    ///
    /// - Parameters:
    ///   - url: The URL that redirects.
    ///   - others: The URLs that are tried after it.
    /// - Returns: True if the redirect is skipped.
    package func leads(from url: WebURL, to others: ArraySlice<WebURL>) -> Bool {
        guard !others.isEmpty, (300..<400).contains(status.code), let location = fields[.location],
            let next = try? WebURL(location, base: url)
        else { return false }
        return others.contains(next)
    }
}
