internal import AFCCoding
package import AFCCrawlRules
internal import AFCDiscovery
package import AFCFiles
internal import AFCHTTP
package import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import Synchronization

/// The answers of a recording, kept in the files of a crawl until the package is written.
///
/// Bodies go into the spool at once, everything else with ``flush()``. Safe to use from any thread; calls block.
package final class RecordingStore: Sendable {
    /// What is known about the answer of a URL.
    private struct Known {
        var id: Int64
        var status: Int
        /// The body's digest, or the Location of a redirect.
        var content: String
    }

    private struct State {
        var known: [URLKey: Known] = [:]
        /// The keys of later answers, by the key of the first and by number; only with `Recording.Keep.all`.
        var later: [URLKey: [Int: URLKey]] = [:]
        var changes = CrawlChanges()
        var nextID: Int64 = 1
        var conflicts: [WebURL] = []
        var conflictCount = 0
    }

    /// The most conflicts that are listed.
    private static let listLimit = 10

    /// The files.
    package let workspace: CrawlWorkspace
    /// The number of answers from an interrupted recording.
    package let resumed: Int
    private let keep: Recording.Keep
    private let spool: BodySpool
    private let state: Mutex<State>

    /// Opens the files of an interrupted recording, or creates them.
    ///
    /// - Parameters:
    ///   - target: The destination of the package.
    ///   - path: The package's path.
    ///   - keep: The answer that is kept if a URL has several.
    ///   - generator: The program and its version.
    ///   - level: Deflate's level, 1 to 9.
    ///   - restarts: True to discard an interrupted recording.
    /// - Throws: ``PackagingError`` if the files can't be used, or belong to a crawl.
    package init(
        beside target: OutputTarget,
        path: String,
        keep: Recording.Keep,
        generator: String,
        level: Int32,
        restarts: Bool
    ) throws(PackagingError) {
        workspace = try CrawlWorkspace(
            beside: target,
            path: path,
            fingerprint: "recording \(generator) \(level)",
            restarts: restarts
        )
        self.keep = keep
        spool = BodySpool(file: workspace.files.spool, level: level)
        var known: [URLKey: Known] = [:]
        var later: [URLKey: [Int: URLKey]] = [:]
        var last: Int64 = 0
        if workspace.state.isResumed {
            let (state, files) = (workspace.state, workspace.files)
            let system = try state.fact("system") ?? ""
            if system.isEmpty || system != SystemStart.identifier { try state.requireSound(files) }
            try state.forEach(files) { past in
                last = max(last, past.row.item.id)
                guard !past.isSuperseded, let outcome = past.outcome else { return }
                let item = past.row.item
                known[item.key] = Self.known(outcome.content, id: item.id)
                if keep == .all, let (url, number) = AnswerURL.parts(of: item.url) {
                    later[URLKey(url), default: [:]][number] = item.key
                }
            }
        }
        resumed = known.count
        state = Mutex(State(known: known, later: later, nextID: last + 1))
    }

    /// The number of URLs with an answer.
    package var count: Int { state.withLock { $0.known.count } }

    /// The number of URLs whose answers differ, and the first of them; only with `Recording.Keep.fail`.
    package var conflicts: (count: Int, first: [WebURL]) { state.withLock { ($0.conflictCount, $0.conflicts) } }

    /// Returns true if a URL has an answer.
    package func contains(_ url: WebURL) -> Bool { state.withLock { $0.known[URLKey(url)] != nil } }

    /// Begins a body.
    package func writer() -> BodyWriter { BodyWriter(spool: spool) }

    /// Records an answer with a body.
    package func add(_ record: ResourceRecord, _ body: BodyWriter.Body) {
        add(record.url, .resource(record, CrawledBody(body.content), []))
    }

    /// Records a redirect.
    package func add(_ record: ResourceRecord, target: WebURL) {
        add(record.url, .redirect(record, target: target))
    }

    /// Returns the saved answer of a URL, without a body for a redirect; nil if there is none.
    func recorded(_ url: WebURL) throws(PackagingError) -> (record: ResourceRecord, body: DeflatedBody?)? {
        guard let id = state.withLock({ $0.known[URLKey(url)]?.id }) else { return nil }
        switch try workspace.state.result(id, workspace.files)?.content {
        case .resource(let record, let body, _): return workspace.files.data(of: body).map { (record, $0) }
        case .redirect(let record, _): return (record, nil)
        case .kept, .failure, .again, .notModified, .planned, .leftOut, nil: return nil
        }
    }

    func add(_ url: WebURL, _ content: FetchOutcome.Content) {
        let key = URLKey(url)
        state.withLock { state in
            let known = Self.known(content, id: state.nextID)
            if let older = state.known[key] {
                if keep == .fail, older.status != known.status || older.content != known.content {
                    state.conflictCount += 1
                    if state.conflicts.count < Self.listLimit { state.conflicts.append(url) }
                }
                guard keep == .last || keep == .all else { return }
                state.changes.superseded.append(older.id)
            }
            if keep == .all, let (first, number) = AnswerURL.parts(of: url) {
                state.later[URLKey(first), default: [:]][number] = key
            }
            state.nextID += 1
            state.known[key] = known
            let item = CrawlItem(
                id: known.id,
                url: url,
                key: key,
                redirects: 0,
                chain: 0,
                lane: 0,
                destination: .other,
                referrer: nil
            )
            state.changes.found.append(CrawlChanges.Row(item: item, role: .seed, depth: 0, rule: nil))
            state.changes.results.append((known.id, FetchOutcome(content: content, requests: 1)))
        }
    }

    /// Drops each later answer to a request that is the same as the one before.
    package func dropRepeated() {
        state.withLock { state in
            for (first, keys) in state.later {
                var before = state.known[first]
                for (_, key) in keys.sorted(by: { $0.key < $1.key }) {
                    guard let answer = state.known[key] else { continue }
                    if let older = before, older.status == answer.status, older.content == answer.content {
                        state.changes.superseded.append(answer.id)
                        state.known[key] = nil
                    } else {
                        before = answer
                    }
                }
            }
            state.later = [:]
        }
    }

    private static func known(_ content: FetchOutcome.Content, id: Int64) -> Known {
        switch content {
        case .resource(let record, _, _), .kept(let record, _, _, _):
            Known(id: id, status: record.status, content: record.sha256 ?? "")
        case .redirect(let record, let target): Known(id: id, status: record.status, content: target.description)
        case .failure, .again, .notModified, .planned, .leftOut: Known(id: id, status: 0, content: "")
        }
    }

    /// Saves what was recorded so far, so that it survives the end of the process.
    ///
    /// - Throws: ``PackagingError`` if the files can't be written; the answers are kept for the next attempt.
    package func flush() throws(PackagingError) {
        let changes = state.withLock { state in
            defer { state.changes = CrawlChanges() }
            return state.changes
        }
        guard changes.count > 0 else { return }
        do throws(PackagingError) {
            let facts = ["spool": String(workspace.files.spool.writtenSize), "system": SystemStart.identifier ?? ""]
            try workspace.state.write(changes, facts: facts)
        } catch {
            state.withLock { state in
                state.changes.found.insert(contentsOf: changes.found, at: 0)
                state.changes.results.insert(contentsOf: changes.results, at: 0)
                state.changes.superseded.insert(contentsOf: changes.superseded, at: 0)
            }
            throw error
        }
    }
}

/// Decodes the body of a recorded response, and puts it into the spool.
package struct RecordedBodyWriter: ~Copyable {
    private var writer: BodyWriter
    private var decoder: ContentDecoder?
    private let limit: Int64
    private var received: Int64 = 0

    /// Begins a body.
    ///
    /// - Parameters:
    ///   - head: The head; its coding is set here.
    ///   - url: The URL.
    ///   - store: The recording.
    ///   - limit: The most bytes of the body, as it is received and decoded.
    /// - Throws: ``FetchFailure`` if the coding is unknown, or the body is too large.
    package init(_ head: inout FetchHead, url: WebURL, store: RecordingStore, limit: Int64) throws(FetchFailure) {
        writer = store.writer()
        self.limit = limit
        let codings: [ContentCoding]
        do throws(ContentCoding.Unsupported) {
            codings = try ContentCoding.named(by: head.fields)
        } catch {
            throw .coding(error.names)
        }
        head.coding = ContentCoding.words(codings)
        if let length = head.fields.value(of: .contentLength).flatMap({ Int64($0) }), length > limit {
            throw .tooLarge(limit: limit)
        }
        if !codings.isEmpty {
            do throws(ZipError) {
                decoder = try ContentDecoder(codings, maxExpansion: 1000)
            } catch {
                throw .storage(error.message)
            }
        }
        writer.begin(head, url: url)
    }

    /// Adds the next bytes as they were received.
    ///
    /// - Throws: ``FetchFailure``.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        received += Int64(bytes.count)
        guard received <= limit else { throw .tooLarge(limit: limit) }
        guard var decoder = decoder.take() else { return try put(bytes) }
        do {
            _ = try decoder.decode(bytes) { bytes in
                try put(bytes)
                return true
            }
        } catch {
            throw Self.failure(error)
        }
        self.decoder = consume decoder
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        guard writer.size + Int64(bytes.count) <= limit else { throw .tooLarge(limit: limit) }
        try writer.append(bytes)
    }

    /// Ends the body.
    ///
    /// - Throws: ``FetchFailure`` if it is incomplete, or can't be stored.
    package mutating func finish() throws(FetchFailure) -> BodyWriter.Body {
        do {
            try decoder?.finish()
        } catch {
            throw Self.failure(error)
        }
        return try writer.finish()
    }

    private static func failure(_ error: any Error) -> FetchFailure {
        switch error {
        case let failure as FetchFailure: failure
        case ContentDecoder.Failure.truncated: .truncated
        case ContentDecoder.Failure.expansion: .expansion
        case ContentDecoder.Failure.damaged(let coding): .coding(coding.rawValue)
        default: .storage("\(error)")
        }
    }
}
