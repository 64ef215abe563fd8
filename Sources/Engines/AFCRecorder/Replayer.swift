package import AFCCache
internal import AFCCaching
package import AFCCrawlRules
package import AFCHTTP
internal import AFCPackageFormat
package import AFCServer
internal import AFCURL
package import HTTPTypes
internal import NIOCore
internal import Synchronization

/// A forward proxy's responder that answers as a recording did, and names the requests that no package has a response for;
/// see docs/reference/recording.md.
///
/// Put it behind a `ProxyResponder` that answers CONNECT with certificates.
package final class Replayer: LookingUp {
    /// The answer to a request that no package has a response for.
    package enum Missing: Sendable {
        /// Status 504.
        case fail
        /// Status 204, without a body.
        case empty
        /// The origin's, which is recorded.
        case record(Recorder)
    }

    /// The settings of a replay.
    package struct Options: Sendable {
        /// The answer to a request that no package has a response for.
        package var missing = Missing.fail
        /// The differences in the query that a response may have if nothing is stored for a URL.
        package var matching = QueryMatching.exact
        /// The URLs whose absence isn't reported.
        package var unreported: [URLPattern] = []
        /// A closure called with method and URL when a request first gets no response, from any thread.
        package var onMissing: @Sendable (String) -> Void = { _ in }
        /// The clock.
        package var now: @Sendable () -> Timestamp

        /// Creates the defaults.
        package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }
    }

    /// The requests of a replay, counted.
    package struct Report: Sendable, Equatable {
        /// The requests that packages had a response for.
        package var answered = 0
        /// The requests that no package had a response for.
        package var missing = 0
        /// The requests whose response couldn't be read from its package.
        package var unreadable = 0
        /// The methods and URLs of the first missing ones, each once, in the order of the requests.
        package var first: [String] = []
        /// True if there are more methods and URLs than ``first`` has.
        package var hasMore = false
    }

    /// The most methods and URLs that are named.
    package static let listLimit = 1000

    /// The most URLs whose requests are counted; further ones get their first answer each time.
    private static let countedLimit = 100_000

    private struct State {
        var report = Report()
        var named: Set<String> = []
        /// How often a URL was requested, and the number of the answer that it got last.
        var turns: [URLKey: (requests: Int, answer: Int)] = [:]
    }

    private let options: Options
    private let packages: CacheResponder
    /// Finds later answers to the same request, whose numbers a looser match would ignore.
    private let exact: CacheResponder
    private let state = Mutex(State())

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - store: The packages that answers come from.
    ///   - options: The settings.
    package init(_ store: any OfflineAnswering, _ options: Options) {
        self.options = options
        let responder = { matching in
            CacheResponder(
                store: store,
                policy: OfflinePolicy(expired: .always),
                matching: matching,
                now: options.now
            )
        }
        (packages, exact) = (responder(options.matching), responder(.exact))
    }

    /// The requests so far.
    package var report: Report { state.withLock(\.report) }

    /// Answers from the packages, unless the request's body must be read first.
    package func lookUp(_ request: ServerRequest) throws -> ServerAnswer? {
        guard let url = Self.url(of: request) else { return noPage }
        let answer: ServerAnswer?
        do {
            let isRead = request.method == "GET" || request.isHead
            answer = try (isRead ? later(request, url) : nil) ?? packages.lookUp(Self.recorded(request))
        } catch {
            throw unreadable(error)
        }
        return answer.flatMap { found($0) ?? missing(request, url) }
    }

    /// Answers by the request's body, or asks the origin.
    package func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        guard let url = Self.url(of: request) else { return noPage }
        var request = request
        var answer: ServerAnswer?
        if MethodURL.isUsed(for: request.method) {
            if let name = try await request.readMethodURL(url) {
                do { answer = try later(request, name) } catch { throw unreadable(error) }
            } else if case .record(let recorder) = options.missing {
                // A recording has no answer, and the body can be read only once.
                return try await recorder.answer(request, interim: interim)
            }
        }
        if let answer = answer.flatMap(found) { return answer }
        if let answer = try await stored(request, interim) { return answer }
        guard case .record(let recorder) = options.missing else { return missing(request, url) ?? noPage }
        return try await recorder.answer(request, interim: interim)
    }

    /// Returns a later answer to a request that was made before, as it was recorded; nil if it gets the first one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - url: Its URL, or what stands for it. HEAD and Range ask about the answer that a GET had last.
    /// - Returns: The answer.
    /// - Throws: What the store throws.
    private func later(_ request: ServerRequest, _ url: WebURL) throws -> ServerAnswer? {
        let key = URLKey(url)
        let turn = state.withLock { state in
            var turn = state.turns[key] ?? (requests: 0, answer: 1)
            // The recorder asks for the whole when it is first asked for a part, and not again.
            let isPart = request.method == "GET" && request.fields[.range] != nil
            let isNext = !request.isHead && (turn.requests == 0 || !isPart)
            if isNext, turn.requests > 0 || state.turns.count < Self.countedLimit {
                turn.requests += 1
                state.turns[key] = turn
            }
            return (requests: isNext ? turn.requests : 1, answer: turn.answer)
        }
        for number in [turn.requests, turn.answer] where number > 1 {
            var asked = Self.recorded(request)
            asked.target = AnswerURL.url(url, number: number).description
            if request.method != "GET", !request.isHead {
                asked.method = "GET"
                asked.fields = HTTPFields()
                asked.body = RequestBody()
            }
            guard let answer = try exact.lookUp(asked), answer.cacheStatus?.isHit == true else { continue }
            state.withLock { $0.turns[key]?.answer = number }
            return answer
        }
        return nil
    }

    /// Returns the URL of a request to the proxy; nil for a request to the server itself, or for another scheme.
    private static func url(of request: ServerRequest) -> WebURL? {
        guard !request.target.hasPrefix("/"), let url = try? WebURL(request.target), url.isHTTP else { return nil }
        return url
    }

    /// Returns a request as the recorder's packages answer it: no URL is the server's own, and a script of a service
    /// worker is like any other.
    private static func recorded(_ request: ServerRequest) -> ServerRequest {
        var request = request
        request.server = ServerIdentity(port: 0)
        request.fields[.serviceWorker] = nil
        return request
    }

    private var noPage: ServerAnswer {
        .plain(.notFound, "this proxy has no page of its own", detail: "own-page", at: options.now())
    }

    /// Returns a package's answer by the request's body; nil if there is none.
    private func stored(
        _ request: ServerRequest,
        _ interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer? {
        do {
            return found(try await packages.answer(Self.recorded(request), interim: interim))
        } catch {
            throw unreadable(error)
        }
    }

    /// Counts a response that couldn't be read, unless the client left.
    private func unreadable(_ error: any Error) -> any Error {
        if !(error is CancellationError) { state.withLock { $0.report.unreadable += 1 } }
        return error
    }

    /// Returns the answer if a package has it.
    private func found(_ answer: ServerAnswer) -> ServerAnswer? {
        guard answer.cacheStatus?.isHit == true else { return nil }
        state.withLock { $0.report.answered += 1 }
        return answer
    }

    /// Returns the answer to a request that no package has a response for; nil if the origin is to be asked.
    private func missing(_ request: ServerRequest, _ url: WebURL) -> ServerAnswer? {
        if case .record = options.missing { return nil }
        let words = "\(request.method) \(url.removingCredentials)"
        if !options.unreported.contains(where: { $0.matches(url) }) { note(words) }
        if case .empty = options.missing { return ServerAnswer(status: .noContent, url: url) }
        let text = "the package has no response for \(words)"
        return .plain(.gatewayTimeout, text, detail: "offline-miss", at: options.now())
    }

    private func note(_ words: String) {
        let isFirst = state.withLock { state in
            state.report.missing += 1
            guard !state.named.contains(words) else { return false }
            guard state.named.count < Self.listLimit else {
                state.report.hasMore = true
                return false
            }
            state.named.insert(words)
            state.report.first.append(words)
            return true
        }
        if isFirst { options.onMissing(words) }
    }
}
