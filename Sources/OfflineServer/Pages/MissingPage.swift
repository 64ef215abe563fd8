internal import HTTPCaching
internal import URLStandard

/// The page of a 504: what is missing, and what there is of its host.
struct MissingPage: Sendable {
    /// What was asked for.
    var url: WebURL
    /// Why it isn't served.
    var verdict: Resolution.Verdict
    /// The packages that have something from the host.
    var packages: [String]
    /// The server's home page.
    var home: String

    /// For browsers.
    var html: String {
        let names = packages.prefix(20).map { "<li>\(HTML.escaped($0))</li>\n" }.joined()
        let more = packages.count > 20 ? "<li>and \(packages.count - 20) more</li>\n" : ""
        let list = packages.isEmpty ? "" : "<ul>\n\(names)\(more)</ul>\n"
        return HTML.page(
            title: title,
            body: """
                <h1>\(HTML.escaped(title))</h1>
                <p><code>\(HTML.escaped(url.description))</code></p>
                <p>\(HTML.escaped(reason))</p>
                <p>\(HTML.escaped(packageWords))</p>
                \(list)<p><a href="\(HTML.escaped(home))">What is there</a></p>
                """
        )
    }

    /// For everything else.
    var plain: String {
        let names = packages.isEmpty ? "" : ": " + packages.prefix(20).joined(separator: ", ")
        return "\(title): \(url)\n\(reason)\n\(packageWords)\(names)"
    }

    private var title: String {
        switch verdict {
        case .expiredRefused, .originForbidsStale: "Expired"
        case .missing, .fresh, .stale, .methodNotAllowed: "Not available offline"
        }
    }

    private var reason: String {
        switch verdict {
        case .expiredRefused:
            "It is in a package, but has expired, and this server was started with --expired refuse."
        case .originForbidsStale:
            "It is in a package, but has expired, and its origin forbids to serve it then; --expired always overrules that."
        case .missing, .fresh, .stale, .methodNotAllowed: "No loaded package has this URL."
        }
    }

    private var packageWords: String {
        let host = url.host ?? ""
        return packages.isEmpty
            ? "No loaded package has anything from \(host)." : "Packages with other pages from \(host)"
    }
}
