internal import AFCCache
internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCSearch
internal import AFCText
internal import AFCURL
internal import HTTPTypes

extension PackagedSites {
    // MARK: Searching

    /// Searches the pages: the tool `search`.
    ///
    /// - Throws: ``ToolRefusal``, `SearchError` or `CacheError`.
    func search(_ arguments: ToolArguments) throws -> ToolResult {
        try store.requireServable()
        let query = arguments.text("query") ?? ""
        let choice = try site(arguments.text("site"))
        let version = try generation(arguments.text("version"))
        let wanted = arguments.number("limit") ?? Tool.Limits.defaultResults
        var size = wanted
        var results: SearchResults
        var pages: FoundPages
        repeat {
            results = try library.search(query, host: choice?.host, package: version?.package, pageSize: size)
            pages = try found(results, choice)
            size *= 2
            // Pages that are withheld take no places, as far as a search may return more.
        } while pages.lines.count < wanted && pages.withheld > 0 && results.count > size / 2
            && size <= Tool.Limits.results.upperBound
        let (rows, lines) = (pages.rows.prefix(wanted), pages.lines.prefix(wanted))
        let notes = [self.note(withheld: pages.withheld, pages.names), Self.note(on: results)].compactMap(\.self)
        let note = notes.isEmpty ? nil : notes.joined(separator: " ")
        var structure: [(String, JSONValue)] = [
            ("results", .array(Array(rows))), ("found", .number(String(results.count))),
            ("withheld", .number(String(pages.withheld))),
        ]
        if let note { structure.append(("note", .string(note))) }
        var said = ["\(rows.count) of \(results.count) pages for \(PrintableText.quoted(query)), the best first."]
        if let note { said.append(note) }
        let quoted = lines.isEmpty ? nil : lines.joined(separator: "\n")
        return ToolResult(said: said, quoted: quoted, structure: .object(structure))
    }

    /// The results of a search that agents may read, and the number of the others.
    private struct FoundPages {
        var rows: [JSONValue] = []
        var lines: [String] = []
        var withheld = 0
        /// The names by which pages are withheld.
        var names: Set<UsagePreferences.Input> = []
    }

    private func found(_ results: SearchResults, _ choice: SiteChoice?) throws -> FoundPages {
        let generations = try store.currentGenerations()
        var pages = FoundPages()
        for result in results.results {
            guard choice?.contains(result.url.description) ?? true,
                let generation = generations.first(where: { $0.package == result.package }),
                let resource = try generation.resource(result.url)
            else { continue }
            let usage = try self.usage(of: FoundResource(resource: resource, generation: generation))
            let forbidding = forbids(usage)
            guard forbidding.isEmpty else {
                pages.withheld += 1
                pages.names.formUnion(forbidding)
                continue
            }
            let citation = Citation(resource, in: generation, usage, at: now())
            let title = QuotedText.visible(result.title)
            let snippet = QuotedText.visible(result.snippet.map(\.text).joined())
            pages.rows.append(
                .object([("title", .string(title)), ("snippet", .string(snippet)), ("source", citation.json)])
            )
            pages.lines.append("\(pages.lines.count + 1). \(title)\n   \(citation.line)\n   \(snippet)")
        }
        return pages
    }

    private static func note(on results: SearchResults) -> String? {
        var notes: [String] = []
        if results.missing > 0 {
            let packages = results.missing == 1 ? "1 package isn't" : "\(results.missing) packages aren't"
            notes.append("The search index is still being made: \(packages) searched yet. Try again in a while.")
        }
        if results.query.isEmpty { notes.append("The query has no words.") }
        if results.isAny { notes.append("No page has all words; these have some of them.") }
        if results.isCut { notes.append("The search took too long, and some packages weren't searched.") }
        if results.isIncomplete { notes.append("A search index is damaged, and its package wasn't searched.") }
        return notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    // MARK: Listing

    /// A page in a list.
    struct ListedPage {
        var url: String
        var type: String
        var size: Int64
        var modified: Timestamp?
        var version: PackageVersion
        /// The names by which an agent may not read the page.
        var withheld: [UsagePreferences.Input]
    }

    /// Returns pages in the order of their URLs.
    ///
    /// - Parameters:
    ///   - version: The generation to list; nil for all.
    ///   - beginning: The beginning of the URLs.
    ///   - after: The last URL of the previous list; nil for the beginning.
    ///   - limit: The most pages.
    ///   - isWanted: Returns whether a URL is wanted.
    /// - Returns: The pages, and the URL to continue after; nil at the end.
    /// - Throws: `CacheError` if the packages can't be read.
    func pages(
        of version: CurrentGeneration?,
        beginning: String,
        after: String?,
        limit: Int,
        _ isWanted: (String) -> Bool = { _ in true }
    ) throws(CacheError) -> (pages: [ListedPage], next: String?) {
        let generations = if let version { [version] } else { try store.currentGenerations() }
        var cursors: [PageCursor] = []
        for generation in generations {
            cursors.append(try PageCursor(generation, from: after ?? beginning, isAfter: after != nil))
        }
        var found: [ListedPage] = []
        var last = ""
        // A URL that is in several packages occurs once, as the first one has it.
        while let url = cursors.compactMap({ $0.first?.url }).min(by: Self.precedes), url.hasPrefix(beginning) {
            guard found.count < limit else { return (found, last) }
            var chosen: (CurrentGeneration.Resource, CurrentGeneration)?
            for place in cursors.indices where cursors[place].first?.url == url {
                if chosen == nil { chosen = cursors[place].first.map { ($0, cursors[place].generation) } }
                try cursors[place].advance()
            }
            last = url
            guard let (resource, generation) = chosen, isWanted(url) else { continue }
            found.append(
                ListedPage(
                    url: url,
                    type: resource.fields[.contentType].flatMap { MediaType($0) }?.essence ?? "",
                    size: resource.size,
                    modified: resource.lastModified,
                    version: PackageVersion(generation),
                    withheld: forbids(StatedUsage(resource.fields))
                )
            )
        }
        return (found, nil)
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Lists pages: the tool `list_pages`.
    ///
    /// - Throws: ``ToolRefusal`` or `CacheError`.
    func listPages(_ arguments: ToolArguments) throws -> ToolResult {
        let choice = try site(arguments.text("site"))
        let version = try generation(arguments.text("version"))
        let prefix = arguments.text("prefix") ?? choice.flatMap { $0.origins.count == 1 ? $0.origins[0] + "/" : nil }
        let subject = [
            try stamp(version), arguments.text("site") ?? "", String((arguments.text("prefix") ?? "").prefix(2048)),
        ]
        let after = try AnswerCursor.place(of: arguments.text("cursor"), Tool.listPages.rawValue, subject)
        let (pages, next) = try pages(
            of: version,
            beginning: prefix ?? "",
            after: after,
            limit: arguments.number("limit") ?? Tool.Limits.defaultRows
        ) { choice?.contains($0) ?? true }
        let rows = pages.map { page in
            var members: [(String, JSONValue)] = [
                ("url", .string(page.url)), ("version", .string(page.version.description)),
                ("type", .string(page.type)), ("size", .number(String(page.size))),
            ]
            if let modified = page.modified { members.append(("modified", .string(modified.iso8601))) }
            if !page.withheld.isEmpty { members.append(("withheld", .string(page.withheldNames))) }
            return JSONValue.object(members)
        }
        var structure: [(String, JSONValue)] = [("pages", .array(rows))]
        var said = ["\(pages.count) pages in the order of their URLs."]
        if let next {
            let cursor = AnswerCursor(Tool.listPages.rawValue, subject, at: next).text
            structure.append(("cursor", .string(cursor)))
            said.append("More may follow; continue with \"cursor\": \"\(cursor)\".")
        }
        let lines = pages.map { page in
            "\(PrintableText.escaped(page.url)) | version \(page.version) | \(page.size) bytes"
                + (page.withheld.isEmpty ? "" : " | withheld: \(page.withheldNames)")
        }
        let quoted = lines.isEmpty ? nil : lines.joined(separator: "\n")
        return ToolResult(said: said, quoted: quoted, structure: .object(structure))
    }

    /// The number of resources in one list of the protocol.
    private static let resourceListSize = 100

    /// Lists pages: the method `resources/list`.
    ///
    /// - Parameter cursor: The client's cursor; nil for the beginning.
    /// - Returns: The result.
    /// - Throws: ``ToolRefusal`` or `CacheError`.
    func resourceList(_ cursor: String?) throws -> JSONValue {
        let subject = [try stamp(nil)]
        let after = try AnswerCursor.place(of: cursor, "resources/list", subject)
        let (pages, next) = try pages(of: nil, beginning: "", after: after, limit: Self.resourceListSize)
        let resources = pages.map { page in
            let parts = page.url.split(separator: "/")
            return JSONValue.object([
                ("uri", .string(page.url)),
                ("name", .string(parts.count > 2 ? parts[2...].joined(separator: "/") : page.url)),
                ("description", .string("version \(page.version)")),
                ("mimeType", .string(page.type.contains("html") ? "text/markdown" : page.type)),
            ])
        }
        var members: [(String, JSONValue)] = [("resources", .array(resources))]
        if let next { members.append(("nextCursor", .string(AnswerCursor("resources/list", subject, at: next).text))) }
        return .object(members)
    }
}

extension PackagedSites.ListedPage {
    /// The names by which an agent may not read the page, in one line.
    fileprivate var withheldNames: String { withheld.map(\.rawValue).joined(separator: ", ") }
}
