package import AFCCache
package import AFCCaching
package import AFCHTTP
internal import AFCMemory
package import AFCSearch
internal import AFCText
internal import AFCURL
internal import HTTPTypes
internal import Synchronization

/// The sites of a cache, or of mounted packages, as tools see them: packaged responses only, never received ones, which
/// may be private.
package final class PackagedSites: Sendable {
    /// The packages.
    let store: any SearchedPackages
    /// The search over them.
    let library: SearchLibrary
    /// The rules for responses that are no longer fresh.
    let policy: OfflinePolicy
    /// The differences in the query that a response may have if nothing is stored for a URL.
    let matching: QueryMatching
    /// The preferences of origins that are obeyed.
    let obedience: UsageObedience
    /// The clock.
    let now: @Sendable () -> Timestamp
    /// Pages that were read lately.
    let pages = Mutex(CostTable<ReadPage.Key, ReadPage>(limit: 16 << 20, width: 256, prefersNew: true))
    /// The number of pages of each generation that was asked for.
    private let counts = Mutex<[String: [String: PageCount]]>([:])

    /// Creates the sites.
    ///
    /// - Parameters:
    ///   - store: The packages.
    ///   - library: The search over them.
    ///   - policy: The rules for responses that are no longer fresh.
    ///   - matching: The differences in the query that a response may have if nothing is stored for a URL.
    ///   - obedience: The preferences of origins that are obeyed.
    ///   - now: The clock.
    package init(
        store: any SearchedPackages,
        library: SearchLibrary,
        policy: OfflinePolicy,
        matching: QueryMatching,
        obedience: UsageObedience = UsageObedience(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.obedience = obedience
        (self.store, self.library, self.policy, self.matching) = (store, library, policy, matching)
        self.now = now
    }

    // MARK: Versions

    /// Returns the generation that a version names; nil if the call names none.
    ///
    /// - Throws: ``ToolRefusal`` if there is none, or no longer; `CacheError` if the packages can't be read.
    func generation(_ text: String?) throws -> CurrentGeneration? {
        guard let text else { return nil }
        let wanted = PackageVersion(text)
        let generations = try store.currentGenerations()
        let named =
            generations.first { $0.package == wanted.package }
            // A name may contain the mark.
            ?? generations.first { $0.package == text }
        guard let named else {
            throw ToolRefusal("there is no package \(PrintableText.quoted(wanted.package)); 'list_sites' lists them")
        }
        guard wanted.digest.isEmpty || named.package == text || named.digest.hasPrefix(wanted.digest) else {
            throw ToolRefusal(
                "the package changed: its version is now \(PackageVersion(named)), and no longer "
                    + "\(PrintableText.quoted(text)); search again"
            )
        }
        return named
    }

    /// The versions of all packages together, for cursors over all of them.
    func stamp(_ generation: CurrentGeneration?) throws -> String {
        if let generation { return PackageVersion(generation).description }
        return try String(store.changeMark(), radix: 16)
    }

    // MARK: Sites

    /// The most sites that are listed.
    private static let siteLimit = 200
    /// The earlier versions of a package that are listed.
    private static let earlierLimit = 20

    /// Returns the packaged sites: the tool `list_sites`.
    ///
    /// - Throws: `CacheError` if the packages can't be read.
    func list() throws -> ToolResult {
        try store.requireServable()
        let generations = try store.currentGenerations()
        let origins = try store.origins()
        let titles = (try? library.sites(origins.compactMap(\.start))) ?? [:]
        let dates = try Dictionary(store.packages().map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        var (rows, lines): ([JSONValue], [String]) = ([], [])
        for origin in origins.prefix(Self.siteLimit) {
            let names = Set(try store.packages(withOrigin: origin.origin))
            let current = generations.filter { names.contains($0.package) }
            let title = QuotedText.visible(origin.start.flatMap { titles[$0]?.title } ?? "")
            let counts = try current.map { try pageCount(origin.origin, in: $0) }
            let (pages, withheld) = (counts.map(\.pages).max() ?? 0, counts.map(\.withheld).max() ?? 0)
            let earlier = try current.flatMap { generation in
                try store.earlierGenerations(of: generation.package).prefix(Self.earlierLimit)
            }
            var members: [(String, JSONValue)] = [("site", .string(origin.origin))]
            if let start = origin.start { members.append(("start", .string(start.description))) }
            if !title.isEmpty { members.append(("title", .string(title))) }
            members += [
                ("pages", .number(String(pages))), ("withheld", .number(String(withheld))),
                ("resources", .number(String(origin.resources))),
                (
                    "versions",
                    .array(
                        current.map { generation in
                            let resources = dates[generation.package]?.resources ?? generation.resources
                            return .object(
                                generation.versionMembers + [("resources", .number(String(resources)))]
                            )
                        }
                    )
                ),
            ]
            func words(_ generation: CurrentGeneration) -> String {
                "version \(PackageVersion(generation)), packaged \(generation.date.iso8601)"
            }
            var named = current.map(words)
            if !earlier.isEmpty {
                members.append(("earlier", .array(earlier.map { .object($0.versionMembers) })))
                named.append("earlier, for 'changes' only: " + earlier.map(words).joined(separator: "; "))
            }
            rows.append(.object(members))
            lines.append(
                "\(origin.origin) | \(title.isEmpty ? "no title" : title) | start "
                    + "\(origin.start?.description ?? "none") | \(pages) pages"
                    + "\(withheld > 0 ? ", \(withheld) of them withheld" : "") | \(named.joined(separator: "; "))"
            )
        }
        let omitted = max(0, origins.count - Self.siteLimit)
        var structure: [(String, JSONValue)] = [("sites", .array(rows))]
        var said = ["\(origins.count) packaged \(origins.count == 1 ? "site" : "sites")."]
        if omitted > 0 {
            structure.append(("omitted", .number(String(omitted))))
            said.append("\(omitted) more aren't listed.")
        }
        if origins.isEmpty { said.append("No package is loaded.") }
        let quoted = lines.isEmpty ? nil : lines.joined(separator: "\n")
        return ToolResult(said: said, quoted: quoted, structure: .object(structure))
    }

    /// Returns the number of an origin's pages in a generation; blocks for as long as its index is read, once.
    private func pageCount(_ origin: String, in generation: CurrentGeneration) throws(CacheError) -> PageCount {
        if let known = counts.withLock({ $0[generation.folder] }) { return known[origin] ?? PageCount() }
        var found: [String: PageCount] = [:]
        try generation.forEachResource { resource in
            guard PageKind(resource.fields, status: resource.status) != nil else { return true }
            // Scheme and authority end at the third slash.
            let slashes = resource.url.utf8.indices.lazy.filter { resource.url.utf8[$0] == UInt8(ascii: "/") }
            let end = slashes.dropFirst(2).first ?? resource.url.endIndex
            let isWithheld = !forbids(StatedUsage(resource.fields)).isEmpty
            found[String(resource.url[..<end]), default: PageCount()].pages += 1
            if isWithheld { found[String(resource.url[..<end]), default: PageCount()].withheld += 1 }
            return true
        }
        counts.withLock { counts in
            if counts.count >= 64 { counts = [:] }
            counts[generation.folder] = found
        }
        return found[origin] ?? PageCount()
    }

    /// Returns the origins and hosts that the argument `site` may name; nil if the call names none.
    ///
    /// - Throws: ``ToolRefusal`` if no package has the site.
    func site(_ text: String?) throws -> SiteChoice? {
        guard let text else { return nil }
        let origins = try store.origins()
        let url = text.contains("://") ? try? WebURL(text) : nil
        let wanted = url?.host ?? text.lowercased()
        let found = origins.filter { origin in
            url.map { $0.origin == origin.origin } ?? (origin.host == wanted)
        }
        guard let first = found.first else {
            let known = origins.prefix(10).map(\.origin).joined(separator: ", ")
            throw ToolRefusal(
                "no package has the site \(PrintableText.quoted(text)); "
                    + (known.isEmpty ? "no package is loaded" : "there are \(known)")
            )
        }
        return SiteChoice(host: first.host, origins: found.map(\.origin))
    }
}

/// A site that a call names.
struct SiteChoice: Sendable {
    /// The host.
    let host: String
    /// The origins: more than one if the site has several schemes or ports.
    let origins: [String]

    /// Returns true for a URL of the site.
    func contains(_ url: String) -> Bool {
        origins.contains { origin in
            url.hasPrefix(origin) && (url.utf8.count == origin.utf8.count || url.dropFirst(origin.count).first == "/")
        }
    }
}

/// What a resource is to a reader of texts.
enum PageKind: Sendable {
    /// A page in HTML, or in XHTML that is sent as XML.
    case html(isXML: Bool)
    /// A text that is read as it is.
    case text

    /// Returns the kind of a response; nil if it isn't a page that people read.
    init?(_ fields: HTTPFields, status: Int) {
        guard status == 200, let type = fields[.contentType].flatMap({ MediaType($0) }) else { return nil }
        switch type.essence {
        case "text/html": self = .html(isXML: false)
        case "application/xhtml+xml": self = .html(isXML: true)
        case "text/plain", "text/markdown", "text/x-markdown", "text/x-rst": self = .text
        default: return nil
        }
    }
}

extension CurrentGeneration {
    /// The version, the package and its date in results.
    var versionMembers: [(String, JSONValue)] {
        [
            ("version", .string(PackageVersion(self).description)), ("package", .string(package)),
            ("date", .string(date.iso8601)),
        ]
    }
}
