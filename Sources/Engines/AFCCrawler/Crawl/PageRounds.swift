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
    }

    /// The times that a page is opened.
    private static let limit = 5
    /// The pages that are opened, and the references found, before the crawl continues; both bound memory.
    private static let pageLimit = 500
    private static let referenceLimit = 200_000
    /// The largest body that the browser gets, in bytes.
    private static let bodyLimit: Int64 = 16 << 20

    private let browser: Browser
    private let options: CrawlOptions
    private let state: CrawlState
    private let files: CrawlFiles
    private var opened: [URLKey: Opened] = [:]

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
        let pages = try await OffPool.run { [state, files] in try state.pages(files) }
        let due = pages.filter { isDue($0, answers) }
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
                lacked: Set(rendered.unknown.map { URLKey($0.url.asBrowsersAsk) })
            )
            let references = references(of: rendered)
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
