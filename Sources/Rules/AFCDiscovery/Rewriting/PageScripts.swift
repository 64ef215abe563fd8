/// Decides whether a page's scripts may run when the page is a file; docs/reference/export.md.
///
/// A file has no server: its scripts can't load data or modules. An application whose pages a server or a generator has
/// written as HTML reads its address first, doesn't know that of a file, and replaces the page with an error or with
/// nothing. Without its scripts, such a page is shown as it was written.
package enum PageScripts {
    /// The user's choice.
    package enum Choice: String, CaseIterable, Sendable {
        /// By the table of generators.
        case auto
        /// All scripts run.
        case keep
        /// No script runs.
        case drop
    }

    /// What becomes of a page's scripts.
    package enum Fate: Equatable, Sendable {
        /// The page has none.
        case none
        /// They run.
        case kept
        /// They run, and without them the page shows nothing; if they load data, it stays empty.
        case uncertain
        /// They don't, since the page is an application of this kind, whose HTML is complete.
        case dropped(String)
        /// They don't run, or not to an end, and the page shows nothing without them.
        case needed(String)
    }

    /// A text in the pages of a generator, and the generator's name; each has a byte that is rare in pages.
    private static let applications: [(mark: StaticString, rare: UInt8, name: String)] = [
        ("id=\"__NEXT_DATA__\"", under, "Next.js"), ("self.__next_f", under, "Next.js"),
        ("id=\"___gatsby\"", under, "Gatsby"), ("id=\"__docusaurus\"", under, "Docusaurus"),
        ("id=__docusaurus", under, "Docusaurus"), ("id=\"__nuxt\"", under, "Nuxt"), ("window.__NUXT__", under, "Nuxt"),
        ("__VP_HASH_MAP__", under, "VitePress"), ("data-server-rendered", dash, "Vue"),
        ("__sveltekit_", under, "SvelteKit"), ("__remixContext", under, "Remix"),
        ("__reactRouterContext", under, "React Router"), ("ng-server-context", dash, "Angular"),
        ("q:container", colon, "Qwik"), ("data-vitepress", dash, "VitePress"), ("id=\"app\" data-v-app", dash, "Vue"),
        ("<astro-island", dash, "Astro"),
    ]
    private static let (under, dash, colon) = (UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"))

    /// Returns what becomes of the scripts of a page.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - text: What a reader sees of it without scripts.
    ///   - choice: The user's choice.
    ///   - place: Where the page goes; in one file, scripts know the page's address, and can load data and modules.
    /// - Returns: What becomes of them.
    package static func fate(
        of page: [UInt8],
        text: PageText,
        _ choice: Choice,
        in place: ReferenceRewriter.Place = .folder
    ) -> Fate {
        page.withUnsafeBufferPointer { fate(of: ScanBuffer($0), text: text, choice, place) }
    }

    private static func fate(
        of page: ScanBuffer,
        text: PageText,
        _ choice: Choice,
        _ place: ReferenceRewriter.Place
    ) -> Fate {
        guard hasScripts(page) else { return .none }
        // A page that shows so little says at most "Loading".
        let isEmpty = text.text.utf8.count < 40
        let application = choice == .keep || choice == .auto && place != .folder ? nil : application(of: page)
        switch choice {
        case .drop: return isEmpty ? .needed(application ?? "scripts") : .dropped(application ?? "scripts")
        case .keep: return isEmpty ? .uncertain : .kept
        case .auto:
            guard place == .folder else { return isEmpty ? .uncertain : .kept }
            if let application { return isEmpty ? .needed(application) : .dropped(application) }
            guard isEmpty else { return .kept }
            return hasModules(page) ? .needed("modules") : .uncertain
        }
    }

    private static func hasScripts(_ page: ScanBuffer) -> Bool {
        var index = page.find(UInt8(ascii: "<"), from: 0)
        while index < page.count {
            if page.hasPrefix("<script", at: index) { return true }
            index = page.find(UInt8(ascii: "<"), from: index + 1)
        }
        return false
    }

    private static func hasModules(_ page: ScanBuffer) -> Bool {
        ["type=\"module\"", "type=module", "type='module'"].contains { page.position(of: $0) != nil }
    }

    /// Returns the name of the first generator in the table whose text the page has; nil if it has none.
    private static func application(of page: ScanBuffer) -> String? {
        var found = applications.endIndex
        for rare in [under, dash, colon] {
            let marks = applications.indices.filter { applications[$0].rare == rare }.map { number in
                let mark = UnsafeBufferPointer(
                    start: applications[number].mark.utf8Start,
                    count: applications[number].mark.utf8CodeUnitCount
                )
                return (number: number, text: mark, offset: mark.firstIndex(of: rare) ?? 0)
            }
            var index = page.find(rare, from: 0)
            while index < page.count {
                for (number, text, offset) in marks where number < found {
                    let start = index - offset
                    guard start >= 0, start + text.count <= page.count else { continue }
                    if page.slice(start..<start + text.count).elementsEqual(text) { found = number }
                }
                index = page.find(rare, from: index + 1)
            }
        }
        return found < applications.endIndex ? applications[found].name : nil
    }
}
