internal import AFCCoding
internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import Crypto
internal import HTTPTypes

/// Sends a crawl's requests with the credentials allowed for each origin, and retries where that may help.
struct OriginRequests<Network: Fetcher>: Sendable {
    /// The result of one attempt.
    struct Attempt<Value> {
        var result: Result<Value, FetchFailure>
        /// The duration of the attempt.
        var elapsed: Duration
        /// The time to wait before the next attempt, or nil if the result is final.
        var wait: Duration?
        /// False if the origin is silent, so that nothing was sent.
        var isSent = true

        /// The feedback for the host's gate; there is no reason to slow down what isn't sent.
        var feedback: HostGate.Feedback {
            guard isSent, case .failure(let failure) = result, failure.isTransient else { return .fine }
            return failure.asksForFewer ? .throttled(retryAfter: wait) : .failed
        }
    }

    private let options: CrawlOptions
    private let network: Network
    private let onEvent: @Sendable (CrawlEvent) -> Void
    private let silent = SilentOrigins()

    init(_ options: CrawlOptions, _ network: Network, onEvent: @escaping @Sendable (CrawlEvent) -> Void) {
        self.options = options
        self.network = network
        self.onEvent = onEvent
    }

    /// The executor for tasks that mainly send requests, or nil if any will do.
    var executor: (any TaskExecutor)? { network.executor }

    /// Returns the request for a URL, with the fields allowed for its origin.
    func request(for url: WebURL, conditions: HTTPFields = HTTPFields()) -> FetchRequest {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .userAgent, value: options.userAgent))
        fields.append(HTTPField(name: .accept, value: "*/*"))
        fields.append(HTTPField(name: .acceptEncoding, value: ContentCoding.accepted))
        let own = options.access.fields(for: url, seeds: options.seeds, now: options.now())
        if !own.isEmpty {
            for field in own { fields[field.name] = nil }
            fields.append(contentsOf: own)
            for field in conditions { fields[field.name] = nil }
        }
        fields.append(contentsOf: conditions)
        return FetchRequest(url: url, fields: fields)
    }

    /// Returns the record of a response to a request.
    func record(
        of head: FetchHead,
        to request: FetchRequest,
        size: Int64? = nil,
        sha256: String? = nil
    ) -> ResourceRecord {
        options.pinned(
            Recording.record(
                of: request.url,
                head: head,
                sent: options.access.recordable(request.fields),
                fetched: options.now(),
                size: size,
                sha256: sha256
            )
        )
    }

    /// Returns the cookies for a request, or nil if there are none.
    func cookies(for url: WebURL) -> String? { options.access.cookies.field(for: url, now: options.now()) }

    /// Sends a request once.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - number: The number of this attempt, from 1.
    ///   - receiver: Takes the response.
    ///   - evaluate: Converts the response into a value.
    /// - Returns: The result of the attempt.
    /// - Throws: `CancellationError`.
    func attempt<Receiver: ResponseReceiver, Value>(
        _ request: FetchRequest,
        _ number: Int,
        into receiver: Receiver,
        evaluate: (inout Receiver) throws(FetchFailure) -> Value
    ) async throws -> Attempt<Value> {
        try Task.checkCancellation()
        var receiver = receiver
        let started = ContinuousClock.now
        let origin = request.url.origin
        if let failure = silent.failure(of: origin, at: started) {
            return Attempt(result: .failure(failure), elapsed: .zero, isSent: false)
        }
        do {
            try await network.fetch(request, into: &receiver)
            silent.note(nil, of: origin)
            takeCookies(receiver.head, from: request.url)
            let value = try evaluate(&receiver)
            return Attempt(result: .success(value), elapsed: started.duration(to: .now))
        } catch let failure as FetchFailure {
            let wait = options.retries.wait(
                after: failure,
                attempt: number,
                retryAfter: receiver.head?.fields[.retryAfter],
                now: options.now()
            )
            if let wait { onEvent(.retrying(request.url, failure, wait: wait)) }
            if receiver.head != nil {
                silent.note(nil, of: origin)
            } else if wait == nil {
                silent.note(failure, of: origin)
            }
            return Attempt(result: .failure(failure), elapsed: started.duration(to: .now), wait: wait)
        }
    }

    /// Sends a request once, and returns nil if no response arrives.
    ///
    /// - Throws: `CancellationError`.
    func head(of request: FetchRequest, into receiver: inout some ResponseReceiver) async throws -> FetchHead? {
        do {
            try await network.fetch(request, into: &receiver)
        } catch is FetchFailure {
            // The crawl repeats the request, and reports the result.
            return nil
        }
        silent.note(nil, of: request.url.origin)
        takeCookies(receiver.head, from: request.url)
        return receiver.head
    }

    private func takeCookies(_ head: FetchHead?, from url: WebURL) {
        guard let head, head.fields.contains(.setCookie) else { return }
        options.access.cookies.take(head.fields[values: .setCookie], from: url, now: options.now())
    }

    // MARK: robots.txt

    /// Fetches the robots.txt of the URL's origin (RFC 9309 §2.3).
    ///
    /// Redirects are followed, also to other hosts, and the file found there applies to this origin (§2.3.1.2).
    ///
    /// - Throws: `CancellationError`.
    func robots(for url: WebURL) async throws -> RobotsAnswer {
        var (requests, retries) = (0, 0)
        var answer = try await robots(for: url, &requests, &retries)
        (answer.requests, answer.retries) = (requests, retries)
        return answer
    }

    private func robots(
        for url: WebURL,
        _ requests: inout Int,
        _ retries: inout Int
    ) async throws -> RobotsAnswer {
        let none = RobotsAnswer(rules: .allowAll, digest: RobotsAnswer.noFile)
        guard let first = WebURL(location: "/robots.txt", from: url.removingCredentials) else { return none }
        var current = first
        for _ in 0...RobotsRules.redirectLimit {
            switch try await robots(at: current, &requests, &retries) {
            case .success((let head, let bytes)) where head.status == 200:
                let rules = RobotsRules(parsing: bytes, productToken: options.productToken)
                return RobotsAnswer(rules: rules, digest: Hexadecimal.text(SHA256.hash(data: bytes)))
            case .success((let head, _)):
                guard let location = head.redirectLocation else {
                    var answer = RobotsAnswer(unavailableWith: head.status)
                    if answer.rules.isUnavailable {
                        let reason = head.failure
                        answer.failure = CrawlReport.Failure(url: first, reason: reason, referrer: nil)
                    }
                    return answer
                }
                guard let next = WebURL(location: location, from: current), next.isHTTP, !next.hasCredentials else {
                    return none
                }
                current = next
            case .failure(.status(let status, _)) where (400...499).contains(status):
                return RobotsAnswer(unavailableWith: status)
            case .failure(let reason):
                let isSeeds = options.seeds.contains { $0.origin == url.origin }
                let importance: CrawlReport.Importance = isSeeds ? .seed : .optional
                return RobotsAnswer(
                    rules: .disallowAll,
                    failure: CrawlReport.Failure(url: first, reason: reason, referrer: nil, importance: importance)
                )
            }
        }
        return none
    }

    private func robots(
        at url: WebURL,
        _ requests: inout Int,
        _ retries: inout Int
    ) async throws -> Result<(FetchHead, [UInt8]), FetchFailure> {
        var number = 1
        while true {
            requests += 1
            let attempt = try await attempt(
                request(for: url),
                number,
                into: PrefixCollector(limit: RobotsRules.byteLimit + 1),
                evaluate: { receiver throws(FetchFailure) in
                    guard let head = receiver.head else { throw .connection("no response") }
                    let failure = head.failure
                    if failure.isTransient { throw failure }
                    return (head, receiver.bytes)
                }
            )
            guard let wait = attempt.wait else { return attempt.result }
            try await Task.sleep(for: wait)
            number += 1
            retries += 1
        }
    }
}

extension RobotsAnswer {
    fileprivate init(unavailableWith status: Int) {
        let rules = RobotsRules(unavailableWith: status)
        self.init(rules: rules, digest: rules == .allowAll ? Self.noFile : nil)
    }
}

extension CrawlOptions {
    /// Returns the record with the pinned time in place of the clock's, if there is one.
    func pinned(_ record: ResourceRecord) -> ResourceRecord {
        pinnedTime.map { Recording.pinned(record, to: $0) } ?? record
    }
}

extension WebURL {
    /// Resolves a Location; nil if the result is not a URL.
    init?(location: String, from base: WebURL) {
        do throws(ParseError) {
            try self.init(location, base: base)
        } catch {
            return nil
        }
    }
}

extension FetchHead {
    /// True if a body with this status is stored.
    var isStored: Bool { status == 200 || status == 203 }

    /// True if the status is a redirect that clients follow (RFC 9110 §15.4).
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The target of a redirect, or nil if the response isn't one, or names several targets.
    var redirectLocation: String? { isRedirect ? fields.singleValue(of: .location) : nil }
}
