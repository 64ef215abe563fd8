internal import AFCCache
internal import AFCCaching
internal import AFCSearch
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The page for a resource that can't be served: the URL, the reason, and links to similar stored pages.
struct MissingPage: Sendable {
    /// A stored page that the reader may want.
    struct Link: Sendable, Equatable {
        /// The resource.
        var url: WebURL
        /// The link's target in the client's form.
        var target: String
        /// The title of the page, if it is shown.
        var title: String?
    }

    /// The URL that was requested.
    var url: WebURL
    /// A few words that name the problem.
    var title: String
    /// The reason.
    var reason: String
    /// The packages with resources from the host; nil if the page doesn't mention packages.
    var packages: [String]?
    /// True if the host is the first part of a path, where a page's link may have meant a path of its own host.
    var takesHostFromPath = false
    /// The host's start page.
    var start: Link?
    /// Stored resources whose URLs are similar to the requested one.
    var near: [Link] = []
    /// Pages of the host with words of the URL.
    var related: [Link] = []
    /// The server's home page; nil if it has none.
    var home: String?
    /// True if the server has a search.
    var isSearchable = false

    /// The page as HTML, for browsers.
    var html: String {
        var body = """
            <h1>\(Markup.escaped(title))</h1>
            <p><code>\(Markup.escaped(url.description))</code></p>
            <p>\(Markup.escaped(reason))</p>

            """
        if !near.isEmpty { body += "<p>Did you mean:</p>\n" + Self.list(near.map(Self.anchor)) }
        if !related.isEmpty {
            body += "<p>Pages of \(Markup.escaped(url.host ?? "")) with these words:</p>\n"
            body += Self.list(related.map(Self.anchor))
        }
        if let home, isSearchable {
            let base = home.hasSuffix("/") ? String(home.dropLast()) : home
            body += SearchField.html(base: base, query: Self.words(of: url))
        }
        if let packageWords {
            body += "<p>\(Markup.escaped(packageWords))</p>\n"
            let names = packages ?? []
            let more = names.count > 20 ? ["and \(names.count - 20) more"] : []
            if !names.isEmpty { body += Self.list(names.prefix(20).map(Markup.escaped) + more) }
        }
        if let start { body += "<p>Start page of \(Markup.escaped(url.host ?? "")): \(Self.anchor(start))</p>\n" }
        if let home { body += "<p><a href=\"\(Markup.escaped(home))\">Home page</a></p>\n" }
        return HTML.page(title: title, body: body)
    }

    /// The page as plain text, for other clients.
    var plain: String {
        let names = packages ?? []
        let list = names.isEmpty ? "" : ": " + names.prefix(20).joined(separator: ", ")
        return "\(title): \(url)\n\(reason)" + (packageWords.map { "\n" + $0 + list } ?? "")
    }

    private var packageWords: String? {
        guard let packages else { return nil }
        let host = url.host ?? ""
        guard packages.isEmpty else { return "Packages with other pages from \(host)" }
        let none = "No loaded package has resources from \(host)."
        guard takesHostFromPath else { return none }
        return none
            + " In an address of this form, the first part of the path is a host, so links that begin with a slash "
            + "lead elsewhere. Open the site under a name of its own, from the home page."
    }

    private static func list(_ items: [String]) -> String {
        "<ul>\n" + items.map { "<li>\($0)</li>\n" }.joined() + "</ul>\n"
    }

    private static func anchor(_ link: Link) -> String {
        let name = link.title.map { "\(Markup.escaped($0)) " } ?? ""
        return
            "<a href=\"\(Markup.escaped(link.target))\">\(name)<code>\(Markup.escaped(link.url.description))</code></a>"
    }

    /// Returns the words of a URL's path that may say what the reader looked for.
    static func words(of url: WebURL) -> String {
        var path = String(decoding: PercentDecoding.decode(url.path.utf8), as: UTF8.self)[...]
        for end in [".html", ".htm", ".xhtml", ".php", "/index", "/"] where path.hasSuffix(end) {
            path = path.dropLast(end.count)
        }
        // The last part says most; a short one is easier to understand with the part before it.
        let parts = path.split(separator: "/").suffix(2).map { part in
            part.split { !$0.isLetter && !$0.isNumber }.suffix(6)
        }
        guard let last = parts.last else { return "" }
        let words = last.count > 1 ? Array(last) : Array(parts.joined())
        return words.joined(separator: " ")
    }
}

extension MissingPage {
    /// Creates the page for a resource that the cache alone can't serve.
    ///
    /// - Parameters:
    ///   - url: The URL that was requested.
    ///   - resolution: The resolution, which gives the reason.
    init(_ url: WebURL, _ resolution: Resolution) {
        let isStated = resolution.freshness?.isStated ?? true
        let state = isStated ? "has expired" : "doesn't state how long it is fresh"
        let (title, reason) =
            switch resolution.verdict {
            case .expiredRefused:
                (
                    isStated ? "Expired" : "Possibly expired",
                    "It is in a package, but \(state). The request doesn't accept expired responses, or this server "
                        + "refuses them."
                )
            case .originForbidsStale:
                (
                    "Expired",
                    "It is in a package, but \(state), and its origin forbids serving it stale. "
                        + "The server's operator can allow such pages anyway."
                )
            case .missing, .fresh, .stale, .methodNotAllowed:
                ("Not available offline", "No loaded package contains this URL.")
            }
        self.init(url: url, title: title, reason: reason, packages: [])
    }

    /// Creates the page for a URL that the site didn't have when its package was made.
    ///
    /// - Parameters:
    ///   - url: The URL that was requested.
    ///   - resolution: The resolution, with the status of the site.
    init(absent url: WebURL, _ resolution: Resolution) {
        let reason = "The site's server answered \(resolution.status) when the package was made."
        self.init(url: url, title: "Not on the site", reason: reason, packages: [])
    }

    /// Adds what the cache has from the host.
    ///
    /// - Parameters:
    ///   - store: The cache.
    ///   - search: The search; nil if there is none.
    ///   - isForReaders: True if the client can use links.
    ///   - link: Returns a resource's link target for this client; nil if there is none.
    /// - Throws: An error if the cache can't be read.
    mutating func suggest(
        from store: any OfflineAnswering,
        search: SearchLibrary? = nil,
        isForReaders: Bool,
        link: (WebURL) -> String?
    ) throws {
        packages = try store.packages(withHost: url.host ?? "")
        guard isForReaders else { return }
        isSearchable = search != nil
        let isKnown = { [url] (other: WebURL) in other == url }
        near = try NearURLs.found(for: url, store.contains).filter { !isKnown($0) }.compactMap { near in
            link(near).map { Link(url: near, target: $0) }
        }
        guard packages?.isEmpty == false, let first = try store.startPage(host: url.host ?? ""), !isKnown(first) else {
            return
        }
        start = link(first).map { Link(url: first, target: $0) }
        related = related(in: search, link: link)
    }

    /// Returns pages of the same host that have words of the URL.
    ///
    /// Pages of other hosts would tell a website whose name leads here what else is stored.
    private func related(in search: SearchLibrary?, link: (WebURL) -> String?) -> [Link] {
        let words = Self.words(of: url)
        // A search that fails or takes too long leaves the rest of the page as it is. A missing page must stay cheap, so
        // it waits for no other search.
        guard let search, let host = url.host, !words.isEmpty,
            let found = try? search.suggest(words, host: host, isUnfinished: false, isAny: true, isOptional: true)
        else { return [] }
        let known = Set(near.map(\.url) + [url])
        return found.filter { !known.contains($0.url) }.prefix(5).compactMap { page in
            link(page.url).map { Link(url: page.url, target: $0, title: page.title.isEmpty ? nil : page.title) }
        }
    }
}
