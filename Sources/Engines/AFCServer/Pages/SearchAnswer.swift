internal import AFCOrigin
internal import AFCSearch
internal import HTTPTypes

/// The answers to requests for a search and for its suggestions.
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
        let fields = FormFields(target: request.target)
        let (query, host) = (text(fields["q"]), self.host(fields["host"]))
        let last = SearchLibrary.Limits.results / SearchLibrary.Limits.pageSize - 1
        let page = min(last, max(0, fields["page"].flatMap { Int($0) } ?? 0))
        guard let results = try? await Blocking.run({ try search.search(query, host: host, page: page) }) else {
            return (.serviceUnavailable, .plain("the search isn't available now; try again"))
        }
        let nonce = HTML.nonce()
        let found = SearchPage(query: query, host: host, page: page, results: results, form: form, nonce: nonce)
        return (.ok, .html(found.html, nonce: nonce, formTarget: "'self'"))
    }

    /// Makes the list of suggestions.
    static func suggestions(
        _ request: ServerRequest,
        _ search: SearchLibrary,
        _ form: LinkForm
    ) async -> (status: HTTPResponse.Status, text: OwnText) {
        let fields = FormFields(target: request.target)
        let (query, host) = (text(fields["q"]), self.host(fields["host"]))
        guard let found = try? await Blocking.run({ try search.suggest(query, host: host) }) else {
            return (.serviceUnavailable, .plain("the search isn't available now; try again"))
        }
        return (.ok, OwnText(text: SuggestionList.json(found, form: form), isHTML: false))
    }

    /// Returns a query of bounded length.
    private static func text(_ field: String?) -> String {
        String(decoding: (field ?? "").utf8.prefix(SearchQuery.byteLimit), as: UTF8.self)
    }

    /// Returns a host in the form of URLs; nil if the field names none.
    private static func host(_ field: String?) -> String? {
        field.flatMap { $0.isEmpty ? nil : Authority($0)?.host }
    }
}
