internal import AFCFiles
internal import AFCSearch
internal import HTTPTypes

/// The answers to requests for a search and for its suggestions.
///
/// Searches run on threads of their own: a slow one would keep a thread of the server's pool from look-ups.
enum SearchAnswer {
    /// The words for a request that another website has made.
    static let foreign = OwnText.plain("this server refuses requests that other websites make")

    /// Returns true if another website made the request, which could measure what is stored (Fetch Metadata).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - allowsNavigation: True if a link or form of another website may lead here.
    /// - Returns: True if the request is to be refused.
    static func isForeign(_ request: ServerRequest, allowsNavigation: Bool) -> Bool {
        func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.fields[$0] } }
        guard let site = value("Sec-Fetch-Site"), site != "same-origin", site != "none" else { return false }
        return !(allowsNavigation && value("Sec-Fetch-Mode") == "navigate" && value("Sec-Fetch-Dest") == "document")
    }

    /// Makes the page with the results.
    static func page(
        _ request: ServerRequest,
        _ search: SearchLibrary,
        _ form: LinkForm
    ) async -> (status: HTTPResponse.Status, text: OwnText) {
        let asked = Asked(request)
        let results = try? await OffPool.run { () throws(SearchError) in
            try search.search(asked.query, host: asked.host, page: asked.page)
        }
        guard let results else { return unavailable }
        let nonce = HTML.nonce()
        let found = SearchPage(
            query: asked.query,
            host: asked.host,
            page: asked.page,
            results: results,
            form: form,
            nonce: nonce
        )
        return (.ok, .html(found.html, nonce: nonce, formTarget: "'self'"))
    }

    /// Makes the list of suggestions.
    static func suggestions(
        _ request: ServerRequest,
        _ search: SearchLibrary,
        _ form: LinkForm
    ) async -> (status: HTTPResponse.Status, text: OwnText) {
        let asked = Asked(request)
        let found = try? await OffPool.run { () throws(SearchError) in
            try search.suggest(asked.query, host: asked.host)
        }
        guard let found else { return unavailable }
        return (.ok, OwnText(text: SuggestionList.json(found, form: form), isHTML: false))
    }

    private static let unavailable = (
        status: HTTPResponse.Status.serviceUnavailable, text: OwnText.plain("the search isn't available now; try again")
    )

    /// The fields of the form, within their limits.
    private struct Asked {
        let query: String
        /// The host in the form of URLs; nil for all.
        let host: String?
        /// The page of the results, from 0.
        let page: Int

        init(_ request: ServerRequest) {
            let fields = FormFields(target: request.target)
            query = String(decoding: (fields["q"] ?? "").utf8.prefix(SearchQuery.byteLimit), as: UTF8.self)
            host = fields["host"].flatMap { $0.isEmpty ? nil : Authority($0)?.host }
            let last = SearchLibrary.Limits.results / SearchLibrary.Limits.pageSize - 1
            page = min(last, max(0, fields["page"].flatMap { Int($0) } ?? 0))
        }
    }
}
