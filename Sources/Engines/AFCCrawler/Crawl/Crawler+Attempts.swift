internal import AFCCrawlRules
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import Crypto
internal import HTTPTypes

extension Crawler {
    /// What came of asking once.
    struct Attempt<Value> {
        var result: Swift.Result<Value, FetchFailure>
        /// How long it took.
        var elapsed: Duration
        /// How long to wait before asking again, or nil: what came stands.
        var wait: Duration?

        /// What the host's turn is to know.
        var feedback: HostGate.Feedback {
            guard case .failure(let failure) = result, failure.isTransient else { return .fine }
            return failure.asksForFewer ? .throttled(retryAfter: wait) : .failed
        }
    }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - request: What to ask for.
    ///   - number: How many attempts this makes, from 1.
    ///   - receiver: Takes the response.
    ///   - evaluate: Makes something of it.
    /// - Returns: What came.
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
        do {
            try await network.fetch(request, into: &receiver)
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
            return Attempt(result: .failure(failure), elapsed: started.duration(to: .now), wait: wait)
        }
    }

    /// Asks for the robots.txt of the URL's origin (RFC 9309 §2.3).
    ///
    /// Redirects are followed to other hosts, too, and what is found there counts for this origin (§2.3.1.2).
    func fetchRobots(for url: WebURL) async throws -> RobotsAnswer {
        var (requests, retries) = (0, 0)
        var answer = try await fetchRobots(for: url, &requests, &retries)
        (answer.requests, answer.retries) = (requests, retries)
        return answer
    }

    private func fetchRobots(
        for url: WebURL,
        _ requests: inout Int,
        _ retries: inout Int
    ) async throws -> RobotsAnswer {
        guard let first = target("/robots.txt", from: url.removingCredentials) else {
            return RobotsAnswer(rules: .allowAll, requests: 0, digest: RobotsAnswer.noFile)
        }
        var current = first
        for _ in 0...RobotsRules.redirectLimit {
            switch try await robots(at: current, &requests, &retries) {
            case .success((let head, let bytes)) where head.status == 200:
                let rules = RobotsRules(parsing: bytes, productToken: options.productToken)
                return RobotsAnswer(
                    rules: rules,
                    requests: requests,
                    digest: Hexadecimal.text(SHA256.hash(data: bytes))
                )
            case .success((let head, _)):
                guard let location = head.redirectLocation else {
                    var answer = unavailable(head.status, requests)
                    if answer.rules.isUnavailable {
                        let reason = FetchFailure.status(head.status, reason: head.reason)
                        answer.failure = CrawlReport.Failure(url: first, reason: reason, referrer: nil)
                    }
                    return answer
                }
                guard let next = target(location, from: current), next.isHTTP, !next.hasCredentials else {
                    return RobotsAnswer(rules: .allowAll, requests: requests, digest: RobotsAnswer.noFile)
                }
                current = next
            case .failure(let reason):
                guard case .status(let status, _) = reason, (400...499).contains(status) else {
                    let isSeeds = options.seeds.contains { $0.origin == url.origin }
                    let listed = CrawlReport.Failure(
                        url: first,
                        reason: reason,
                        referrer: nil,
                        importance: isSeeds ? .seed : .optional
                    )
                    return RobotsAnswer(rules: .disallowAll, requests: requests, failure: listed)
                }
                return unavailable(status, requests)
            }
        }
        return RobotsAnswer(rules: .allowAll, requests: requests, digest: RobotsAnswer.noFile)
    }

    private func unavailable(_ status: Int, _ requests: Int) -> RobotsAnswer {
        let rules = RobotsRules(unavailableWith: status)
        return RobotsAnswer(rules: rules, requests: requests, digest: rules == .allowAll ? RobotsAnswer.noFile : nil)
    }

    private func robots(
        at url: WebURL,
        _ requests: inout Int,
        _ retries: inout Int
    ) async throws -> Swift.Result<(FetchHead, [UInt8]), FetchFailure> {
        var number = 1
        while true {
            requests += 1
            let attempt = try await attempt(
                request(for: url),
                number,
                into: PrefixCollector(limit: RobotsRules.byteLimit + 1),
                evaluate: { receiver throws(FetchFailure) in
                    guard let head = receiver.head else { throw .connection("no answer") }
                    let failure = FetchFailure.status(head.status, reason: head.reason)
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

    /// The request for a URL, with what may be said to its origin.
    func request(for url: WebURL, conditions: HTTPFields = HTTPFields()) -> FetchRequest {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .userAgent, value: options.userAgent))
        fields.append(HTTPField(name: .accept, value: "*/*"))
        fields.append(HTTPField(name: .acceptEncoding, value: HTTPFetcher.acceptEncoding))
        let own = options.access.fields(for: url, seeds: options.seeds, now: options.now())
        if !own.isEmpty {
            for field in own { fields[field.name] = nil }
            fields.append(contentsOf: own)
            for field in conditions { fields[field.name] = nil }
        }
        fields.append(contentsOf: conditions)
        return FetchRequest(url: url, fields: fields)
    }

    func target(_ location: String, from base: WebURL) -> WebURL? {
        do {
            return try WebURL(location, base: base)
        } catch {
            return nil
        }
    }

    func takeCookies(_ head: FetchHead?, from url: WebURL) {
        guard let head, head.fields.contains(.setCookie) else { return }
        options.access.cookies.take(head.fields[values: .setCookie], from: url, now: options.now())
    }
}

extension FetchFailure {
    /// Whether the origin says that it was asked too much (RFC 6585 §4, RFC 9110 §15.6.4).
    fileprivate var asksForFewer: Bool {
        if case .status(let status, _) = self { return status == 429 || status == 503 }
        return false
    }
}
