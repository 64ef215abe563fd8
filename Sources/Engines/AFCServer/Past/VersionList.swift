internal import AFCCache
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The list of a resource's versions, for programs (RFC 7089 §5) and for readers.
struct VersionList {
    /// The resource.
    var url: WebURL
    /// The versions, the oldest first; one at least.
    var versions: [ResourceVersion]
    /// The address of the server's own pages.
    var base: String

    private func link(_ version: ResourceVersion) -> String {
        base + PastTarget.link(to: url, at: Moment(version.time))
    }

    /// The list in the form of links (RFC 6690 §2).
    var links: String {
        let (first, last) = (versions.first?.time, versions.last?.time)
        let range = [("from", first), ("until", last)].map { name, time in
            time.map { "; \(name)=\"\(HTTPDate.format($0))\"" } ?? ""
        }.joined()
        var lines = [
            "<\(url)>; rel=\"original\"",
            "<\(base)\(PastTarget.list(of: url))>; rel=\"self\"; type=\"application/link-format\"\(range)",
            "<\(base)\(PastTarget.gate(of: url))>; rel=\"timegate\"",
        ]
        for version in versions {
            let relations = [version.time == first ? "first" : nil, version.time == last ? "last" : nil, "memento"]
            let words = relations.compactMap(\.self).joined(separator: " ")
            lines.append("<\(link(version))>; rel=\"\(words)\"; datetime=\"\(HTTPDate.format(version.time))\"")
        }
        return lines.joined(separator: ",\n") + "\n"
    }

    /// The list as a page, the newest version first.
    var html: String {
        var rows = ""
        for (number, version) in versions.enumerated().reversed() {
            let earlier = number > 0 ? versions[number - 1] : nil
            let isEqual =
                earlier?.digest != nil && earlier?.digest == version.digest && earlier?.status == version.status
            let change =
                earlier.map { earlier in
                    isEqual
                        ? "<span class=\"note\">the same</span>"
                        : Self.anchor(
                            base + PastTarget.comparison(of: url, Moment(earlier.time), Moment(version.time)),
                            "what changed"
                        )
                } ?? ""
            let time = Self.anchor(link(version), Moment(version.time).words)
            let status = version.status == 200 ? "" : "status \(version.status)"
            rows += "<tr><td>\(time)</td><td>\(change)</td><td>\(status)</td>"
            rows += "<td>\(Markup.escaped(version.package))</td></tr>\n"
        }
        let body = """
            <h1>Versions</h1>
            <p><code>\(Markup.escaped(url.description))</code></p>
            <div class="table"><table>
            <tr><th>Packed</th><th>Since the one before</th><th></th><th>Package</th></tr>
            \(rows)</table></div>
            <p><a href="\(Markup.escaped(base))/">Home page</a></p>
            """
        return HTML.page(title: "Versions", body: body)
    }

    private static func anchor(_ target: String, _ words: String) -> String {
        "<a href=\"\(Markup.escaped(target))\">\(Markup.escaped(words))</a>"
    }
}

/// The bar at the end of a page that says of when it is, and leads to its other versions.
struct VersionBar {
    /// The resource.
    var url: WebURL
    /// The versions, the oldest first.
    var versions: [ResourceVersion]
    /// The version that is shown.
    var shown: ResourceVersion
    /// What is known about where it is from, in words.
    var facts: [String]
    /// The address of the server's own pages.
    var base: String

    /// Returns true if a request is one of a reader for a whole window.
    static func isWanted(by request: ServerRequest) -> Bool {
        let destination = request.fields[.secFetchDest]
        return request.wantsHTML && (destination == nil || destination == "document")
    }

    /// Returns true if the bar can be added to the end of a body: to HTML in a coding that extends ASCII.
    static func fits(_ bytes: [UInt8], _ type: String) -> Bool {
        guard let type = MediaType(type), type.essence == "text/html" else { return false }
        let charset = type.parameter("charset")?.lowercased() ?? ""
        return !charset.hasPrefix("utf-16") && !bytes.starts(with: [0xFE, 0xFF]) && !bytes.starts(with: [0xFF, 0xFE])
            // Everything after it is text.
            && !String(decoding: bytes.suffix(1 << 16), as: UTF8.self).lowercased().contains("<plaintext")
    }

    /// The bar, in ASCII; its style is its own, and none of the page's.
    var html: String {
        let place = versions.firstIndex(of: shown) ?? versions.count - 1
        let current = versions.first(where: \.isCurrent)
        var parts = ["<b>\(shown.isCurrent ? "Current version" : "Version") of \(Moment(shown.time).words)</b>"]
        func add(_ target: String, _ words: String) {
            parts.append("<a href=\"\(Markup.escaped(target))\">\(words)</a>")
        }
        func link(_ version: ResourceVersion) -> String { base + PastTarget.link(to: url, at: Moment(version.time)) }
        if place > 0 { add(link(versions[place - 1]), "earlier") }
        if place + 1 < versions.count { add(link(versions[place + 1]), "later") }
        if let current, !shown.isCurrent {
            add(link(current), "current")
            let (old, new) = (min(shown.time, current.time), max(shown.time, current.time))
            add(base + PastTarget.comparison(of: url, Moment(old), Moment(new)), "what changed")
        }
        add(base + PastTarget.list(of: url), "all \(versions.count)")
        let items = facts.map { "<li>\(Markup.escaped($0.replacing("…", with: "...")))</li>" }.joined()
        let details =
            facts.isEmpty ? "" : " &middot; <details><summary>about</summary><ul>\(items)</ul></details>"
        return """

            <afcache-versions><template shadowrootmode="open"><style>
            :host { all: initial !important; position: fixed !important; z-index: 2147483647 !important; left: 0 !important;
              bottom: 0 !important; max-width: 100% !important; }
            div { padding: .35rem .8rem; font: 14px/1.5 system-ui, sans-serif; background: #1d2024; color: #e7e9ec;
              border-radius: 0 .5rem 0 0; }
            a { color: #84b6f5; }
            details { display: inline-block; vertical-align: top; }
            summary { cursor: pointer; }
            ul { margin: 0; padding: 0 0 0 1rem; }
            @media print { :host { display: none !important; } }
            </style><div>\(parts.joined(separator: " &middot; "))\(details)</div></template></afcache-versions>

            """
    }
}
