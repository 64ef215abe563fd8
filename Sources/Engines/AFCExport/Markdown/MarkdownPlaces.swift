package import AFCCaching
package import AFCDiscovery
package import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import Synchronization

/// The files of a folder in which pages are Markdown.
package final class MarkdownPlaces: ExportPlaces {
    /// A text of the export, as a list names it.
    struct Entry: Sendable {
        /// Its title in one line; empty if it has none.
        var title: String
        /// What it is about, in one line; empty if that isn't known.
        var summary = ""
        /// True if it was a page.
        var isPage = false
    }

    package let kind = ReferenceRewriter.Place.folder
    package let converts = true
    /// The paths of resources, by number; nil for those that the export leaves out.
    let paths: [String?]
    /// What origins say about the use of resources, by number; those that say nothing have none.
    private let usages: [Int: UsagePreferences]
    /// The pages and texts that the export leaves out, since their origins disallow the use by AI.
    package let withheld: Withheld
    /// True for the resources whose path no earlier one has; two with one body may have one path.
    private let isFirst: [Bool]
    private let folder: ExportFolder
    private let plan: ExportPlan
    private let state = Mutex(State())

    private struct State {
        /// What each path has.
        var entries: [String: Entry] = [:]
        var truncated = 0
    }

    /// Pages that an export leaves out.
    package struct Withheld: Sendable {
        /// Their number.
        package var count = 0
        /// The names by which their origins disallow the use by AI.
        package var names: Set<UsagePreferences.Input> = []

        /// The names in one line; empty if there are none.
        package var text: String {
            UsagePreferences.Input.allCases.filter(names.contains).map(\.rawValue).joined(separator: ", ")
        }
    }

    /// Gives names to the pages and texts of a plan.
    ///
    /// - Parameters:
    ///   - folder: The folder to write.
    ///   - plan: The resources.
    ///   - packages: The packages of the plan.
    ///   - ignored: The names of preferences that the user overrides.
    /// - Throws: `PackageError` if the head of a page can't be read.
    init(
        _ folder: ExportFolder,
        _ plan: ExportPlan,
        of packages: [PackageReader],
        ignoring ignored: Set<UsagePreferences.Input>
    ) throws {
        (self.folder, self.plan) = (folder, plan)
        let resources = plan.items.map { packages[$0.package].index.resources[$0.resource] }
        var usages: [Int: UsagePreferences] = [:]
        var withheld = Withheld()
        var kinds: [Kind?] = []
        for (item, resource) in zip(plan.items, resources) {
            let type = plan.type(of: resource)
            var kind = Self.kind(item, resource, type?.essence)
            if let found = kind {
                let usage = try Self.usage(of: resource, found == .page ? type : nil, in: packages[item.package])
                if !usage.isEmpty { usages[kinds.count] = usage }
                let names = usage.forbidsInput(except: ignored)
                if !names.isEmpty {
                    withheld.count += 1
                    withheld.names.formUnion(names)
                    kind = nil
                }
            }
            kinds.append(kind)
        }
        (self.usages, self.withheld) = (usages, withheld)
        let named = zip(resources, kinds).filter { $0.1 != nil }
        var names = FileNames(
            named.lazy.map { (url: $0.0.url, essence: $0.1 == .page ? "text/html" : "text/plain") },
            reserved: [FolderOutput.ownFolder, MarkdownOutput.list, MarkdownOutput.whole]
        )
        let paths: [String?] = zip(resources, kinds).map { resource, kind in
            switch kind {
            case .page: names.next(markdown: resource.url, digest: resource.record?.sha256)
            case .text: names.next(resource.url, "text/plain", digest: resource.record?.sha256)
            case .markdown: names.next(resource.url, "text/markdown", digest: resource.record?.sha256)
            case nil: nil
            }
        }
        var seen: Set<String> = []
        isFirst = paths.map { $0.map { seen.insert($0).inserted } ?? false }
        self.paths = paths
    }

    private enum Kind { case page, text, markdown }

    /// The most bytes of a page's head that are read before the pages are.
    private static let headLimit = 64 << 10

    /// Returns what is said about the use of a resource: by its record, and in the head of a page, which has a type.
    private static func usage(
        of resource: PackageIndex.Resource,
        _ type: MediaType?,
        in package: PackageReader
    ) throws -> UsagePreferences {
        let stated = resource.record?.statedUsage.combined ?? UsagePreferences()
        guard let type else { return stated }
        let words = try package.beginning(of: resource, limit: headLimit).withUnsafeBufferPointer {
            PageDirectiveWords.read(
                html: $0,
                charset: type.parameter("charset"),
                isXML: type.essence != "text/html"
            )
        }
        return stated.combined(with: UsagePreferences(directives: words))
    }

    private static func kind(_ item: ExportPlan.Item, _ resource: PackageIndex.Resource, _ essence: String?) -> Kind? {
        guard (resource.record?.status ?? 200) == 200, resource.url.path != "/robots.txt" else { return nil }
        if item.isPage { return .page }
        switch essence {
        case "text/markdown", "text/x-markdown": return .markdown
        case "text/plain": return .text
        default: return nil
        }
    }

    /// The texts, by path.
    var entries: [String: Entry] { state.withLock { $0.entries } }
    /// The number of pages of which a part was left out.
    package var truncated: Int { state.withLock { $0.truncated } }

    package func holds(_ number: Int) -> Bool { isFirst[number] }

    package func shown(_ number: Int, _ url: WebURL) -> WebURL? { nil }

    package func address(of number: Int, isPage: Bool) -> WebURL? { nil }

    package func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate) -> [UInt8]? { nil }

    package func converted(
        _ item: ExportedItem,
        _ body: [UInt8],
        number: @escaping (WebURL) -> Int?
    ) -> [UInt8]? {
        guard let path = paths[item.number] else { return nil }
        let page = body.withUnsafeBufferPointer { bytes in
            PageMarkdown(
                html: bytes,
                charset: item.type?.parameter("charset"),
                isXML: item.type?.essence != "text/html",
                url: item.url
            ) { url, isImage in
                guard !isImage, let number = number(url), let target = self.paths[number] else { return nil }
                return Self.relative(target, from: path) + (self.plan.fragment(of: url).map { "#" + $0 } ?? "")
            }
        }
        state.withLock { state in
            state.entries[path] = Entry(title: page.title, summary: page.summary, isPage: true)
            if page.isTruncated { state.truncated += 1 }
        }
        return Array((Self.head(of: page, item, usages[item.number]) + page.markdown).utf8)
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool? {
        guard let path = paths[item.number] else { return false }
        if item.type?.isPage != true {
            let name = String(path.split(separator: "/").last ?? "")
            state.withLock { $0.entries[path] = Entry(title: name) }
        }
        try folder.write(path, modified: item.modified, body)
        return true
    }

    /// Returns the beginning of a page's file: what the page is, as YAML, and its title unless a heading says it.
    private static func head(of page: PageMarkdown, _ item: ExportedItem, _ usage: UsagePreferences?) -> String {
        var head = "---\n"
        if !page.title.isEmpty { head += "title: \(JSONValue.string(printable(page.title)).serialized)\n" }
        head += "url: \(JSONValue.string(item.url.description).serialized)\n"
        if let modified = item.modified {
            head += "modified: \(modified.iso8601)\n"
        } else if let date = item.date {
            head += "fetched: \(date.iso8601)\n"
        }
        if let usage = usage?.known.text, !usage.isEmpty { head += "usage: \(JSONValue.string(usage).serialized)\n" }
        head += "---\n\n"
        if !page.title.isEmpty, !page.outline.contains(where: { $0.level == 1 }) {
            head += "# \(PageMarkdown.escaped(page.title))\n\n"
        }
        return head
    }

    /// Returns a text without the characters that YAML doesn't have (YAML 1.2 §5.1).
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x20...0x7E, 0xA0...0xFFFD, 0x1_0000...: true
            default: false
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns the relative address of a path from the folder of another one.
    static func relative(_ path: String, from other: String) -> String {
        let target = FolderPlaces.address(of: path).split(separator: "/")
        let folders = FolderPlaces.address(of: other).split(separator: "/").dropLast()
        let shared = zip(target.dropLast(), folders).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: folders.count - shared) + target.dropFirst(shared).map(String.init)
        // A name with a colon would be a scheme; no path has one.
        return parts.joined(separator: "/")
    }
}
