internal import AFCText
internal import AFCURL
internal import Synchronization

/// A tab with a profile of its own: what rendering a page and visiting it have in common.
///
/// Nothing is loaded in it except what ``reply(_:_:)`` answers.
final class PageTab: Sendable {
    /// The limits of a tab.
    enum Limits {
        /// The requests that are answered or noted.
        static let requests = 5000
        /// The largest body that the browser gets, in bytes.
        static let body = 16 << 20
        /// The longest text that a page sends with a request, in bytes.
        static let upload = 1 << 20
    }

    private struct State {
        var sessions: Set<String> = []
        var hasWorkers = false
        var requests = 0
    }

    /// The session of the page itself.
    let session: String
    /// The page's main frame.
    let frame: String
    private let connection: BrowserConnection
    private let context: JSONValue
    private let state = Mutex(State())

    /// Opens an empty tab, in which downloads are denied.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost.
    init(_ connection: BrowserConnection) async throws {
        self.connection = connection
        let made = try await connection.call("Target.createBrowserContext", [("disposeOnDetach", .bool(true))])
        guard let id = made["browserContextId"] else { throw Self.unexpected }
        context = id
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
        (self.session, self.frame) = (session, frame)
        state.withLock { _ = $0.sessions.insert(session) }
        try await connection.call(
            "Browser.setDownloadBehavior",
            [("behavior", .string("deny")), ("browserContextId", id)]
        )
    }

    private static let unexpected = BrowserError(
        .ended,
        subject: "browser",
        message: "the browser doesn't answer as Chromium does"
    )

    /// True if the page has started workers.
    var hasWorkers: Bool { state.withLock { $0.hasWorkers } }

    /// The number of requests that the page has made.
    var requests: Int { state.withLock { $0.requests } }

    /// Sets the window, the language and the time zone, runs a script before each page's own, and intercepts all
    /// requests.
    ///
    /// - Parameters:
    ///   - beginning: The script.
    ///   - more: Other commands, which are sent at the end.
    /// - Throws: ``BrowserError`` if the browser is lost.
    func prepare(_ beginning: String, _ more: [(String, [(String, JSONValue)])]) async throws {
        let everything = JSONValue.array([.object([("urlPattern", .string("*"))])])
        let commands: [(String, [(String, JSONValue)])] = [
            ("Page.enable", []),
            ("Inspector.enable", []),
            ("Fetch.enable", [("patterns", everything)]),
            (
                "Target.setAutoAttach",
                [("autoAttach", .bool(true)), ("waitForDebuggerOnStart", .bool(true)), ("flatten", .bool(true))]
            ),
            ("Page.addScriptToEvaluateOnNewDocument", [("source", .string(beginning))]),
            (
                "Emulation.setDeviceMetricsOverride",
                [
                    ("width", .number("1280")), ("height", .number("800")), ("deviceScaleFactor", .number("1")),
                    ("mobile", .bool(false)),
                ]
            ),
            ("Emulation.setLocaleOverride", [("locale", .string("en-US"))]),
            ("Emulation.setTimezoneOverride", [("timezoneId", .string("UTC"))]),
        ]
        for (method, parameters) in commands + more { try await connection.call(method, parameters, in: session) }
    }

    /// Closes the tab, and discards its profile.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost.
    func close() async throws {
        try await connection.call("Target.closeTarget", [("targetId", .string(frame))])
        try await connection.call("Target.disposeBrowserContext", [("browserContextId", context)])
    }

    /// Ends the events of the tab.
    ///
    /// - Returns: True if more events arrived than may wait, so that some are missing.
    func leave() -> Bool { connection.leave(state.withLock { $0.sessions }) }

    // MARK: Events

    /// Takes over a frame of another process or a worker, or closes a window that the page opened.
    ///
    /// - Parameters:
    ///   - event: `Target.attachedToTarget`.
    ///   - commands: The commands for a frame or worker, beside those that intercept its requests.
    func adopt(_ event: BrowserConnection.Event, _ commands: [String] = []) {
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
            for command in commands { connection.post(command, in: child) }
        }
        connection.post("Runtime.runIfWaitingForDebugger", in: child)
    }

    // MARK: Requests

    /// A request that waits for its answer.
    struct Paused {
        /// The browser's name of the pause.
        var id: JSONValue
        /// The session in which it is answered.
        var session: String
        /// The browser's name of the request, the same for all requests of a chain of redirects.
        var network: String
        /// The request.
        var request: PageRequest
    }

    /// Reads a request, and answers one that the browser or nobody can answer.
    ///
    /// - Parameter event: `Fetch.requestPaused`.
    /// - Returns: The request; nil if it has its answer. The second value is true if the page made too many requests.
    func take(_ event: BrowserConnection.Event) -> (Paused?, isOver: Bool) {
        let parameters = event.parameters
        guard let id = parameters["requestId"] else { return (nil, false) }
        let text = parameters["request"]?["url"]?.string ?? ""
        if text.hasPrefix("blob:") || text.hasPrefix("data:") {
            connection.post("Fetch.continueRequest", [("requestId", id)], in: event.session)
            return (nil, false)
        }
        guard let url = try? WebURL(text), url.isHTTP, !url.hasCredentials else {
            fail(id, event.session)
            return (nil, false)
        }
        let number = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        guard number <= Limits.requests else {
            fail(id, event.session)
            return (nil, true)
        }
        var request = PageRequest(url: url, type: parameters["resourceType"]?.string ?? "")
        request.method = parameters["request"]?["method"]?.string ?? "GET"
        request.isOfMainFrame = parameters["frameId"]?.string == frame
        if case .object(let fields)? = parameters["request"]?["headers"] {
            request.fields = fields.compactMap { name, value in value.string.map { (name, $0) } }
        }
        if let body = parameters["request"]?["postData"]?.string, body.utf8.count <= Limits.upload {
            request.body = Array(body.utf8)
        }
        return (
            Paused(
                id: id,
                session: event.session,
                network: parameters["networkId"]?.string ?? "",
                request: request
            ), false
        )
    }

    /// Lets a request fail.
    func fail(_ paused: Paused, _ reason: String = "Failed") { fail(paused.id, paused.session, reason) }

    private func fail(_ id: JSONValue, _ session: String, _ reason: String = "Failed") {
        connection.post("Fetch.failRequest", [("requestId", id), ("errorReason", .string(reason))], in: session)
    }

    /// Answers a request.
    func reply(_ paused: Paused, _ answer: RenderAnswer) {
        guard case .response(let status, let fields, let body) = answer, body.count <= Limits.body else {
            return fail(paused)
        }
        let headers = fields.map { field in
            JSONValue.object([("name", .string(field.name)), ("value", .string(field.value))])
        }
        connection.post(
            "Fetch.fulfillRequest",
            [
                ("requestId", paused.id), ("responseCode", .number(String(status))),
                ("responseHeaders", .array(headers)), ("body", .string(Base64.encode(body))),
            ],
            in: paused.session
        )
    }
}
