package import AFCURL

/// The choice of the pages that are opened: one of each template first.
package enum TemplateChoice {
    /// A chosen page.
    package struct Choice: Sendable, Equatable {
        /// The page.
        package var url: WebURL
        /// The number of its template, from 1 on: 1 is that of most pages.
        package var template: Int
        /// The number of pages of that template.
        package var pages: Int
    }

    /// Returns the shape of a URL: its origin, its first folder without digits, its depth, and its suffix.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The shape.
    package static func shape(of url: WebURL) -> String {
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let last = segments.last ?? ""
        let suffix = last.lastIndex(of: ".").map { last[$0...] } ?? ""
        let first = segments.count > 1 ? segments.first?.filter { !$0.isNumber } ?? "" : ""
        let query = url.query == nil ? "" : "?"
        return "\(url.origin)/\(first)/\(min(segments.count, 4))\(suffix.prefix(10))\(query)"
    }

    /// Returns a number that depends only on a URL, by which pages are put into an order (FNV-1a).
    ///
    /// - Parameter url: The URL.
    /// - Returns: The number.
    package static func hash(_ url: WebURL) -> UInt64 {
        url.description.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }

    /// Returns pages without those that a host also shows under a shorter URL, to which nothing on the site leads.
    ///
    /// - Parameter pages: The pages.
    /// - Returns: The pages without `/a/index.html` if there is `/a/`, and without `/a.html` if there is `/a`.
    package static func withoutTwins(_ pages: [WebURL]) -> [WebURL] {
        let known = Set(pages.map(\.description))
        return pages.filter { page in
            let text = page.description
            return !["index.html", ".html"].contains { ending in
                text.hasSuffix(ending) && !text.hasSuffix("/.html")
                    && known.contains(String(text.dropLast(ending.count)))
            }
        }
    }

    /// Returns the pages whose structure is read: some of each shape, in an order without a system.
    ///
    /// - Parameters:
    ///   - pages: All pages.
    ///   - limit: The most pages to return.
    /// - Returns: The pages, sorted.
    package static func sample(_ pages: [WebURL], limit: Int) -> [WebURL] {
        guard pages.count > limit else { return pages.sorted() }
        return dealt(Dictionary(grouping: pages, by: shape), limit).map(\.url).sorted()
    }

    /// Chooses pages.
    ///
    /// - Parameters:
    ///   - pages: The pages, each with its skeleton.
    ///   - count: The most pages to choose.
    ///   - without: Pages that are opened anyway: their templates come last.
    /// - Returns: The chosen pages, in the order in which they are opened.
    package static func choose(
        _ pages: [(url: WebURL, skeleton: String)],
        count: Int,
        without: Set<WebURL>
    ) -> [Choice] {
        var groups: [String: [WebURL]] = [:]
        for page in pages { groups["\(shape(of: page.url)) \(page.skeleton)", default: []].append(page.url) }
        let sizes = groups.mapValues(\.count)
        let numbers = Dictionary(
            uniqueKeysWithValues: order(groups).enumerated().map { ($0.element, $0.offset + 1) }
        )
        let opened = Set(groups.filter { !without.isDisjoint(with: $0.value) }.keys)
        let rest = groups.mapValues { urls in urls.filter { !without.contains($0) } }.filter { !$0.value.isEmpty }
        // A template of which a page is opened anyway begins with its second page.
        let new = dealt(rest.filter { !opened.contains($0.key) }, count, rounds: 1)
        let later = dealt(rest, count + new.count).filter { later in !new.contains { $0.url == later.url } }
        return (new + later).prefix(count).map { found in
            Choice(url: found.url, template: numbers[found.key] ?? 0, pages: sizes[found.key] ?? 0)
        }
    }

    /// The keys of groups, those of the largest first.
    private static func order(_ groups: [String: [WebURL]]) -> [String] {
        groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map(\.key)
    }

    /// Takes one URL of each group, then a second one, until there are enough.
    private static func dealt(
        _ groups: [String: [WebURL]],
        _ limit: Int,
        rounds: Int = .max
    ) -> [(key: String, url: WebURL)] {
        let keys = order(groups)
        let sorted = groups.mapValues { urls in urls.sorted { (hash($0), $0) < (hash($1), $1) } }
        var dealt: [(key: String, url: WebURL)] = []
        var round = 0
        let most = groups.values.reduce(0) { max($0, $1.count) }
        while dealt.count < limit, round < min(rounds, most) {
            for key in keys where dealt.count < limit {
                if let urls = sorted[key], round < urls.count { dealt.append((key, urls[round])) }
            }
            round += 1
        }
        return dealt
    }
}
