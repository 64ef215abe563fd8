internal import AFCFiles
public import AFCText
public import AFCURL

/// A browser without a network that renders pages from stored responses, one at a time; see
/// docs/reference/rendering.md.
public actor Browser {
    /// The settings of a browser.
    public struct Options: Sendable {
        /// The path of the browser, or its name in the search path; nil for any known browser.
        public var program: String?
        /// The folders in which programs are found, separated by colons.
        public var searchPath: String
        /// The folder for the browser's profile.
        public var temporaryFolder: String
        /// A script that runs in each page after it has loaded; nil for none.
        public var behavior: String?
        /// True to leave out links that a page marks as nofollow.
        public var skipsNofollow = false
        /// The real time for a page.
        public var pageTime = Duration.seconds(30)

        /// The real time in which the browser must answer after its start.
        public var startTime = Duration.seconds(30)

        /// Creates settings with the defaults.
        public init(searchPath: String, temporaryFolder: String) {
            self.searchPath = searchPath
            self.temporaryFolder = temporaryFolder
        }
    }

    /// The most pages that one process renders.
    static let pageLimit = 200

    private struct Running {
        var process: BrowserProcess
        var connection: BrowserConnection
        var pages = 0
    }

    private let options: Options
    private let program: String
    private var running: Running?

    /// Finds the browser, which isn't started yet.
    ///
    /// - Parameter options: The settings.
    /// - Throws: ``BrowserError`` if there is none.
    public init(_ options: Options) throws(BrowserError) {
        self.options = options
        program = try BrowserProcess.find(options.program, path: options.searchPath)
    }

    /// Returns the path of a browser.
    ///
    /// - Parameters:
    ///   - name: A path, or a name in the search path; nil for any known browser.
    ///   - searchPath: The folders in which programs are found, separated by colons.
    /// - Returns: The path.
    /// - Throws: ``BrowserError`` if there is none.
    package static func path(of name: String?, in searchPath: String) throws(BrowserError) -> String {
        try BrowserProcess.find(name, path: searchPath)
    }

    /// Renders a page.
    ///
    /// - Parameters:
    ///   - url: The page, whose answer must be a stored response.
    ///   - answer: Returns the stored answer to each request.
    /// - Returns: What the page requested and links to; with a note if something may be missing.
    /// - Throws: ``BrowserError`` if the browser can't be started, `CancellationError`.
    public func render(
        _ url: WebURL,
        answer: @escaping @Sendable (WebURL) async -> RenderAnswer
    ) async throws -> RenderedPage {
        var last = RenderedPage()
        for _ in 0..<2 {
            let connection = try await start()
            let rendering = PageRendering(connection, url, options, answer: answer)
            do {
                let isInTime = try await run { try await rendering.run() }
                if !isInTime, rendering.page.note == nil { rendering.note(.slow) }
                if !isInTime || running?.pages ?? 0 >= Self.pageLimit { await stop() }
                if rendering.page.note != .crashed { return rendering.page }
            } catch is BrowserError {
                try Task.checkCancellation()
                rendering.note(.crashed)
            }
            // The next attempt is with another process.
            await stop()
            last = rendering.page
        }
        return last
    }

    /// Ends the browser.
    public func end() async { await stop() }

    /// Opens a tab, and leaves what happens in it to a closure, for at most the time for a page.
    ///
    /// Unlike ``render(_:answer:)``, the page's clock is real, and pictures are drawn.
    ///
    /// - Parameters:
    ///   - answer: Returns the answer to each request.
    ///   - steps: Does what a reader would do.
    /// - Returns: What the page requested and reported.
    /// - Throws: ``BrowserError`` if the browser can't be started, `CancellationError`.
    package func visit(
        answer: @escaping @Sendable (PageRequest) async -> RenderAnswer,
        steps: @escaping @Sendable (PageVisit) async throws -> Void
    ) async throws -> PageVisit.Log {
        let connection = try await start()
        let process = running?.process
        let visit = PageVisit(connection, answer: answer) { process?.kill() }
        do {
            let isInTime = try await run { try await visit.run(steps) }
            if !isInTime, visit.log.note == nil { visit.note(.slow) }
            if !isInTime || running?.pages ?? 0 >= Self.pageLimit { await stop() }
        } catch is BrowserError {
            try Task.checkCancellation()
            if visit.log.note == nil { visit.note(.crashed) }
            await stop()
        }
        return visit.log
    }

    /// Does something with a page, and returns false if that takes too long.
    private func run(_ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        let (process, limit) = (running?.process, options.pageTime)
        // A page that hangs answers nothing, so its calls end only with the process.
        return try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await work()
                    return true
                }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return false
                }
                defer { group.cancelAll() }
                let isInTime = try await group.next() ?? true
                if !isInTime { process?.kill() }
                return isInTime
            }
        } onCancel: {
            process?.kill()
        }
    }

    private func start() async throws -> BrowserConnection {
        if let running, !running.connection.isClosed {
            self.running?.pages += 1
            return running.connection
        }
        await stop()
        let (program, path, folder) = (program, options.searchPath, options.temporaryFolder)
        let process = try await OffPool.run { () throws(BrowserError) in
            try BrowserProcess(program, path: path, temporaryFolder: folder)
        }
        var connection: BrowserConnection?
        let started = ContinuousClock.now
        do {
            let new = try await BrowserConnection(socket: process.socket)
            connection = new
            try await Self.greet(new, process, options.startTime)
            running = Running(process: process, connection: new, pages: 1)
            return new
        } catch {
            await OffPool.run { process.end() }
            await connection?.close()
            try Task.checkCancellation()
            throw BrowserError(
                .unavailable,
                subject: program,
                message: started.duration(to: .now) >= options.startTime
                    ? "it was started, and didn't answer within \(options.startTime.components.seconds) seconds"
                    : "it ended as soon as it was started",
                remedy: .chooseBrowser
            )
        }
    }

    /// Waits until a new browser answers.
    ///
    /// - Throws: ``BrowserError`` if it ends, or doesn't answer in time; `CancellationError`.
    private static func greet(
        _ connection: BrowserConnection,
        _ process: BrowserProcess,
        _ limit: Duration
    ) async throws {
        // The call ends only with an answer or the connection.
        @Sendable func giveUp() async {
            process.kill()
            await connection.close()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await connection.call("Browser.getVersion")
            }
            group.addTask {
                do {
                    try await Task.sleep(for: limit)
                } catch {
                    // The browser has answered, or the crawl is stopped.
                    if !connection.hasAnswered { await giveUp() }
                    throw error
                }
                await giveUp()
                throw BrowserConnection.ended
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func stop() async {
        guard let ended = running else { return }
        running = nil
        await OffPool.run { ended.process.end() }
        await ended.connection.close()
    }
}
