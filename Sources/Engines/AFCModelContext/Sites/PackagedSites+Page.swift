internal import AFCCache
internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCMemory
internal import AFCPackageFormat
internal import AFCServer
internal import AFCText
internal import AFCURL
internal import HTTPTypes
internal import Synchronization

extension PackagedSites {
    /// A resource that was found for a URL.
    struct FoundResource {
        var resource: CurrentGeneration.Resource
        var generation: CurrentGeneration
        /// The fragment that a redirect names (RFC 9110 §10.2.2); nil if there is none.
        var fragment: String?
    }

    /// The most redirects that are followed.
    private static let redirectLimit = 5
    /// The most headings in an answer with text, and in one without.
    private static let outlineLimit = (beside: 100, alone: 1_000)

    // MARK: Finding

    /// Finds the resource for a URL: that of the version, else the one that a server would send; redirects are followed.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - version: The generation to look in; nil for all.
    /// - Returns: The resource.
    /// - Throws: ``ToolRefusal`` if there is none, or it may not be served; `CacheError` if the packages can't be read.
    func find(_ url: WebURL, in version: CurrentGeneration?) throws -> FoundResource {
        var (url, fragment): (WebURL, String?) = (url, nil)
        for _ in 0...Self.redirectLimit {
            guard var found = try located(url, in: version) else { throw try missing(url, in: version) }
            let status = found.resource.status
            if (300..<400).contains(status), let location = found.resource.fields[.location],
                let base = try? WebURL(found.resource.url), let next = try? WebURL(location, base: base)
            {
                url = next
                if let mark = location.firstIndex(of: "#") {
                    fragment = Self.decoded(String(location[location.index(after: mark)...]))
                }
                continue
            }
            try requireServable(found)
            found.fragment = fragment
            return found
        }
        throw ToolRefusal("'\(url)' redirects more than \(Self.redirectLimit) times")
    }

    /// Finds the resource that is stored for a URL, or that a request for it means; nil if there is none.
    private func located(_ url: WebURL, in version: CurrentGeneration?) throws -> FoundResource? {
        let generations = try version.map { [$0] } ?? store.currentGenerations()
        let direct = try generations.compactMap { generation in
            try generation.resource(url).map { FoundResource(resource: $0, generation: generation) }
        }
        if direct.count == 1 { return direct[0] }
        let request = OfflineRequest(url: url, fields: [.secFetchMode: "navigate"])
        let policy = OfflinePolicy(expired: .always)
        if let first = direct.first {
            // Of several packages, the one that serves the URL.
            let package = try store.respond(to: request, now: now(), policy: policy).package
            return direct.first { $0.generation.package == package } ?? first
        }
        let answer = try store.respond(to: request, now: now(), policy: policy, .matching(matching))
        guard let answer, answer.fallback != .missing, let matched = answer.matched else { return nil }
        for generation in generations where answer.package == nil || generation.package == answer.package {
            if let resource = try generation.resource(matched) {
                return FoundResource(resource: resource, generation: generation)
            }
        }
        return nil
    }

    /// Refuses a response that has expired, by the same rules as a server's.
    private func requireServable(_ found: FoundResource) throws {
        let decision = OfflineDecision.decide(
            CacheRequest(method: .get, fields: HTTPFields()),
            stored: [found.resource.response],
            now: now(),
            policy: policy
        )
        let citation = Citation(found.resource, in: found.generation, at: now())
        switch decision.resolution.verdict {
        case .originForbidsStale:
            throw ToolRefusal("'\(citation.url)' has expired, and its origin forbids serving it then; \(citation.line)")
        case .expiredRefused: throw ToolRefusal("'\(citation.url)' has expired; \(citation.line)")
        case .fresh, .stale, .missing, .methodNotAllowed: break
        }
        let status = found.resource.status
        guard status < 400 else { throw ToolRefusal("'\(citation.url)' was answered with status \(status)") }
    }

    /// Returns the refusal for a URL that no package has.
    private func missing(_ url: WebURL, in version: CurrentGeneration?) throws -> ToolRefusal {
        let near = try NearURLs.found(for: url) { near in
            guard let version else { return try store.contains(near) }
            return try version.resource(near) != nil
        }
        let place = version.map { "the version \(PackageVersion($0))" } ?? "the packages"
        let advice =
            near.isEmpty
            ? "'search' and 'list_pages' find pages"
            : "there is " + near.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        return ToolRefusal("'\(PrintableText.escaped(url.description))' is not in \(place); \(advice)")
    }

    /// Reads a resource, or takes it from memory.
    func read(_ found: FoundResource) throws -> ReadPage {
        let key = ReadPage.Key(generation: found.generation.folder, number: found.resource.number)
        // A mounted file that was changed must not look unchanged.
        let isKept = !found.generation.isMounted
        if let known = pages.withLock({ $0.use(key) }), try isKept || isUnchanged() { return known }
        let page = try ReadPage(found.resource, in: found.generation)
        pages.withLock { _ = $0.insert(page, for: key, cost: page.cost) }
        return page
    }

    private func isUnchanged() throws -> Bool {
        try store.requireServable()
        return true
    }

    // MARK: The tool

    /// Returns a page: the tool `get`.
    ///
    /// - Throws: ``ToolRefusal`` or `CacheError`.
    func page(_ arguments: ToolArguments) throws -> ToolResult {
        let written = arguments.text("url") ?? ""
        let (url, fragment) = try Self.url(written)
        let version = try generation(arguments.text("version"))
        let found = try find(url, in: version)
        let usage = try permittedUsage(of: found)
        let page = try read(found)
        let citation = Citation(found.resource, in: found.generation, usage, at: now())
        if arguments.flag("outline_only") { return outline(of: page, citation, arguments) }
        let name = arguments.text("section") ?? fragment ?? found.fragment
        var range = 0..<page.bytes.count
        var notes: [String] = []
        if let name {
            if let section = page.section(name) {
                range = section
            } else if arguments.text("section") != nil {
                throw ToolRefusal(
                    "'\(citation.url)' has no section \(PrintableText.quoted(name)); 'outline_only' lists its sections"
                )
            } else {
                notes.append("The page has no section for the fragment; this is all of it.")
            }
        }
        let subject = [citation.url, citation.version.description, name ?? ""]
        let place = try AnswerCursor.place(of: arguments.text("cursor"), Tool.get.rawValue, subject)
        let start = place.flatMap { Int($0) } ?? range.lowerBound
        guard range.contains(start) || start == range.lowerBound else {
            throw ToolRefusal("the cursor leads out of the page; call again without it")
        }
        let limit = (arguments.number("max_tokens") ?? Tool.Limits.defaultTokens) * Tool.Limits.tokenBytes
        let portion = TextPortion(page.bytes[start..<range.upperBound], limit: limit)
        let text = QuotedText.visible(portion.text)
        var structure: [(String, JSONValue)] = [
            ("source", citation.json), ("title", .string(page.title)), ("format", .string(page.format)),
            ("text", .string(text)),
        ]
        var said = [citation.line]
        if start == range.lowerBound, portion.next != nil, name == nil, !page.outline.isEmpty {
            let beside = Self.fitting(page.outline, count: Self.outlineLimit.beside, bytes: limit / 4)
            structure.append(("outline", Self.json(of: beside)))
            notes.append("The page has \(page.outline.count) sections; 'outline_only' lists them.")
        }
        if let next = portion.next {
            let cursor = AnswerCursor(Tool.get.rawValue, subject, at: String(next)).text
            structure.append(("cursor", .string(cursor)))
            notes.append("\(range.upperBound - next) more bytes follow; continue with \"cursor\": \"\(cursor)\".")
        } else if page.isTruncated {
            notes.append("The page is larger than what is read of a page, and its end is missing.")
        }
        if text.isEmpty { notes.append("The page has no text.") }
        if !notes.isEmpty { structure.append(("note", .string(notes.joined(separator: " ")))) }
        said += notes
        return ToolResult(said: said, quoted: text, structure: .object(structure))
    }

    /// Returns the outline of a page.
    private func outline(of page: ReadPage, _ citation: Citation, _ arguments: ToolArguments) -> ToolResult {
        let limit = (arguments.number("max_tokens") ?? Tool.Limits.defaultTokens) * Tool.Limits.tokenBytes
        let headings = Self.fitting(page.outline, count: Self.outlineLimit.alone, bytes: limit)
        let lines = headings.map { heading in
            let indent = String(repeating: "  ", count: max(0, min(heading.level, 8) - 1))
            return "\(indent)- \(heading.text)" + (heading.anchor.map { " (#\($0))" } ?? "")
        }
        var structure: [(String, JSONValue)] = [
            ("source", citation.json), ("title", .string(page.title)), ("format", .string(page.format)),
            ("text", .string("")), ("outline", Self.json(of: headings)),
        ]
        var said = [citation.line]
        let omitted = page.outline.count - headings.count
        let note = page.outline.isEmpty ? "The page has no headings." : omitted > 0 ? "\(omitted) more follow." : nil
        if let note {
            structure.append(("note", .string(note)))
            said.append(note)
        }
        return ToolResult(
            said: said,
            quoted: QuotedText.visible(lines.joined(separator: "\n")),
            structure: .object(structure)
        )
    }

    /// Returns the first headings, up to a number and a size.
    private static func fitting(
        _ outline: [PageMarkdown.Heading],
        count: Int,
        bytes: Int
    ) -> ArraySlice<PageMarkdown.Heading> {
        var room = bytes
        return outline.prefix(count).prefix { heading in
            room -= heading.text.utf8.count + (heading.anchor?.utf8.count ?? 0) + 2 * heading.level + 4
            return room >= 0
        }
    }

    private static func json(of headings: some Sequence<PageMarkdown.Heading>) -> JSONValue {
        .array(
            headings.map { heading in
                let anchor: [(String, JSONValue)] =
                    heading.anchor.map {
                        [("anchor", .string(QuotedText.visible($0)))]
                    } ?? []
                let text = QuotedText.visible(heading.text)
                return .object([("level", .number(String(heading.level))), ("text", .string(text))] + anchor)
            }
        )
    }

    /// Returns a fragment without percent-encoding; nil for an empty one.
    private static func decoded(_ fragment: String) -> String? {
        fragment.isEmpty ? nil : String(decoding: PercentDecoding.decode(fragment.utf8), as: UTF8.self)
    }

    /// Reads the URL that a client wrote, and its fragment without percent-encoding.
    static func url(_ text: String) throws(ToolRefusal) -> (WebURL, fragment: String?) {
        do throws(WebURL.ParseError) {
            let (url, fragment) = try WebURL.parseWithFragment(text)
            return (url.removingCredentials, fragment.flatMap(decoded))
        } catch {
            throw ToolRefusal("\(PrintableText.quoted(text)) is no absolute URL: \(error)")
        }
    }

    // MARK: The resource

    /// The most bytes of a page that is read as a resource.
    private static let resourceLimit = 256 << 10

    /// Returns a page: the method `resources/read`.
    ///
    /// - Parameter written: The URL.
    /// - Returns: The contents.
    /// - Throws: ``ToolRefusal`` or `CacheError`.
    func contents(_ written: String) throws -> JSONValue {
        let (url, _) = try Self.url(written)
        let found = try find(url, in: nil)
        let usage = try permittedUsage(of: found)
        let page = try read(found)
        let citation = Citation(found.resource, in: found.generation, usage, at: now())
        let portion = TextPortion(page.bytes[...], limit: Self.resourceLimit)
        let quotation = QuotedText()
        var said = [citation.line]
        if portion.next != nil { said.append("The page is longer; the tool 'get' returns the rest.") }
        said.append(quotation.notice)
        let text = (said + [quotation.quoted(QuotedText.visible(portion.text))]).joined(separator: "\n")
        return .object([
            (
                "contents",
                .array([
                    .object([
                        ("uri", .string(written)),
                        ("mimeType", .string(page.format == "markdown" ? "text/markdown" : page.format)),
                        ("text", .string(text)), ("_meta", .object([("source", citation.json)])),
                    ])
                ])
            )
        ])
    }
}
