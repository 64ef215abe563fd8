internal import AFCText
internal import AFCURL
internal import Synchronization

/// One page in a tab of its own, from the request to what it links to.
final class PageRendering: Sendable {
    /// The limits of a page.
    enum Limits {
        /// The requests that are answered or noted.
        static let requests = 5000
        /// The virtual time for loading, in milliseconds.
        static let loading = 10_000
        /// The virtual time for what a reader does, in milliseconds.
        static let behavior = 5000
        /// The largest body that the browser gets, in bytes.
        static let body = 16 << 20
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
    }

    private struct State {
        var unknown: Set<RenderedPage.Request> = []
        var links: Set<WebURL> = []
        var note: RenderedPage.Note?
        var requests = 0
        var sessions: Set<String> = []
        var hasWorkers = false
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
        let context = try await connection.call("Target.createBrowserContext", [("disposeOnDetach", .bool(true))])
        guard let id = context["browserContextId"] else { throw Self.unexpected }
        let target = try await connection.call(
            "Target.createTarget",
            [("url", .string("about:blank")), ("browserContextId", id)]
        )
        guard let targetID = target["targetId"] else { throw Self.unexpected }
        let attached = try await connection.call(
            "Target.attachToTarget",
            [("targetId", targetID), ("flatten", .bool(true))]
        )
        guard let session = attached["sessionId"]?.string, let frame = targetID.string else { throw Self.unexpected }
        let events = connection.events(of: session)
        state.withLock { _ = $0.sessions.insert(session) }
        defer { if connection.leave(state.withLock { $0.sessions }) { note(.requests) } }
        try await connection.call(
            "Browser.setDownloadBehavior",
            [("behavior", .string("deny")), ("browserContextId", id)]
        )
        try await prepare(session)
        try await follow(events, session, frame: frame)
        try await connection.call("Target.closeTarget", [("targetId", targetID)])
        try await connection.call("Target.disposeBrowserContext", [("browserContextId", id)])
    }

    private static let unexpected = BrowserError(
        .ended,
        subject: "browser",
        message: "the browser doesn't answer as Chromium does"
    )

    private func prepare(_ session: String) async throws {
        let everything = JSONValue.array([.object([("urlPattern", .string("*"))])])
        let commands: [(String, [(String, JSONValue)])] = [
            ("Page.enable", []),
            ("Inspector.enable", []),
            ("Fetch.enable", [("patterns", everything)]),
            (
                "Target.setAutoAttach",
                [("autoAttach", .bool(true)), ("waitForDebuggerOnStart", .bool(true)), ("flatten", .bool(true))]
            ),
            ("Page.addScriptToEvaluateOnNewDocument", [("source", .string(RenderScripts.beginning))]),
            (
                "Emulation.setDeviceMetricsOverride",
                [
                    ("width", .number("1280")), ("height", .number("800")), ("deviceScaleFactor", .number("1")),
                    ("mobile", .bool(false)),
                ]
            ),
            ("Emulation.setLocaleOverride", [("locale", .string("en-US"))]),
            ("Emulation.setTimezoneOverride", [("timezoneId", .string("UTC"))]),
            (
                "Emulation.setVirtualTimePolicy",
                [("policy", .string("pause")), ("initialVirtualTime", .number(String(Self.beginning)))]
            ),
        ]
        for (method, parameters) in commands { try await connection.call(method, parameters, in: session) }
    }

    // MARK: Events

    private func follow(_ events: AsyncStream<BrowserConnection.Event>, _ session: String, frame: String) async throws {
        var stage = Stage.requested
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
                await take(event, isMain: event.parameters["frameId"]?.string == frame, hasBegun: stage != .requested)
            case "Page.frameNavigated" where stage == .requested:
                guard let id = event.parameters["frame"]?["id"]?.string, id == frame else { continue }
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
                    guard let behavior else { return try await finish(session) }
                    stage = .ownBehavior
                    run(behavior, session)
                    grant(Limits.behavior, session)
                case .ownBehavior: return try await finish(session)
                }
            case "Page.javascriptDialogOpening":
                connection.post("Page.handleJavaScriptDialog", [("accept", .bool(false))], in: event.session)
            case "Target.attachedToTarget": adopt(event, session)
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

    /// Takes over a frame of another process or a worker, or closes a window that the page opened.
    private func adopt(_ event: BrowserConnection.Event, _ session: String) {
        guard let child = event.parameters["sessionId"]?.string else { return }
        let information = event.parameters["targetInfo"]
        connection.join(child, to: session)
        let isFirst = state.withLock { state in
            if information?["type"]?.string?.contains("worker") == true { state.hasWorkers = true }
            return state.sessions.insert(child).inserted
        }
        guard isFirst else { return }
        if information?["type"]?.string == "page" {
            connection.post("Page.close", in: child)
        } else {
            // Workers don't know this command: their requests are the page's.
            connection.post("Fetch.enable", in: child)
        }
        connection.post("Runtime.runIfWaitingForDebugger", in: child)
    }

    // MARK: Requests

    private func take(_ event: BrowserConnection.Event, isMain: Bool, hasBegun: Bool) async {
        let parameters = event.parameters
        guard let request = parameters["requestId"] else { return }
        let text = parameters["request"]?["url"]?.string ?? ""
        let type = parameters["resourceType"]?.string ?? ""
        func fail(_ reason: String = "Failed") {
            connection.post(
                "Fetch.failRequest",
                [("requestId", request), ("errorReason", .string(reason))],
                in: event.session
            )
        }
        if text.hasPrefix("blob:") || text.hasPrefix("data:") {
            return connection.post("Fetch.continueRequest", [("requestId", request)], in: event.session)
        }
        guard let url = try? WebURL(text), url.isHTTP, !url.hasCredentials,
            parameters["request"]?["method"]?.string == "GET"
        else { return fail() }
        if isMain, type == "Document", hasBegun {
            // The page goes elsewhere by itself, which a reader would follow like a link.
            state.withLock { state in if state.links.count < RenderScripts.linkLimit { state.links.insert(url) } }
            return fail("Aborted")
        }
        let isAllowed = state.withLock { state in
            state.requests += 1
            guard state.requests > Limits.requests else { return true }
            state.note = .requests
            return false
        }
        guard isAllowed else { return fail() }
        switch await answer(url) {
        case .unknown:
            state.withLock { _ = $0.unknown.insert(RenderedPage.Request(url: url, type: type)) }
            fail()
        case .refused: fail()
        case .response(let status, let fields, let body):
            guard body.count <= Limits.body else { return fail() }
            let headers = fields.map { field in
                JSONValue.object([("name", .string(field.name)), ("value", .string(field.value))])
            }
            connection.post(
                "Fetch.fulfillRequest",
                [
                    ("requestId", request), ("responseCode", .number(String(status))),
                    ("responseHeaders", .array(headers)), ("body", .string(Base64.encode(body))),
                ],
                in: event.session
            )
        }
    }

    // MARK: The end

    /// Waits for workers, whose clocks aren't the page's, and reads the links.
    private func finish(_ session: String) async throws {
        if state.withLock({ $0.hasWorkers }) {
            var count = -1
            while count != state.withLock({ $0.requests }) {
                count = state.withLock { $0.requests }
                try await Task.sleep(for: Limits.quiet)
            }
        }
        let result = try await connection.call(
            "Runtime.evaluate",
            [("expression", .string(linkScript)), ("returnByValue", .bool(true))],
            in: session
        )
        let links = (result["result"]?["value"]?.array ?? []).prefix(RenderScripts.linkLimit).compactMap { link in
            link.string.flatMap { try? WebURL($0) }
        }
        state.withLock { $0.links.formUnion(links) }
    }
}
