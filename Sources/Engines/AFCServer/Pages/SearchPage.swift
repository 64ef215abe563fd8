internal import AFCSearch
internal import AFCText
internal import AFCURL

/// The page with the results of a search.
struct SearchPage: Sendable {
    /// The query as typed.
    var query: String
    /// The host that is searched; nil for all.
    var host: String?
    /// The number of the page of the results, from 0.
    var page: Int
    /// The results.
    var results: SearchResults
    /// The form of the request, on which the form of the links depends.
    var form: LinkForm
    /// The nonce of the page's script.
    var nonce: String

    /// The page as HTML.
    var html: String {
        let placeholder = host.map { "Search \($0)" } ?? "Search all pages"
        var body = "<p class=\"note\"><a href=\"/\">Home page</a></p>\n<main>\n<h1>Search</h1>\n"
        body += SearchField.html(query: query, host: host, placeholder: placeholder)
        if let host {
            body +=
                "<p class=\"note\">Only \(Markup.escaped(host)). "
                + "<a href=\"\(Markup.escaped(link(page: 0, host: nil)))\">Search all sites</a></p>\n"
        }
        body += notes.map { "<p class=\"note\" role=\"status\">\(Markup.escaped($0))</p>\n" }.joined()
        body +=
            "<ol class=\"results\" start=\"\(page * SearchLibrary.Limits.pageSize + 1)\">\n"
            + results.results.map(item).joined() + "</ol>\n" + pages + "</main>"
        let title = query.isEmpty ? "Search" : "\(query) – search"
        return HTML.page(title: title, body: body, script: (SearchField.script, nonce))
    }

    private var notes: [String] {
        var notes: [String] = []
        if !results.query.isEmpty {
            let isMore = results.count >= SearchLibrary.Limits.results
            switch results.count {
            case 0: notes.append("No page was found. Try fewer or other words.")
            case 1: notes.append("1 page")
            default: notes.append(isMore ? "The best \(results.count) pages" : "\(results.count) pages")
            }
            if results.isAny, results.count > 0 {
                notes.append("No page has all of the words; these have some of them.")
            }
            if results.isCut { notes.append("The search took too long, so not everything was searched.") }
            if results.isIncomplete { notes.append("A search index is damaged, so not everything was searched.") }
        }
        if results.missing > 0 { notes.append(HomePage.missingWords(results.missing)) }
        return notes
    }

    private func item(_ result: SearchResult) -> String {
        let title = result.title.isEmpty ? result.url.description : result.title
        let snippet = result.snippet.map { part in
            part.isMarked ? "<mark>\(Markup.escaped(part.text))</mark>" : Markup.escaped(part.text)
        }
        let language = result.language.map { " lang=\"\($0)\"" } ?? ""
        return """
            <li><a href="\(Markup.escaped(form.pageLink(to: result.url)))"\(language)>\(Markup.escaped(title))</a>
            <p class="place">\(Markup.escaped(result.url.description))</p>
            <p\(language)>\(snippet.joined())</p></li>

            """
    }

    private var pages: String {
        let size = SearchLibrary.Limits.pageSize
        let (hasEarlier, hasLater) = (page > 0, (page + 1) * size < results.count)
        guard hasEarlier || hasLater else { return "" }
        let earlier =
            hasEarlier
            ? "<a rel=\"prev\" href=\"\(Markup.escaped(link(page: page - 1, host: host)))\">Previous</a>" : ""
        let later =
            hasLater ? "<a rel=\"next\" href=\"\(Markup.escaped(link(page: page + 1, host: host)))\">Next</a>" : ""
        return
            "<nav class=\"pages\" aria-label=\"Pages of results\"><span>\(earlier)</span><span>\(later)</span></nav>\n"
    }

    private func link(page: Int, host: String?) -> String {
        var link = SearchField.path + "?q=" + FormFields.encoded(query)
        if let host { link += "&host=" + FormFields.encoded(host) }
        if page > 0 { link += "&page=\(page)" }
        return link
    }
}

/// Suggestions for a search that is being typed, as JSON for the page's script.
enum SuggestionList {
    /// Returns the document.
    static func json(_ suggestions: [SearchResult], form: LinkForm) -> String {
        let items = suggestions.map { result in
            JSONValue.object([
                ("title", .string(result.title.isEmpty ? result.url.description : result.title)),
                ("url", .string(result.url.description)),
                ("link", .string(form.pageLink(to: result.url))),
            ])
        }
        return JSONValue.object([("suggestions", .array(items))]).serialized
    }
}
