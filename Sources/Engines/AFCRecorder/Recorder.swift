public import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
public import AFCHTTP
public import AFCOrigin
public import AFCPackageFile
internal import AFCPackageFormat
public import AFCPackager
internal import AFCPlatform
internal import AFCResolver
public import AFCServer
public import AFCText
internal import AFCURL
public import HTTPTypes
internal import NIOCore
internal import Synchronization

/// A forward proxy's responder that passes requests on to their origins, and records the answers for a package; see
/// docs/reference/recording.md.
///
/// Put it behind a `ProxyResponder` that answers CONNECT with certificates, and call ``finish()`` when the clients are
/// gone.
public final class Recorder: LookingUp {
    /// The settings of a recording.
    public struct Options: Sendable {
        /// The answer that is kept if a URL has several.
        public var keep = Recording.Keep.last
        /// True if answers to other methods than GET are recorded.
        public var recordsOtherMethods = false
        /// The most bytes of a recorded body.
        public var bodyBytes: Int64 = 16 << 30
        /// The URLs that aren't recorded.
        public var excluded: [URLPattern] = []
        /// The freshness lifetime of entries after the Date, in seconds, or nil for the origin's.
        public var maxAge: Int64?
        /// The time that replaces the clock's times in records, or nil to keep those.
        public var pinnedTime: Timestamp?
        /// True to fetch what recorded pages need besides.
        public var completes = false
        /// True to add the answers to the package at the output's path, whose own are kept.
        package var addsToPackage = false
        /// True to discard an interrupted recording.
        public var restarts = false
        /// The way to origins.
        public var access = OriginAccess()
        /// The time for unfinished bodies after the clients are gone.
        public var drainTime = Duration.seconds(10)
        /// The text of the recorder's own page, and the certificate of its authority in PEM, which the page offers; nil
        /// for none.
        public var authority: String?
        /// The clock.
        public var now: @Sendable () -> Timestamp

        /// Creates the defaults.
        public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }
    }

    private struct State {
        var report = RecordingReport()
        /// The URLs whose whole body was requested in this run, so that later ranges are passed on.
        var begun: Set<URLKey> = []
        /// The URLs of which parts were requested.
        var partial: [URLKey: WebURL] = [:]
        /// How often a URL was requested in this run; only with `Recording.Keep.all`.
        var requests: [URLKey: Int] = [:]
        var relays: [ObjectIdentifier: BodyRelay] = [:]
        var isStopped = false
    }

    /// The most URLs of which parts are remembered.
    private static let partialLimit = 10_000
    /// The pause between two writes of the state.
    private static let flushInterval = Duration.seconds(1)

    private let options: Options
    private let output: Packaging.Output
    private let store: RecordingStore
    private let transport: DirectTransport
    private let flights = Flights()
    private let writing = OwnedTasks()
    private let state: Mutex<State>

    /// Opens the files of the recording; an interrupted one is continued.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - output: The settings for writing the package.
    /// - Throws: ``PackagingError`` if the package or the files beside it can't be written.
    public init(_ options: Options, to output: Packaging.Output) throws(PackagingError) {
        self.options = options
        self.output = output
        store = try RecordingStore(
            beside: try output.target(replacing: options.addsToPackage ? nil : []),
            path: output.path,
            keep: options.keep,
            generator: output.generator,
            level: output.level,
            restarts: options.restarts
        )
        transport = DirectTransport(access: options.access, now: options.now)
        var report = RecordingReport()
        report.resumed = store.resumed
        state = Mutex(State(report: report))
        writing.run { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.flushInterval)
                guard let self else { return }
                await flush()
            }
        }
    }

    /// The number of answers from an interrupted recording.
    public var resumed: Int { store.resumed }

    // MARK: Answers

    /// Nothing: every request goes to its origin.
    public func lookUp(_ request: ServerRequest) throws -> ServerAnswer? { nil }

    /// Passes a request on, and records the answer.
    public func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        guard let url = try? WebURL(request.target), url.isHTTP, !request.target.hasPrefix("/"),
            !(url.effectivePort == request.server.port && request.server.owns(url.host ?? ""))
        else { return ownPage(request) }
        if !options.access.allowsPrivate, let port = url.effectivePort, !PortRules().allowsRequests(to: port) {
            return .plain(.forbidden, "this proxy doesn't connect to port \(port)", detail: "forbidden-port", at: now)
        }
        do {
            if request.asksForUpgrade { return try await upgrade(request, url) }
            guard request.method == "GET" else { return try await answerOther(request, url, interim) }
            return try await record(request, url, interim)
        } catch let failure as TransportFailure {
            if failure.code != .cancelled { note(url, .failed, cause: failure.message) }
            return ServerAnswer(failure, at: now)
        }
    }

    private var now: Timestamp { options.now() }

    private func note(_ url: WebURL, _ omission: RecordingReport.Omission, cause: String? = nil) {
        state.withLock { $0.report.note(url.removingCredentials, omission, cause: cause) }
    }

    private func upgrade(_ request: ServerRequest, _ url: WebURL) async throws -> ServerAnswer {
        var fields = request.fields.withoutConnectionFields
        fields[fields: .upgrade] = request.fields[fields: .upgrade]
        let answer = try await transport.upgrade(TransportRequest(method: .get, url: url, fields: fields))
        note(url, .upgrade)
        return ServerAnswer(answer, url: url)
    }

    /// The fields of a request that make its answer something else than the whole resource.
    private static let conditions: [HTTPField.Name] = [
        .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange, .range,
    ]

    private func record(
        _ request: ServerRequest,
        _ url: WebURL,
        _ interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        var sent = TransportRequest(method: .get, url: url, fields: request.fields.passedOn)
        let isWanted = isRecorded(url)
        let range = request.fields[.range]
        let key = URLKey(url)
        if range != nil || !isWanted {
            // The whole is requested once; what follows of it goes past the recording.
            let isPassed = state.withLock { state in
                guard isWanted, state.begun.insert(key).inserted, !store.contains(url) else {
                    if isWanted, state.partial.count < Self.partialLimit { state.partial[key] = url }
                    return true
                }
                return false
            }
            if isPassed { return ServerAnswer(try await transport.send(sent, request, interim), url: url).passedOn() }
        } else {
            state.withLock { _ = $0.begun.insert(key) }
        }
        let place = nextPlace(of: url)
        for name in Self.conditions { sent.fields[name] = nil }
        sent.fields[.acceptEncoding] = "identity"
        do {
            let response = try await transport.send(sent, request, interim)
            return taken(response, of: place, as: url, sent: sent, request, range: range)
        } catch {
            // A later request for a part may bring the whole.
            state.withLock { _ = $0.begun.remove(key) }
            throw error
        }
    }

    /// Counts a request, and returns the URL under which its answer is recorded.
    ///
    /// - Parameter url: The URL of the request, or what stands for it.
    /// - Returns: The URL.
    private func nextPlace(of url: WebURL) -> WebURL {
        guard options.keep == .all else { return url }
        let number = state.withLock { state in
            state.requests[URLKey(url), default: 0] += 1
            return state.requests[URLKey(url)] ?? 1
        }
        return AnswerURL.url(url, number: number)
    }

    private func isRecorded(_ url: WebURL) -> Bool {
        state.withLock { !$0.isStopped } && !options.excluded.contains { $0.matches(url) }
    }

    // MARK: Other methods

    private func answerOther(
        _ request: ServerRequest,
        _ url: WebURL,
        _ interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        guard let method = HTTPRequest.Method(rawValue: request.method) else {
            return .plain(.badRequest, "the request method is not valid", detail: "bad-request", at: now)
        }
        var sent = TransportRequest(method: method, url: url, fields: request.fields.passedOn)
        guard sent.fields.countForwarding(method) else {
            let status: HTTPResponse.Status = method == .options ? .ok : .methodNotAllowed
            let words = "the request must not be forwarded (Max-Forwards: 0)"
            return .plain(status, words, detail: "max-forwards", at: now)
        }
        var request = request
        var key: WebURL?
        if options.recordsOtherMethods, MethodURL.isUsed(for: request.method), isRecorded(url) {
            key = try await request.readMethodURL(url).map(nextPlace)
            if key == nil { note(url, .request) }
        } else if request.method != "HEAD" {
            note(url, .method)
        }
        if !request.body.isEmpty { (sent.body, sent.bodyLength) = (request.body, request.body.length) }
        guard let key else {
            return ServerAnswer(try await transport.send(sent, request, interim), url: url).passedOn()
        }
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange, .range] { sent.fields[name] = nil }
        sent.fields[.acceptEncoding] = "identity"
        let response = try await transport.send(sent, request, interim)
        return taken(response, of: key, as: url, sent: sent, request, range: nil)
    }

    // MARK: Recording

    /// Returns the client's answer, and starts to record the response.
    ///
    /// - Parameters:
    ///   - response: The origin's response.
    ///   - key: The URL under which it is recorded.
    ///   - url: The URL that was requested.
    ///   - sent: The request to the origin.
    ///   - request: The client's request.
    ///   - range: The client's Range field.
    /// - Returns: The answer, whose body is recorded while it is sent.
    private func taken(
        _ response: TransportResponse,
        of key: WebURL,
        as url: WebURL,
        sent: TransportRequest,
        _ request: ServerRequest,
        range: String?
    ) -> ServerAnswer {
        var answer = ServerAnswer(response, url: url).passedOn()
        var head = FetchHead(status: response.status, fields: response.fields)
        guard response.status != 206, response.status != 304 else { return answer }
        if [301, 302, 303, 307, 308].contains(response.status),
            let location = response.fields.singleValue(of: .location),
            let target = try? WebURL(location, base: url)
        {
            store.add(record(key, head, sent.fields), target: target)
            return answer
        }
        let type = response.fields[.contentType].flatMap { MediaType($0)?.essence }
        guard type != "text/event-stream" else {
            note(url, .events)
            return answer
        }
        let writer: LockedWriter
        do throws(FetchFailure) {
            writer = try LockedWriter(&head, url: url, store: store, limit: options.bodyBytes)
        } catch {
            note(url, Self.omission(error))
            return answer
        }
        let relay = BodyRelay()
        state.withLock { $0.relays[ObjectIdentifier(relay)] = relay }
        let record = { @Sendable [head] (body: BodyWriter.Body) in
            self.record(key, head, sent.fields, size: body.size, sha256: body.sha256)
        }
        let isStarted = flights.run { [self] in
            await receive(response.body, into: writer, relay, url, record)
            state.withLock { _ = $0.relays.removeValue(forKey: ObjectIdentifier(relay)) }
        }
        guard isStarted else { return answer }
        let part = part(range, of: response, request)
        answer.body = .stream(RelayedBody(relay, range: part?.range))
        if let part { part.apply(to: &answer) }
        return answer
    }

    /// Receives a body to its end, whether the client stays or not.
    private func receive(
        _ body: ByteStream,
        into writer: LockedWriter,
        _ relay: BodyRelay,
        _ url: WebURL,
        _ record: @escaping @Sendable (BodyWriter.Body) -> ResourceRecord
    ) async {
        var isRecording = true
        do {
            for try await piece in body {
                if isRecording {
                    do {
                        try await OffPool.run { () throws(FetchFailure) in try writer.append(piece) }
                    } catch {
                        // The client gets its answer nevertheless.
                        isRecording = false
                        fail(error, url)
                    }
                }
                await relay.send(piece)
            }
        } catch {
            note(url, .incomplete)
            // A later request for a part may bring the whole.
            state.withLock { _ = $0.begun.remove(URLKey(url)) }
            return relay.end(error)
        }
        if isRecording {
            do {
                let body = try await OffPool.run { () throws(FetchFailure) in try writer.finish() }
                store.add(record(body), body)
            } catch {
                fail(error, url)
            }
        }
        relay.end()
    }

    private func fail(_ failure: FetchFailure, _ url: WebURL) {
        guard case .storage(let words) = failure else { return note(url, Self.omission(failure)) }
        stop(words)
    }

    /// Stops recording, for example because the disk is full; requests are still passed on.
    private func stop(_ words: String) {
        state.withLock { state in
            state.isStopped = true
            state.report.storageFailure = state.report.storageFailure ?? words
        }
    }

    private static func omission(_ failure: FetchFailure) -> RecordingReport.Omission {
        switch failure {
        case .tooLarge: .tooLarge
        case .coding, .expansion: .coding
        default: .incomplete
        }
    }

    private func record(
        _ url: WebURL,
        _ head: FetchHead,
        _ sent: HTTPFields,
        size: Int64? = nil,
        sha256: String? = nil
    ) -> ResourceRecord {
        let record = Recording.record(of: url, head: head, sent: sent, fetched: now, size: size, sha256: sha256)
        return options.pinnedTime.map { Recording.pinned(record, to: $0) } ?? record
    }

    // MARK: Ranges

    /// A part of a body, as a client asked for it (RFC 9110 §14).
    private struct Part {
        var range: Range<Int64>
        var size: Int64

        func apply(to answer: inout ServerAnswer) {
            answer.status = .partialContent
            answer.fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
            answer.fields[.contentLength] = String(range.upperBound - range.lowerBound)
        }
    }

    /// Returns the part of a whole response that the client asked for; nil if it gets the whole.
    private func part(_ range: String?, of response: TransportResponse, _ request: ServerRequest) -> Part? {
        guard let range, response.status == 200, let size = response.bodyLength,
            !response.fields.contains(.contentEncoding),
            case .satisfiable(let ranges) = ByteRanges(range, size: size), ranges.count == 1
        else { return nil }
        if let condition = request.fields[.ifRange] {
            guard condition == response.fields[.eTag] || condition == response.fields[.lastModified] else { return nil }
        }
        return Part(range: ranges[0], size: size)
    }

    // MARK: The recorder's own page

    private func ownPage(_ request: ServerRequest) -> ServerAnswer {
        let path = (try? WebURL(request.target, base: WebURL("http://localhost/")))?.path ?? request.target
        guard request.method == "GET" || request.isHead else {
            return .plain(.methodNotAllowed, "this proxy has only a page to read", detail: "method", at: now)
        }
        if path == "/ca.pem", let authority = options.authority {
            var answer = ServerAnswer.plain(.ok, authority, detail: "own-page", at: now)
            answer.fields[.contentType] = "application/x-x509-ca-cert"
            return answer
        }
        guard path == "/" else { return .plain(.notFound, "this proxy has no such page", detail: "own-page", at: now) }
        let host = request.host.authority?.description ?? "this address"
        let words = """
            This proxy records what is requested through it.

            1. Set \(host) as the HTTP proxy of your device or program.
            2. For https, install the certificate at http://\(host)/ca.pem and trust it for websites.
            """
        return .plain(.ok, words, detail: "own-page", at: now)
    }

    // MARK: The end

    /// Waits for unfinished bodies, and writes the package.
    ///
    /// - Returns: The summary of the package, nil if nothing was recorded or answers were in conflict; and the report.
    /// - Throws: ``PackagingError``, `PackageError`, `CancellationError`. The recording is then kept.
    public func finish() async throws -> (summary: PackageWriter.Summary?, report: RecordingReport) {
        for relay in state.withLock({ Array($0.relays.values) }) { relay.leave() }
        await flights.end(within: options.drainTime)
        await writing.end()
        await transport.shutDown()
        store.dropRepeated()
        try await OffPool.run { [store] () throws(PackagingError) in try store.flush() }
        var report = state.withLock { state in
            for url in state.partial.values.sorted() where !store.contains(url) { state.report.note(url, .partial) }
            return state.report
        }
        if options.completes, report.storageFailure == nil { try await complete(&report) }
        report.recorded = store.count
        (report.conflicts, report.firstConflicts) = store.conflicts
        guard report.storageFailure == nil else { return (nil, report) }
        guard report.recorded > 0, report.conflicts == 0 else {
            if report.recorded == 0 { store.workspace.remove() }
            return (nil, report)
        }
        let summary = options.addsToPackage ? try await add() : try await pack(to: output)
        store.workspace.remove()
        return (summary, report)
    }

    private func pack(to output: Packaging.Output) async throws -> PackageWriter.Summary {
        try await Packaging.pack(store, maxAge: options.maxAge, to: output)
    }

    /// Writes a package of what the one at the output's path has, and the recorded answers for other URLs.
    private func add() async throws -> PackageWriter.Summary {
        var part = output
        part.path = try OutputTarget(output.path).draft("recording")
        part.name = nil
        defer { unlink(part.path) }
        do {
            _ = try await pack(to: part)
        } catch var error as PackageError {
            error.subject = output.path
            throw error
        }
        let paths = [output.path, part.path]
        let merge = try await OffPool.run { () throws(PackageError) in try PackageMerge(of: paths, preferring: .first) }
        var writing = PackageWriter.Options(created: output.created, generator: output.generator)
        merge.describe(&writing)
        return try await PackageWriter.write(merge, to: output.path, options: writing)
    }

    /// Fetches what recorded pages need besides.
    private func complete(_ report: inout RecordingReport) async throws {
        let pages = try await OffPool.run { [store] in try store.pages() }
        guard !pages.isEmpty else { return }
        var crawl = CrawlOptions(seeds: pages, now: options.now)
        crawl.scope.extent = .page
        crawl.scope.exclude = options.excluded
        crawl.scope.allowsPrivate = options.access.allowsPrivate
        crawl.limits.bodyBytes = options.bodyBytes
        crawl.pinnedTime = options.pinnedTime
        var fetching = HTTPFetcher.Options()
        fetching.access = options.access
        fetching.namedHosts = Set(pages.compactMap(\.host))
        fetching.now = now
        let (found, added) = try await HTTPFetcher.withFetcher(options: fetching) { [store, output, crawl] network in
            try await store.complete(crawl, over: network, level: output.level)
        }
        report.added = added
        for failure in found.failures where failure.importance == .requisite { report.note(failure.url, .missing) }
        try await OffPool.run { [store] () throws(PackagingError) in try store.flush() }
    }

    /// Ends a recording that didn't begin; files that hold nothing are removed.
    public func abandon() async {
        await flights.end(within: .zero)
        await writing.end()
        await transport.shutDown()
        if store.count == 0 { store.workspace.remove() }
    }

    /// Saves what was recorded so far.
    private func flush() async {
        do throws(PackagingError) {
            try await OffPool.run { [store] () throws(PackagingError) in try store.flush() }
        } catch {
            stop(error.message)
        }
    }
}

/// A writer that is used by one thread at a time, but not always the same.
private final class LockedWriter: Sendable {
    private let writer: Mutex<RecordedBodyWriter>

    init(_ head: inout FetchHead, url: WebURL, store: RecordingStore, limit: Int64) throws(FetchFailure) {
        writer = Mutex(try RecordedBodyWriter(&head, url: url, store: store, limit: limit))
    }

    func append(_ piece: ByteBuffer) throws(FetchFailure) {
        try writer.withLock { writer throws(FetchFailure) in
            var failure: FetchFailure?
            piece.withUnsafeReadableBytes { bytes in
                do throws(FetchFailure) { try writer.append(bytes) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }

    func finish() throws(FetchFailure) -> BodyWriter.Body {
        try writer.withLock { writer throws(FetchFailure) in try writer.finish() }
    }
}

/// The tasks that receive bodies, which may outlive their clients.
private final class Flights: Sendable {
    private struct State {
        var count = 0
        var waiting: CheckedContinuation<Void, Never>?
        var isEnded = false
    }

    private let tasks = OwnedTasks()
    private let state = Mutex(State())

    /// Starts a task; returns false after ``end(within:)``.
    func run(_ body: @escaping @Sendable () async -> Void) -> Bool {
        let isOpen = state.withLock { state in
            guard !state.isEnded else { return false }
            state.count += 1
            return true
        }
        guard isOpen else { return false }
        let task = tasks.run { [self] in
            await body()
            finished()
        }
        if task == nil { finished() }
        return task != nil
    }

    private func finished() {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits for all tasks, and cancels those that take longer.
    func end(within limit: Duration) async {
        let timer = Task { [tasks] in
            do { try await Task.sleep(for: limit) } catch { return }
            tasks.cancel()
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                state.isEnded = true
                guard state.count > 0 else { return true }
                state.waiting = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
        timer.cancel()
        await tasks.end()
    }
}

extension HTTPFields {
    /// The fields of a client's request that are sent to the origin.
    fileprivate var passedOn: HTTPFields {
        var fields = withoutConnectionFields
        // The proxy answers it itself, when it reads the body.
        fields[.expect] = nil
        return fields
    }
}

extension DirectTransport {
    /// Sends a request, and passes interim responses on.
    fileprivate func send(
        _ sent: TransportRequest,
        _ request: ServerRequest,
        _ interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        try await send(sent) { status, fields in
            await interim(HTTPResponse.Status(stored: status), fields)
        }
    }
}
