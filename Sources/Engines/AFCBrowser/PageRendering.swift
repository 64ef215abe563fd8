internal import AFCText
internal import AFCURL
internal import Synchronization

/// One page in a tab of its own, from the request to what it links to.
final class PageRendering: Sendable {
    /// The limits of a page.
    enum Limits {
        /// The virtual time for loading, in milliseconds.
        static let loading = 10_000
        /// The virtual time for what a reader does, in milliseconds.
        static let behavior = 5000
        /// The virtual time after typing into search fields, in milliseconds.
        static let typing = 3000
        /// The real time without a request after which workers count as finished.
        static let quiet = Duration.milliseconds(150)
    }

    /// The virtual time at which every page begins, in seconds since 1970: the time at which the scripts' seed was
    /// chosen.
    private static let beginning = 1_700_000_000

    /// The stages of a page.
    private enum Stage: Int {
        case requested
        case loading
        case behavior
        case ownBehavior
        case typing
    }

    private struct State {
        var unknown: Set<RenderedPage.Request> = []
        var links: Set<WebURL> = []
        var note: RenderedPage.Note?
    }

    private let connection: BrowserConnection
    private let url: WebURL
    private let behavior: String?
    private let linkScript: String
    private let answer: @Sendable (WebURL) async -> RenderAnswer
    private let state = Mutex(State())

    init(
        _ connection: BrowserConnection,
        _ url: WebURL,
        _ options: Browser.Options,
        answer: @escaping @Sendable (WebURL) async -> RenderAnswer
    ) {
        self.connection = connection
        self.url = url
        behavior = options.behavior
        linkScript = RenderScripts.links(skipsNofollow: options.skipsNofollow)
        self.answer = answer
    }

    /// What was found so far.
    var page: RenderedPage {
        state.withLock { state in
            var page = RenderedPage()
            var seen: Set<WebURL> = []
            page.unknown = state.unknown.sorted { ($0.url, $0.type) < ($1.url, $1.type) }
                .filter { seen.insert($0.url).inserted }
            page.links = state.links.sorted()
            page.note = state.note
            return page
        }
    }

    /// Notes why the page wasn't rendered completely.
    func note(_ note: RenderedPage.Note) { state.withLock { $0.note = note } }

    /// Renders the page, and closes its tab.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    func run() async throws {
        let tab = try await PageTab(connection)
        let events = connection.events(of: tab.session)
        defer { if tab.leave() { note(.requests) } }
        try await tab.prepare(
            RenderScripts.beginning,
            [
                (
                    "Emulation.setVirtualTimePolicy",
                    [("policy", .string("pause")), ("initialVirtualTime", .number(String(Self.beginning)))]
                )
            ]
        )
        try await follow(events, tab)
        try await tab.close()
    }

    // MARK: Events

    private func follow(_ events: AsyncStream<BrowserConnection.Event>, _ tab: PageTab) async throws {
        var stage = Stage.requested
        let session = tab.session
        let navigation = Task { [connection, url] in
            let result = try await connection.call("Page.navigate", [("url", .string(url.description))], in: session)
            // A page without a document, such as a download, never begins.
            if result["errorText"] != nil { connection.leave([session]) }
        }
        defer { navigation.cancel() }
        for await event in events {
            try Task.checkCancellation()
            switch event.method {
            case "Fetch.requestPaused":
                await take(event, tab, stage)
            case "Page.frameNavigated" where stage == .requested:
                guard let id = event.parameters["frame"]?["id"]?.string, id == tab.frame else { continue }
                stage = .loading
                grant(Limits.loading, session)
            case "Emulation.virtualTimeBudgetExpired" where event.session == session:
                switch stage {
                case .requested: continue
                case .loading:
                    stage = .behavior
                    run(RenderScripts.behavior, session)
                    grant(Limits.behavior, session)
                case .behavior:
                    guard let behavior else { fallthrough }
                    stage = .ownBehavior
                    run(behavior, session)
                    grant(Limits.behavior, session)
                case .ownBehavior:
                    // What a search shows depends on what is typed, and so may the page's address.
                    try await readLinks(tab)
                    stage = .typing
                    run(RenderScripts.typing, session)
                    grant(Limits.typing, session)
                case .typing: return try await awaitWorkers(tab)
                }
            case "Page.javascriptDialogOpening":
                connection.post("Page.handleJavaScriptDialog", [("accept", .bool(false))], in: event.session)
            case "Target.attachedToTarget": tab.adopt(event)
            case "Inspector.targetCrashed":
                note(.crashed)
                return
            default: continue
            }
        }
    }

    /// Lets the page's clock run for some time, except while it waits for answers.
    private func grant(_ milliseconds: Int, _ session: String) {
        connection.post(
            "Emulation.setVirtualTimePolicy",
            [
                ("policy", .string("pauseIfNetworkFetchesPending")), ("budget", .number(String(milliseconds))),
                ("maxVirtualTimeTaskStarvationCount", .number("100000")),
            ],
            in: session
        )
    }

    private func run(_ script: String, _ session: String) {
        connection.post(
            "Runtime.evaluate",
            [("expression", .string(script)), ("userGesture", .bool(true)), ("silent", .bool(true))],
            in: session
        )
    }

    // MARK: Requests

    private func take(_ event: BrowserConnection.Event, _ tab: PageTab, _ stage: Stage) async {
        let (paused, isOver) = tab.take(event)
        if isOver { note(.requests) }
        guard let paused else { return }
        let request = paused.request
        guard request.method == "GET" else { return tab.fail(paused) }
        if request.isOfMainFrame, request.type == "Document", stage != .requested {
            // The page goes elsewhere by itself, which a reader would follow like a link.
            state.withLock { state in
                guard stage != .typing, state.links.count < RenderScripts.linkLimit else { return }
                state.links.insert(request.url)
            }
            return tab.fail(paused, "Aborted")
        }
        let answer = await answer(request.url)
        if case .unknown = answer {
            state.withLock { _ = $0.unknown.insert(RenderedPage.Request(url: request.url, type: request.type)) }
        }
        tab.reply(paused, answer)
    }

    // MARK: The end

    /// Waits for workers, whose clocks aren't the page's.
    private func awaitWorkers(_ tab: PageTab) async throws {
        guard tab.hasWorkers else { return }
        var count = -1
        while count != tab.requests {
            count = tab.requests
            try await Task.sleep(for: Limits.quiet)
        }
    }

    private func readLinks(_ tab: PageTab) async throws {
        try await awaitWorkers(tab)
        let result = try await connection.call(
            "Runtime.evaluate",
            [("expression", .string(linkScript)), ("returnByValue", .bool(true))],
            in: tab.session
        )
        let links = (result["result"]?["value"]?.array ?? []).prefix(RenderScripts.linkLimit).compactMap { link in
            link.string.flatMap { try? WebURL($0) }
        }
        state.withLock { $0.links.formUnion(links) }
    }
}
