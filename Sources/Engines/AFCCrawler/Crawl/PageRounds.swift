internal import AFCBrowser
internal import AFCCrawlRules
internal import AFCDiscovery
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// Opens the pages of a crawl in a browser, in rounds: after each, the crawl fetches what the pages lacked.
struct PageRounds {
    private struct Opened {
        var times: Int
        /// The URLs that the page requested, and the crawl didn't have, when it was opened last.
        var lacked: Set<URLKey>
        /// The URLs that it requested or linked to, and the crawl didn't know; empty once they are judged.
        var new: [URLKey] = []
        /// True if the site has one of these that no other page led to.
        var foundNew = false
    }

    /// The times that a page is opened: at each, it gets what it lacked before, and may need more.
    private static let limit = 20
    /// The pages that are opened, and the references found, before the crawl continues; both bound memory.
    private static let pageLimit = 500
    private static let referenceLimit = 200_000
    /// The pages of a kind that are opened to see whether all must be.
    private static let sampleCount = 3
    /// The beginning of a page that is searched for its scripts, in bytes.
    private static let headLimit = 1 << 20
    /// The largest body that the browser gets, in bytes.
    private static let bodyLimit: Int64 = 16 << 20

    private let browser: Browser
    private let options: CrawlOptions
    private let state: CrawlState
    private let files: CrawlFiles
    private let opensAll: Bool
    private var opened: [URLKey: Opened] = [:]
    private var kinds = PageKinds()

    /// Finds the browser, which isn't started yet.
    ///
    /// - Throws: `BrowserError` if there is none.
    init(_ rendering: RenderingOptions, _ options: CrawlOptions, _ state: CrawlState, _ files: CrawlFiles) throws {
        var settings = Browser.Options(
            searchPath: rendering.searchPath,
            temporaryFolder: OutputTarget.temporaryFolder
        )
        settings.program = rendering.program
        settings.behavior = rendering.behavior
        settings.pageTime = rendering.pageTime
        settings.skipsNofollow = options.obeysNofollow
        browser = try Browser(settings)
        opensAll = rendering.opensAll
        self.options = options
        self.state = state
        self.files = files
    }

    /// Ends the browser.
    func end() async { await browser.end() }

    /// Opens new pages, and those that lacked something that the crawl has now.
    ///
    /// The crawl's state must be saved, and nothing may wait.
    ///
    /// - Parameters:
    ///   - answers: What the crawl knows.
    ///   - isLate: Returns true when the crawl's time is over.
    ///   - onPage: A closure called after each page, with the number of pages done and of all in this round.
    /// - Returns: The references, in the order of the pages' URLs, and true if no other page was due.
    /// - Throws: `BrowserError` if the browser can't be started, ``PackagingError``, `CancellationError`.
    mutating func next(
        _ answers: KnownAnswers,
        isLate: () -> Bool,
        onPage: (Int, Int) -> Void
    ) async throws -> (found: [RenderedReferences], isAll: Bool) {
        let pages = try await pages()
        try await judge(answers)
        let due = opensAll ? pages.filter { isDue($0, answers) } : due(pages, answers)
        var found: [RenderedReferences] = []
        var count = 0
        for (index, page) in due.enumerated() {
            guard index < Self.pageLimit, count < Self.referenceLimit else { return (found, false) }
            if isLate() {
                opened[URLKey(page)] = Opened(times: Self.limit, lacked: [])
                found.append(RenderedReferences(page: page, found: [], cut: .rendering))
                continue
            }
            let rendered = try await browser.render(page) { [state, files] url in
                await OffPool.run { Self.answer(url.asBrowsersAsk, answers, state, files) }
            }
            let key = URLKey(page)
            opened[key] = Opened(
                times: (opened[key]?.times ?? 0) + 1,
                lacked: Set(rendered.unknown.map { URLKey($0.url.asBrowsersAsk) }),
                foundNew: opened[key]?.foundNew ?? false
            )
            let references = references(of: rendered)
            if !opensAll {
                opened[key]?.new = references.map { URLKey($0.url) }.filter { answers.answer($0) == .unknown }
            }
            count += references.count
            found.append(RenderedReferences(page: page, found: references, cut: rendered.note.map(Self.cut)))
            onPage(index + 1, due.count)
        }
        return (found, true)
    }

    private static func cut(_ note: RenderedPage.Note) -> CrawlReport.Cut.Limit {
        switch note {
        case .slow: .renderingTime
        case .crashed: .renderingCrash
        case .requests: .renderingRequests
        }
    }

    // MARK: Choice

    /// Returns the pages, and learns their scripts if these matter.
    private mutating func pages() async throws -> [WebURL] {
        guard !opensAll else { return try await OffPool.run { [state, files] in try state.pages(files) } }
        var new: [(WebURL, NamedScripts)] = []
        let pages: [WebURL]
        (pages, new) = try await OffPool.run { [state, files, kinds] in
            var new: [(WebURL, NamedScripts)] = []
            let pages = try state.pages(files) { record, body in
                guard !kinds.knows(URLKey(record.url)) else { return }
                let type = record.fields.value(of: .contentType).flatMap { MediaType($0) }
                let scripts = try body.beginning(Self.headLimit).withUnsafeBufferPointer { bytes in
                    NamedScripts(
                        html: bytes,
                        charset: type?.parameter("charset"),
                        isXML: type?.essence == "application/xhtml+xml"
                    )
                }
                new.append((record.url, scripts))
            }
            return (pages, new)
        }
        for (page, scripts) in new { kinds.note(page, scripts) }
        return pages
    }

    /// Notes which of the pages that were opened since the last round led to something of their own that the site has.
    private mutating func judge(_ answers: KnownAnswers) async throws {
        let judged = opened.filter { !$0.value.new.isEmpty }
        // What several pages need is in the package once one was opened.
        var uses: [URLKey: Int] = [:]
        for page in judged.values { for url in page.new { uses[url, default: 0] += 1 } }
        for (key, page) in judged {
            opened[key]?.new = []
            guard !page.foundNew else { continue }
            var ids: [Int64] = []
            for url in page.new where uses[url] == 1 {
                if case .result(let id) = answers.answer(url) { ids.append(id) }
            }
            guard !ids.isEmpty else { continue }
            opened[key]?.foundNew = try await OffPool.run { [state, files, ids] in
                try ids.contains { id in try state.result(id, files)?.isKept ?? false }
            }
        }
    }

    /// Returns the pages to open: those at which the crawl begins, the first of each kind, all of a kind of which one led to
    /// something new, and those that lacked what the crawl has now.
    private func due(_ pages: [WebURL], _ answers: KnownAnswers) -> [WebURL] {
        let seeds = Set(options.seeds.map { URLKey($0) })
        var counts: [PageKinds.Kind: Int] = [:]
        var rich: Set<PageKinds.Kind> = []
        for (key, page) in opened {
            guard let kind = kinds.kind(of: key) else { continue }
            counts[kind, default: 0] += 1
            if page.foundNew { rich.insert(kind) }
        }
        return pages.filter { page in
            let key = URLKey(page)
            guard isDue(page, answers) else { return false }
            guard opened[key] == nil, let kind = kinds.kind(of: key), !rich.contains(kind), !seeds.contains(key) else {
                return true
            }
            let count = counts[kind, default: 0]
            counts[kind] = count + 1
            return count < Self.sampleCount
        }
    }

    private func isDue(_ page: WebURL, _ answers: KnownAnswers) -> Bool {
        guard let opened = opened[URLKey(page)] else { return true }
        guard opened.times < Self.limit else { return false }
        return opened.lacked.contains { if case .result = answers.answer($0) { true } else { false } }
    }

    private func references(of page: RenderedPage) -> [FoundURL] {
        page.unknown.map { request in
            FoundURL(
                options.queryRules.applied(to: request.url, as: .requisite),
                role: .requisite,
                destination: Self.destination(request.type),
                isOptional: request.type == "Font" || request.type == "Other" || request.type == "Prefetch"
            )
        }
            + page.links.map { url in
                FoundURL(options.queryRules.applied(to: url, as: .link), role: .link, destination: .document)
            }
    }

    private static func destination(_ type: String) -> Destination {
        switch type {
        case "Document": .document
        case "Stylesheet": .style
        case "Script": .script
        case "Image": .image
        case "Font": .font
        case "Manifest": .manifest
        default: .other
        }
    }

    /// Returns the stored answer to a request of the browser; blocks.
    private static func answer(
        _ url: WebURL,
        _ answers: KnownAnswers,
        _ state: CrawlState,
        _ files: CrawlFiles
    ) -> RenderAnswer {
        let id: Int64
        switch answers.answer(URLKey(url)) {
        case .unknown: return .unknown
        case .none: return .refused
        case .result(let number): id = number
        }
        do {
            switch try state.result(id, files)?.content {
            case .resource(let record, let body, _), .kept(let record, let body, _, _):
                guard body.size <= bodyLimit, let data = files.data(of: body) else { return .refused }
                return .response(
                    status: record.status,
                    fields: record.fields.map { ($0.name.rawName, $0.value) },
                    body: try data.beginning(Int(bodyLimit))
                )
            case .redirect(let record, _):
                let fields = record.fields.map { ($0.name.rawName, $0.value) }
                return .response(status: record.status, fields: fields, body: [])
            case .failure, .again, .notModified, .planned, .leftOut, nil: return .refused
            }
        } catch {
            // A body that can't be read makes writing the package fail, with a better error.
            return .refused
        }
    }
}
