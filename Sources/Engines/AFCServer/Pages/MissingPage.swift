internal import AFCCaching
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The page where nothing can be served: what is missing and why, and what there is instead.
struct MissingPage: Sendable {
    /// A stored page that the reader may want.
    struct Link: Sendable, Equatable {
        /// The resource.
        var url: WebURL
        /// Where it is found from here.
        var target: String
    }

    /// What was asked for.
    var url: WebURL
    /// A few words about what has happened.
    var title: String
    /// Why it isn't served.
    var reason: String
    /// The packages that have something from the host; nil where they don't matter.
    var packages: [String]?
    /// Where a reader would begin at the host.
    var start: Link?
    /// Stored resources whose URLs are like the one that was asked for.
    var near: [Link] = []
    /// The server's home page; nil where it has none.
    var home: String?

    /// For browsers.
    var html: String {
        var body = """
            <h1>\(Markup.escaped(title))</h1>
            <p><code>\(Markup.escaped(url.description))</code></p>
            <p>\(Markup.escaped(reason))</p>

            """
        if !near.isEmpty { body += "<p>Did you mean:</p>\n" + Self.list(near.map(Self.anchor)) }
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

    /// For everything else.
    var plain: String {
        let names = packages ?? []
        let list = names.isEmpty ? "" : ": " + names.prefix(20).joined(separator: ", ")
        return "\(title): \(url)\n\(reason)" + (packageWords.map { "\n" + $0 + list } ?? "")
    }

    private var packageWords: String? {
        guard let packages else { return nil }
        let host = url.host ?? ""
        return packages.isEmpty
            ? "No loaded package has anything from \(host)." : "Packages with other pages from \(host)"
    }

    private static func list(_ items: [String]) -> String {
        "<ul>\n" + items.map { "<li>\($0)</li>\n" }.joined() + "</ul>\n"
    }

    private static func anchor(_ link: Link) -> String {
        "<a href=\"\(Markup.escaped(link.target))\"><code>\(Markup.escaped(link.url.description))</code></a>"
    }
}

extension MissingPage {
    /// The page for what the store alone doesn't serve.
    ///
    /// - Parameters:
    ///   - url: What was asked for.
    ///   - resolution: Why it isn't served.
    init(_ url: WebURL, _ resolution: Resolution) {
        let isStated = resolution.freshness?.isStated ?? true
        let state = isStated ? "has expired" : "doesn't say for how long it is fresh"
        let (title, reason) =
            switch resolution.verdict {
            case .expiredRefused:
                (
                    isStated ? "Expired" : "Perhaps expired",
                    "It is in a package, but \(state). The request doesn't accept that, or this server refuses "
                        + "expired responses."
                )
            case .originForbidsStale:
                (
                    "Expired",
                    "It is in a package, but \(state), and its origin forbids serving it stale. "
                        + "The server's operator can let it serve such pages anyway."
                )
            case .missing, .fresh, .stale, .methodNotAllowed:
                ("Not available offline", "No loaded package has this URL.")
            }
        self.init(url: url, title: title, reason: reason, packages: [])
    }

    /// Adds what the store has of the host, for as far as it can be read.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - isForReaders: Whether links help.
    ///   - link: Where a resource is found from here; nil where it isn't.
    /// - Throws: Where the store can't be read.
    mutating func suggest(
        from store: any ServedCache,
        isForReaders: Bool,
        link: (WebURL) -> String?
    ) throws {
        packages = try store.packageNames(host: url.host ?? "")
        guard isForReaders else { return }
        let isKnown = { [url] (other: WebURL) in other == url }
        near = try store.nearMatches(of: url).filter { !isKnown($0) }.compactMap { near in
            link(near).map { Link(url: near, target: $0) }
        }
        guard packages?.isEmpty == false, let first = try store.startPage(host: url.host ?? ""), !isKnown(first) else {
            return
        }
        start = link(first).map { Link(url: first, target: $0) }
    }
}
