internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// What is done with links that lead out of the packages; docs/reference/rewriting.md.
public enum ExternalLinks: String, Sendable, CaseIterable {
    /// A page of the server says where the link leads.
    case ask
    /// The link is followed.
    case open
    /// The link isn't followed.
    case block
}

extension ServerRequest {
    /// True if a page of the same host made the request; without TLS, browsers say so to localhost only (Fetch Metadata
    /// §2.4), and else by Referer.
    var isOfOwnPage: Bool {
        if let site = fields[.secFetchSite] { return site == "same-origin" }
        guard let referer = fields[.referer].flatMap({ try? WebURL($0) }), let host = host.authority else {
            return false
        }
        return referer.host == host.host && referer.port == host.port
    }
}

/// The page in place of one outside the packages, to which a link leads.
struct LeavingPage {
    /// The URL, without credentials.
    let url: WebURL
    /// Its fragment, if it has one.
    let fragment: String?
    /// True if the reader may go on.
    let allows: Bool

    /// The page as HTML.
    var html: String {
        let target = url.description + (fragment.map { "#" + $0 } ?? "")
        let host = Markup.escaped(url.host ?? "")
        let title = allows ? "Leave the packages?" : "This link leads out of the packages"
        let words =
            allows
            ? "This page isn't in the packages. Your browser would load it from \(host), over the network."
            : "This page isn't in the packages, and this server doesn't lead to \(host)."
        let link =
            allows
            ? "<p><a href=\"\(Markup.escaped(target))\" rel=\"noreferrer noopener\">Go to \(host)</a></p>\n" : ""
        return HTML.page(
            title: title,
            body: """
                <h1>\(title)</h1>
                <p><code>\(Markup.escaped(target))</code></p>
                <p>\(words)</p>
                \(link)
                """
        )
    }

    /// Returns the URL that the query of a request for this page names; nil if it is none of http or https.
    static func target(_ query: String) -> (url: WebURL, fragment: String?)? {
        guard let base = try? WebURL("http://server.invalid/"),
            let text = String(validating: PercentDecoding.decode(query.utf8), as: UTF8.self),
            let (url, fragment) = try? WebURL.parseWithFragment(text, base: base),
            url.isHTTP, url.host != base.host
        else { return nil }
        return (url.removingCredentials, fragment)
    }
}
