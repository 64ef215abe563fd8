package import AFCCaching
internal import AFCDiscovery
internal import AFCFiles
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
package import AFCURL

/// An export as a folder of Markdown: a file for each page, a list of all, and a file with all; docs/reference/export.md.
package final class MarkdownOutput: ExportOutput {
    /// The list of the texts, in the form of llmstxt.org.
    static let list = "llms.txt"
    /// All pages, one after the other.
    static let whole = "llms-full.txt"
    /// The most sections of the list; with more, all pages are in one.
    private static let maxSections = 24

    package let places: MarkdownPlaces
    package var workers: Int { ParallelWork.processors }
    private let folder: ExportFolder
    private let urls: [WebURL]

    /// Begins a folder, which appears once it is complete.
    ///
    /// - Parameters:
    ///   - path: The folder, which may not exist, be empty, or be an older export.
    ///   - plan: The resources.
    ///   - packages: The packages of the plan.
    ///   - ignored: The names of preferences that the user overrides.
    /// - Throws: `PackageError` if something else is at the path, or a page can't be read.
    package init(
        _ path: String,
        _ plan: ExportPlan,
        of packages: [PackageReader],
        ignoring ignored: Set<UsagePreferences.Input> = []
    ) throws {
        folder = try ExportFolder(path)
        places = try MarkdownPlaces(folder, plan, of: packages, ignoring: ignored)
        urls = plan.items.map { packages[$0.package].index.resources[$0.resource].url }
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool {
        // Its place has written it.
        false
    }

    package func add(_ page: SearchedPage, of item: ExportedItem) {}

    package func finish(_ sites: [ExportedSite], redirects: [String: WebURL]) throws -> Int {
        let texts = texts()
        let pages = texts.filter(\.entry.isPage)
        try folder.write(Self.list, list(sites, texts))
        try folder.write(Self.whole, modified: nil) { take in
            for page in pages {
                let name = "<!-- \(page.path) -->\n"
                try Array(name.utf8).withUnsafeBytes(take)
                try folder.read(page.path, take)
                try [0x0A].withUnsafeBytes(take)
            }
        }
        try folder.commit()
        return pages.count
    }

    // MARK: Texts

    private struct Text {
        var path: String
        var url: WebURL
        var entry: MarkdownPlaces.Entry
    }

    /// Returns the texts in the order of the packages, each path once.
    private func texts() -> [Text] {
        var entries = places.entries
        return zip(places.paths, urls).compactMap { path, url in
            guard let path, let entry = entries.removeValue(forKey: path) else { return nil }
            return Text(path: path, url: url, entry: entry)
        }
    }

    private func list(_ sites: [ExportedSite], _ texts: [Text]) -> String {
        var list = "# \(PageMarkdown.escaped(HomeParts.title(sites)))\n\n"
        let start = sites.count == 1 ? places.paths[sites[0].number].flatMap { places.entries[$0]?.summary } : nil
        if let start, !start.isEmpty { list += "> \(PageMarkdown.escaped(start))\n\n" }
        for site in sites {
            list += "- From <\(site.url)>: \(site.provenance.joined(separator: ", "))\n"
        }
        if !sites.isEmpty { list += "\n" }
        list += "All pages are in [\(Self.whole)](\(Self.whole)).\n"
        let withheld = places.withheld
        if withheld.count > 0 {
            let pages = "\(Quantity.count(withheld.count, "page")) \(withheld.count == 1 ? "is" : "are")"
            list += "\n\(pages) left out, since origins disallow the use by AI (\(withheld.text)).\n"
        }
        let pages = texts.filter(\.entry.isPage)
        for (name, texts) in sections(pages) {
            list += "\n## \(PageMarkdown.escaped(name))\n\n" + texts.map(Self.line).joined()
        }
        let others = texts.filter { !$0.entry.isPage }
        // A reader may skip this section (llmstxt.org).
        if !others.isEmpty { list += "\n## Optional\n\n" + others.map(Self.line).joined() }
        return list
    }

    private static func line(_ text: Text) -> String {
        let title = text.entry.title.isEmpty ? text.url.path : text.entry.title
        let summary = text.entry.summary.isEmpty ? "" : ": " + PageMarkdown.escaped(text.entry.summary)
        return "- [\(PageMarkdown.escaped(title, isLink: true))]"
            + "(\(FolderPlaces.address(of: text.path)))\(summary)\n"
    }

    /// Returns the pages by host if there are several, else by the first folder of their paths.
    private func sections(_ pages: [Text]) -> [(String, [Text])] {
        let hasHosts = Set(pages.map { $0.url.host ?? "" }).count > 1
        var names: [String] = []
        var sections: [String: [Text]] = [:]
        for page in pages {
            let folders = page.path.split(separator: "/")
            let name = hasHosts ? folders[0] : folders.count > 2 ? folders[1] : "Pages"
            if sections[String(name)] == nil { names.append(String(name)) }
            sections[String(name), default: []].append(page)
        }
        guard names.count <= Self.maxSections else { return [("Pages", pages)] }
        return names.map { ($0, sections[$0] ?? []) }
    }
}
