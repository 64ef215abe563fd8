internal import AFCCache
internal import AFCText
internal import AFCURL

/// The page that lists the hosts and packages in the cache.
struct HomePage: Sendable {
    /// The most rows of one table; the page says how many more there are.
    static let rowLimit = 500

    /// The installed packages.
    var packages: [InstalledPackage]
    /// The cache's contents by origin.
    var origins: [OriginSummary]
    /// The form of the request, on which the form of the links depends.
    var form: LinkForm
    /// The server's URL, without a path.
    var address: String

    /// The page as HTML.
    var html: String {
        guard !packages.isEmpty else {
            let words = "<p>No packages are loaded. Load one into this server's cache, then reload the page.</p>"
            return HTML.page(title: "afcache", body: "<h1>Available offline</h1>\n" + words)
        }
        return HTML.page(
            title: "afcache",
            body: "<h1>Available offline</h1>\n" + originTable + packageTable + forms
        )
    }

    private var originTable: String {
        let rows = origins.prefix(Self.rowLimit).map { origin in
            let name = Markup.escaped(origin.origin)
            let url = origin.start ?? (try? WebURL(origin.origin + "/"))
            let link = url.map { url in
                let byPath = LinkForm(.path, port: form.port).link(to: url)
                return "<a href=\"\(Markup.escaped(form.pageLink(to: url)))\">\(name)</a> "
                    + "<a class=\"note\" href=\"\(Markup.escaped(byPath))\">by path</a>"
            }
            return Self.row(link ?? name, numbers: [String(origin.resources), Quantity.bytes(origin.bytes)], last: nil)
        }
        return Self.table("Hosts", ["Start page"], ["Resources", "Size"], last: nil, rows, total: origins.count)
    }

    private var packageTable: String {
        let rows = packages.prefix(Self.rowLimit).map { package in
            Self.row(
                Markup.escaped(package.name),
                numbers: [String(package.resources), Quantity.bytes(package.bodyBytes)],
                last: HTML.day(package.loaded)
            )
        }
        return Self.table(
            "Packages",
            ["Name"],
            ["Resources", "Size"],
            last: "Loaded",
            rows,
            total: packages.count
        )
    }

    private var forms: String {
        """
        <p class="note">This server is also an HTTP proxy at <code>\(Markup.escaped(address))</code>.</p>
        """
    }

    private static func row(_ first: String, numbers: [String], last: String?) -> String {
        "<tr><td>\(first)</td>" + numbers.map { "<td class=\"number\">\($0)</td>" }.joined()
            + (last.map { "<td>\($0)</td>" } ?? "") + "</tr>\n"
    }

    private static func table(
        _ title: String,
        _ texts: [String],
        _ numbers: [String],
        last: String?,
        _ rows: [String],
        total: Int
    ) -> String {
        let heads =
            texts.map { "<th>\($0)</th>" } + numbers.map { "<th class=\"number\">\($0)</th>" }
            + (last.map { ["<th>\($0)</th>"] } ?? [])
        let more = total > rows.count ? "<p class=\"note\">And \(total - rows.count) more.</p>\n" : ""
        return "<h2>\(title)</h2>\n<table>\n<tr>\(heads.joined())</tr>\n\(rows.joined())</table>\n\(more)"
    }
}
