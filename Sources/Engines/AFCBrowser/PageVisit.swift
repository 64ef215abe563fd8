package import AFCText
package import AFCURL
internal import Synchronization

/// A tab in which somebody does what a reader does, in real time: opens pages, clicks, types and looks.
///
/// Every request is noted with its answer, and so are the exceptions and errors that pages and their workers report.
package final class PageVisit: Sendable {
    /// What a page requested and reported.
    package struct Log: Sendable {
        /// The requests, in their order.
        package var requests: [Request] = []
        /// The problems, in their order.
        package var problems: [Problem] = []
        /// The reason that something may be missing; nil if nothing is.
        package var note: RenderedPage.Note?
    }

    /// A request, and how it was answered.
    package struct Request: Sendable {
        /// The fate of a request.
        package enum Outcome: Sendable, Equatable {
            /// A response was passed to the browser.
            case answered
            /// The response is too large for the browser.
            case tooLarge
            /// Nothing was passed to the browser.
            case refused
        }

        /// The request.
        package var request: PageRequest
        /// The fate.
        package var outcome: Outcome
        /// The URL whose response led here by a redirect.
        package var redirectedFrom: WebURL?
        /// The script or page that asked, if the browser knows it.
        package var source: String?
    }

    /// Something that a page or the browser reports.
    package struct Problem: Sendable, Equatable {
        /// The kinds.
        package enum Kind: Sendable {
            /// A script didn't catch an exception.
            case exception
            /// The browser refuses a response because of its media type.
            case mediaType
            /// An error on the console.
            case console
        }

        /// The kind.
        package var kind: Kind
        /// The words, cut to ``PageVisit/Limits/words``.
        package var words: String
        /// The URL of the script, or of what was refused.
        package var url: String?
    }

    /// The limits of a visit.
    package enum Limits {
        /// The characters of a problem.
        package static let words = 500
        /// The problems that are noted.
        package static let problems = 500
        /// The real time without any change after which a page is quiet.
        static let quiet = Duration.milliseconds(400)
        /// The real time between two looks.
        static let pause = Duration.milliseconds(100)
        /// The most real time for which a page is waited for.
        package static let settling = Duration.seconds(8)
    }

    /// A form of pictures.
    package enum PictureFormat: Sendable {
        /// Without loss.
        case png
        /// Small.
        case jpeg
    }

    private struct State {
        var log = Log()
        /// The place of each noted request in the log, by the browser's name of it.
        var places: [String: [Int]] = [:]
        var sources: [String: String] = [:]
        var chains: [String: WebURL] = [:]
        var pending: Set<String> = []
        var lastChange = ContinuousClock.now
    }

    private let connection: BrowserConnection
    private let answer: @Sendable (PageRequest) async -> RenderAnswer
    private let kill: @Sendable () -> Void
    private let tab = Mutex<PageTab?>(nil)
    private let state = Mutex(State())

    init(
        _ connection: BrowserConnection,
        answer: @escaping @Sendable (PageRequest) async -> RenderAnswer,
        kill: @escaping @Sendable () -> Void
    ) {
        self.connection = connection
        self.answer = answer
        self.kill = kill
    }

    /// What was requested and reported so far.
    package var log: Log {
        state.withLock { state in
            var log = state.log
            for (id, places) in state.places {
                guard let source = state.sources[id] else { continue }
                for place in places { log.requests[place].source = source }
            }
            return log
        }
    }

    /// The number of requests and problems so far, to tell those of a step from earlier ones.
    package var counts: (requests: Int, problems: Int) {
        state.withLock { ($0.log.requests.count, $0.log.problems.count) }
    }

    /// Notes why something may be missing.
    func note(_ note: RenderedPage.Note) { state.withLock { $0.log.note = note } }

    /// Opens the tab, takes the steps, and closes the tab.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost or a page crashes it, and the errors of the steps.
    func run(_ steps: @escaping @Sendable (PageVisit) async throws -> Void) async throws {
        let tab = try await PageTab(connection)
        self.tab.withLock { $0 = tab }
        let events = connection.events(of: tab.session)
        defer { if tab.leave() { note(.requests) } }
        try await tab.prepare(
            RenderScripts.seeded,
            [
                ("Runtime.enable", []), ("Log.enable", []), ("Network.enable", []),
                ("Network.setBypassServiceWorker", [("bypass", .bool(true))]),
                ("Emulation.setFocusEmulationEnabled", [("enabled", .bool(true))]),
            ]
        )
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.follow(events, tab)
                return false
            }
            group.addTask {
                try await steps(self)
                return true
            }
            // This ends the reader of the events as well.
            defer { group.cancelAll() }
            guard try await group.next() == true else {
                // The steps wait for answers that only the end of the browser ends.
                kill()
                throw BrowserConnection.ended
            }
        }
        try await tab.close()
    }

    // MARK: Events

    private func follow(_ events: AsyncStream<BrowserConnection.Event>, _ tab: PageTab) async {
        for await event in events {
            if Task.isCancelled { return }
            let parameters = event.parameters
            switch event.method {
            case "Fetch.requestPaused": await take(event, tab)
            case "Network.requestWillBeSent": begin(parameters)
            case "Network.loadingFinished", "Network.loadingFailed":
                guard let id = parameters["requestId"]?.string else { continue }
                state.withLock { state in
                    state.pending.remove(id)
                    state.lastChange = .now
                }
            case "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.domContentEventFired",
                "Page.loadEventFired":
                state.withLock { $0.lastChange = .now }
            case "Runtime.exceptionThrown": exception(parameters["exceptionDetails"])
            case "Runtime.consoleAPICalled": console(parameters)
            case "Log.entryAdded": entry(parameters["entry"])
            case "Page.javascriptDialogOpening":
                // To stay on a page that asks to is to end here.
                let isLeaving = parameters["type"]?.string == "beforeunload"
                connection.post("Page.handleJavaScriptDialog", [("accept", .bool(isLeaving))], in: event.session)
            case "Target.attachedToTarget": tab.adopt(event, ["Runtime.enable", "Log.enable", "Network.enable"])
            case "Inspector.targetCrashed":
                note(.crashed)
                return
            default: continue
            }
        }
    }

    private func take(_ event: BrowserConnection.Event, _ tab: PageTab) async {
        let (paused, isOver) = tab.take(event)
        if isOver { note(.requests) }
        guard let paused else { return }
        let answer = await answer(paused.request)
        let outcome: Request.Outcome =
            switch answer {
            case .response(_, _, let body): body.count <= PageTab.Limits.body ? .answered : .tooLarge
            case .refused, .unknown: .refused
            }
        state.withLock { state in
            state.lastChange = .now
            let id = paused.network
            var noted = Request(request: paused.request, outcome: outcome)
            if !id.isEmpty {
                if let earlier = state.chains[id], earlier != paused.request.url { noted.redirectedFrom = earlier }
                state.chains[id] = paused.request.url
                state.places[id, default: []].append(state.log.requests.count)
            }
            state.log.requests.append(noted)
        }
        tab.reply(paused, answer)
    }

    private func begin(_ parameters: JSONValue) {
        guard let id = parameters["requestId"]?.string else { return }
        let initiator = parameters["initiator"]
        var stack = initiator?["stack"]
        var source: String?
        for _ in 0..<8 where source == nil {
            source = stack?["callFrames"]?.array?.lazy.compactMap { $0["url"]?.string }.first { !$0.isEmpty }
            stack = stack?["parent"]
        }
        let url = source ?? initiator?["url"]?.string
        let isData = parameters["request"]?["url"]?.string?.hasPrefix("data:") == true
        state.withLock { state in
            guard state.sources.count < PageTab.Limits.requests else { return }
            if !isData { state.pending.insert(id) }
            if let url, state.sources[id] == nil { state.sources[id] = url }
            state.lastChange = .now
        }
    }

    private func exception(_ details: JSONValue?) {
        let words = details?["exception"]?["description"]?.string ?? details?["text"]?.string ?? "exception"
        let value = details?["exception"]?["value"]?.string.map { "\(details?["text"]?.string ?? "Uncaught") \($0)" }
        note(.exception, value ?? words, details?["url"]?.string)
    }

    private func console(_ parameters: JSONValue) {
        guard let type = parameters["type"]?.string, type == "error" || type == "assert" else { return }
        let words = (parameters["args"]?.array ?? []).prefix(8).map { argument in
            argument["value"]?.string ?? argument["description"]?.string ?? argument["type"]?.string ?? ""
        }
        let place = parameters["stackTrace"]?["callFrames"]?.array?.first?["url"]?.string
        note(.console, words.joined(separator: " "), place)
    }

    private func entry(_ entry: JSONValue?) {
        guard let entry, entry["level"]?.string == "error", let words = entry["text"]?.string else { return }
        if words.contains("MIME type") { return note(.mediaType, words, entry["url"]?.string) }
        // What failed to load is among the requests.
        guard entry["source"]?.string != "network" else { return }
        note(.console, words, entry["url"]?.string)
    }

    private func note(_ kind: Problem.Kind, _ words: String, _ url: String?) {
        guard !words.contains(RenderScripts.noWorkers) else { return }
        let first = words.split(separator: "\n", omittingEmptySubsequences: true).first.map(String.init) ?? words
        let problem = Problem(
            kind: kind,
            words: String(first.prefix(Limits.words)),
            url: url?.isEmpty == true ? nil : url
        )
        state.withLock { state in
            if state.log.problems.count < Limits.problems { state.log.problems.append(problem) }
        }
    }

    // MARK: Steps

    private var session: String? { tab.withLock { $0?.session } }

    private func call(_ method: String, _ parameters: [(String, JSONValue)] = []) async throws -> JSONValue {
        guard let session else { throw BrowserConnection.ended }
        try Task.checkCancellation()
        return try await connection.call(method, parameters, in: session)
    }

    /// Opens a page.
    ///
    /// - Parameter url: The page.
    /// - Returns: False if there is no document.
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    @discardableResult
    package func open(_ url: WebURL) async throws -> Bool {
        state.withLock { $0.lastChange = .now }
        let result = try await call("Page.navigate", [("url", .string(url.description))])
        return result["errorText"] == nil
    }

    /// Loads the page again.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    package func reload() async throws {
        state.withLock { $0.lastChange = .now }
        _ = try await call("Page.reload")
    }

    /// Waits until the page is loaded, and nothing was requested and nothing changed for a while.
    ///
    /// - Returns: False if it isn't quiet in time.
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    @discardableResult
    package func settle() async throws -> Bool {
        let begun = ContinuousClock.now
        var shown = ""
        var since = begun
        while true {
            try await Task.sleep(for: Limits.pause)
            let now = ContinuousClock.now
            let found = try await evaluate(Self.glance)?.string ?? ""
            let (isPending, change) = state.withLock { (!$0.pending.isEmpty, $0.lastChange) }
            if found != shown { (shown, since) = (found, now) }
            let isLoaded = found.hasPrefix("complete ")
            if isLoaded, !isPending, now - since >= Limits.quiet, now - change >= Limits.quiet { return true }
            if now - begun >= Limits.settling { return false }
        }
    }

    private static let glance = """
        `${document.readyState} ${location.href} ${document.getElementsByTagName('*').length} ${
            document.body?.textContent.length}`
        """

    /// Runs a script in the page.
    ///
    /// - Parameter script: An expression; a promise is waited for.
    /// - Returns: Its value as JSON; nil if it throws, or if the page is replaced meanwhile.
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    package func evaluate(_ script: String) async throws -> JSONValue? {
        do {
            let result = try await call(
                "Runtime.evaluate",
                [
                    ("expression", .string(script)), ("returnByValue", .bool(true)), ("awaitPromise", .bool(true)),
                    ("userGesture", .bool(true)), ("silent", .bool(true)),
                ]
            )
            return result["exceptionDetails"] == nil ? result["result"]?["value"] : nil
        } catch let error as BrowserError {
            guard !connection.isClosed else { throw error }
            return nil
        }
    }

    /// Clicks at a place in the window.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    package func click(x: Double, y: Double) async throws {
        state.withLock { $0.lastChange = .now }
        for (type, count) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 1)] {
            _ = try await call(
                "Input.dispatchMouseEvent",
                [
                    ("type", .string(type)), ("x", .number("\(x)")), ("y", .number("\(y)")),
                    ("button", .string(count == 0 ? "none" : "left")), ("clickCount", .number("\(count)")),
                ]
            )
        }
    }

    /// Types a text, key by key, where the focus is.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    package func type(_ text: String) async throws {
        state.withLock { $0.lastChange = .now }
        for letter in text {
            let key = ("key", JSONValue.string(String(letter)))
            let words = ("text", JSONValue.string(String(letter)))
            _ = try await call("Input.dispatchKeyEvent", [("type", .string("keyDown")), key, words])
            _ = try await call("Input.dispatchKeyEvent", [("type", .string("keyUp")), key])
        }
    }

    /// A key that isn't a letter.
    package enum Key: String, Sendable {
        /// Enter.
        case enter = "Enter"
        /// Backspace.
        case backspace = "Backspace"
    }

    /// Presses a key.
    ///
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    package func press(_ key: Key) async throws {
        state.withLock { $0.lastChange = .now }
        let code = key == .enter ? "13" : "8"
        let names: [(String, JSONValue)] = [
            ("key", .string(key.rawValue)), ("code", .string(key.rawValue)), ("windowsVirtualKeyCode", .number(code)),
        ]
        let text: [(String, JSONValue)] = key == .enter ? [("text", .string("\r"))] : []
        _ = try await call("Input.dispatchKeyEvent", names + [("type", .string("keyDown"))] + text)
        _ = try await call("Input.dispatchKeyEvent", names + [("type", .string("keyUp"))])
    }

    /// Takes a picture of the window.
    ///
    /// - Parameter format: The form.
    /// - Returns: The picture; nil if the page can't be drawn.
    /// - Throws: ``BrowserError`` if the browser is lost, `CancellationError`.
    package func picture(_ format: PictureFormat) async throws -> [UInt8]? {
        let settings: [(String, JSONValue)] =
            switch format {
            case .png: [("format", .string("png"))]
            case .jpeg: [("format", .string("jpeg")), ("quality", .number("60"))]
            }
        do {
            return Base64.decode(try await call("Page.captureScreenshot", settings)["data"]?.string ?? "")
        } catch let error as BrowserError {
            guard !connection.isClosed else { throw error }
            return nil
        }
    }
}
