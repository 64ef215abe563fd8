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

    /// A text in the pages of a generator, and the generator's name.
    private static let applications: [(mark: StaticString, name: String)] = [
        ("id=\"__NEXT_DATA__\"", "Next.js"), ("self.__next_f", "Next.js"), ("id=\"___gatsby\"", "Gatsby"),
        ("id=\"__docusaurus\"", "Docusaurus"), ("id=__docusaurus", "Docusaurus"), ("id=\"__nuxt\"", "Nuxt"),
        ("window.__NUXT__", "Nuxt"), ("__VP_HASH_MAP__", "VitePress"), ("data-server-rendered", "Vue"),
        ("__sveltekit_", "SvelteKit"), ("__remixContext", "Remix"), ("__reactRouterContext", "React Router"),
        ("ng-server-context", "Angular"), ("q:container", "Qwik"), ("data-vitepress", "VitePress"),
        ("id=\"app\" data-v-app", "Vue"), ("<astro-island", "Astro"),
    ]

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
        guard has("<script", page) else { return .none }
        // A page that shows so little says at most "Loading".
        let isEmpty = text.text.utf8.count < 40
        let application = applications.first { has($0.mark, page) }?.name
        switch choice {
        case .drop: return isEmpty ? .needed(application ?? "scripts") : .dropped(application ?? "scripts")
        case .keep: return isEmpty ? .uncertain : .kept
        case .auto:
            guard place == .folder else { return isEmpty ? .uncertain : .kept }
            if let application { return isEmpty ? .needed(application) : .dropped(application) }
            guard isEmpty else { return .kept }
            let hasModules = has("type=\"module\"", page) || has("type=module", page) || has("type='module'", page)
            return hasModules ? .needed("modules") : .uncertain
        }
    }

    private static func has(_ mark: StaticString, _ page: ScanBuffer) -> Bool {
        page.position(of: mark, from: 0) != nil
    }
}
