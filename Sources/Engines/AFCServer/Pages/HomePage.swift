internal import AFCCache
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCSearch
internal import AFCText
internal import AFCURL

/// The page that shows what is available offline, and begins a search.
struct HomePage: Sendable {
    /// The most rows of one table, and the most sites; the page says how many more there are.
    static let rowLimit = 500

    /// The search of the page.
    struct Search: Sendable {
        /// The number of packages that can't be searched yet.
        var missing: Int
        /// The nonce of the page's script.
        var nonce: String
    }

    /// The installed packages.
    var packages: [InstalledPackage]
    /// The cache's contents by origin.
    var origins: [OriginSummary]
    /// The form of the request, on which the form of the links depends.
    var form: LinkForm
    /// The server's URL, without a path.
    var address: String
    /// The current time.
    var now: Timestamp
    /// What is known of the sites, by their start pages.
    var descriptions: [WebURL: StoredSite] = [:]
    /// The search; nil if there is none.
    var search: Search?

    /// The page as HTML.
    var html: String {
        let script = search.map { (text: SearchField.script, nonce: $0.nonce) }
        guard !packages.isEmpty else {
            let words = "<p>No packages are loaded. Load one into this server's cache, then reload the page.</p>"
            return HTML.page(title: "afcache", body: "<h1>Available offline</h1>\n" + words)
        }
        let body =
            "<main>\n<h1>Available offline</h1>\n" + field + siteList + otherHosts + packageTable + proxy + "</main>"
        return HTML.page(title: "afcache", body: body, script: script)
    }

    private var field: String {
        guard let search else { return "" }
        var html = SearchField.html()
        if search.missing > 0 {
            html += "<p class=\"note\">\(Self.missingWords(search.missing))</p>\n"
        } else {
            html += "<p class=\"note\"><kbd>/</kbd> starts a search, <kbd>↑</kbd> <kbd>↓</kbd> choose a page.</p>\n"
        }
        return html
    }

    /// Returns the sentence about packages that can't be searched yet.
    static func missingWords(_ count: Int) -> String {
        count == 1
            ? "One package can't be searched yet; its index is being made."
            : "\(count) packages can't be searched yet; their indices are being made."
    }

    private var sites: [OriginSummary] { origins.filter { $0.start != nil } }

    private var siteList: String {
        guard !sites.isEmpty else { return "" }
        let items = sites.prefix(Self.rowLimit).map { origin in origin.start.map { item(origin, start: $0) } ?? "" }
        return "<h2>Sites</h2>\n<ul class=\"sites\">\n\(items.joined())</ul>\n" + Self.more(sites.count - items.count)
    }

    private func item(_ origin: OriginSummary, start: WebURL) -> String {
        let site = descriptions[start]
        let host = origin.origin.hasPrefix("http") ? Self.hostText(origin.origin) : origin.origin
        let title = site.flatMap { $0.title.isEmpty ? nil : $0.title } ?? host
        var facts: [String] = []
        if let language = site?.language { facts.append(LanguageName.text(language)) }
        if let site { facts.append(site.date.day) }
        facts.append(Quantity.count(origin.resources, "resource"))
        facts.append(Quantity.bytes(origin.bytes))
        if let usage = site?.usage, !usage.isEmpty { facts.append(usage) }
        let icon =
            site?.icon.map { "<img class=\"icon\" src=\"\($0)\" alt=\"\" width=\"35\" height=\"35\">" }
            ?? "<span class=\"icon\" aria-hidden=\"true\">\(Markup.escaped(Self.letter(of: host)))</span>"
        let byPath = LinkForm(.path, port: form.port, isSecure: form.isSecure).link(to: start)
        let list = Markup.escaped(PastTarget.list(of: start))
        let hasVersions = packages.contains { $0.versions.count > 1 }
        let versions = hasVersions ? " · <a class=\"note\" href=\"\(list)\">versions</a>" : ""
        let language = site?.language.map { " lang=\"\($0)\"" } ?? ""
        return """
            <li>\(icon)<div><a class="title" href="\(Markup.escaped(form.pageLink(to: start)))"\(language)>\
            \(Markup.escaped(Self.shortened(title)))</a>
            <p class="note">\(Markup.escaped(host)) · <a class="note" href="\(Markup.escaped(byPath))">by path</a>\(versions)<br>
            \(Markup.escaped(facts.joined(separator: " · ")))</p></div></li>

            """
    }

    private var otherHosts: String {
        let others = origins.filter { $0.start == nil }
        guard !others.isEmpty else { return "" }
        let rows = others.prefix(Self.rowLimit).map { origin in
            let name = Markup.escaped(origin.origin)
            let link = (try? WebURL(origin.origin + "/")).map { url in
                "<a href=\"\(Markup.escaped(form.pageLink(to: url)))\">\(name)</a>"
            }
            return Self.row(link ?? name, numbers: [String(origin.resources), Quantity.bytes(origin.bytes)], last: nil)
        }
        return "<details>\n<summary>Hosts without a start page (\(others.count))</summary>\n"
            + Self.table(["Host"], ["Resources", "Size"], last: nil, rows, total: others.count) + "</details>\n"
    }

    private var packageTable: String {
        let rows = packages.prefix(Self.rowLimit).map { package in
            Self.row(
                Markup.escaped(package.name) + Self.provenance(package.provenance.words(now: now)),
                numbers: [String(package.resources), Quantity.bytes(package.bodyBytes)],
                last: package.loaded.day
            )
        }
        return "<h2>Packages</h2>\n"
            + Self.table(["Name"], ["Resources", "Size"], last: "Loaded", rows, total: packages.count)
    }

    /// Returns where a package is from, as far as that is known.
    private static func provenance(_ facts: [String]) -> String {
        guard !facts.isEmpty else { return "" }
        return "<br><span class=\"note\">\(Markup.escaped(facts.joined(separator: " · ")))</span>"
    }

    private var proxy: String {
        """
        <section class="proxy">
        <h2>Proxy</h2>
        <p><code>\(Markup.escaped(address))</code> <button type="button" hidden>Copy</button></p>
        <p class="note">Use this address as the HTTP proxy of a program to read pages at their own URLs.</p>
        </section>

        """
    }

    private static func hostText(_ origin: String) -> String {
        origin.split(separator: "/", maxSplits: 2).last.map(String.init) ?? origin
    }

    private static func letter(of host: String) -> String {
        let name = host.hasPrefix("www.") ? host.dropFirst(4) : host[...]
        return name.first.map { String($0).uppercased() } ?? "?"
    }

    /// Returns a title of a length that fits on a card.
    private static func shortened(_ title: String) -> String {
        title.count <= 120 ? title : String(title.prefix(119)) + "…"
    }

    private static func row(_ first: String, numbers: [String], last: String?) -> String {
        "<tr><td>\(first)</td>" + numbers.map { "<td class=\"number\">\($0)</td>" }.joined()
            + (last.map { "<td class=\"number\">\($0)</td>" } ?? "") + "</tr>\n"
    }

    private static func more(_ count: Int) -> String {
        count > 0 ? "<p class=\"note\">And \(count) more.</p>\n" : ""
    }

    private static func table(
        _ texts: [String],
        _ numbers: [String],
        last: String?,
        _ rows: [String],
        total: Int
    ) -> String {
        let heads =
            texts.map { "<th>\($0)</th>" } + numbers.map { "<th class=\"number\">\($0)</th>" }
            + (last.map { ["<th class=\"number\">\($0)</th>"] } ?? [])
        return "<div class=\"table\"><table>\n<tr>\(heads.joined())</tr>\n\(rows.joined())</table></div>\n"
            + more(total - rows.count)
    }
}

/// The names of languages in those languages, for readers.
enum LanguageName {
    private static let names = [
        "ar": "العربية", "bg": "Български", "ca": "Català", "cs": "Čeština", "da": "Dansk", "de": "Deutsch",
        "el": "Ελληνικά", "en": "English", "es": "Español", "et": "Eesti", "fa": "فارسی", "fi": "Suomi",
        "fr": "Français", "he": "עברית", "hi": "हिन्दी", "hr": "Hrvatski", "hu": "Magyar", "id": "Indonesia",
        "it": "Italiano", "ja": "日本語", "ko": "한국어", "lt": "Lietuvių", "lv": "Latviešu", "nb": "Norsk",
        "nl": "Nederlands",
        "no": "Norsk", "pl": "Polski", "pt": "Português", "ro": "Română", "ru": "Русский", "sk": "Slovenčina",
        "sl": "Slovenščina", "sr": "Српски", "sv": "Svenska", "th": "ไทย", "tr": "Türkçe", "uk": "Українська",
        "vi": "Tiếng Việt", "zh": "中文",
    ]

    /// Returns the name of a language, or its tag if the name isn't known.
    static func text(_ tag: String) -> String { names[tag] ?? tag }
}
