internal import HTTPTypes
internal import PackageFile
internal import PackageFormat
internal import URLStandard

/// What one URL of a round brought.
struct FetchOutcome: Sendable {
    enum Content: Sendable {
        case resource(PackageWriter.Resource, [PageReferences.Reference])
        case redirect(PackageWriter.Resource, target: WebURL)
        case failure(FetchFailure)
    }

    var content: Content
    var requests: Int
}

/// What an origin's robots.txt says, or why nothing is known of it.
struct RobotsAnswer: Sendable {
    var rules: RobotsRules
    var requests: Int
    var failure: CrawlReport.Failure?
}

extension Crawler {
    /// Asks for a URL, several times where that may help.
    func fetch(_ item: Frontier.Item) async throws -> FetchOutcome {
        let request = request(for: item.url)
        let (result, requests) = try await attempts(
            request,
            receiver: { BodyCollector(spool: spool, limit: options.maxBodyBytes, url: item.url) },
            evaluate: { receiver throws(FetchFailure) in try content(of: item.url, request, &receiver) }
        )
        switch result {
        case .success(let content): return FetchOutcome(content: content, requests: requests)
        case .failure(let failure): return FetchOutcome(content: .failure(failure), requests: requests)
        }
    }

    /// Asks for the robots.txt of the URL's origin (RFC 9309 §2.3).
    ///
    /// Redirects are followed on the same host; one that leads elsewhere counts as no file, so that nothing outside the
    /// scope is asked.
    func fetchRobots(for url: WebURL) async throws -> RobotsAnswer {
        var requests = 0
        guard let first = target("/robots.txt", from: url.removingCredentials) else {
            return RobotsAnswer(rules: .allowAll, requests: 0)
        }
        var current = first
        for _ in 0...RobotsRules.redirectLimit {
            let (result, count) = try await attempts(
                request(for: current),
                receiver: { PrefixCollector(limit: RobotsRules.byteLimit) },
                evaluate: { receiver throws(FetchFailure) in
                    guard let head = receiver.head else { throw .connection("no answer") }
                    let failure = FetchFailure.status(head.status, reason: head.reason)
                    if failure.isTransient { throw failure }
                    return (head, receiver.bytes)
                }
            )
            requests += count
            switch result {
            case .success((let head, let bytes)) where head.status == 200:
                let rules = RobotsRules(parsing: bytes, productToken: options.productToken)
                return RobotsAnswer(rules: rules, requests: requests)
            case .success((let head, _)):
                guard let location = head.redirectLocation else {
                    return RobotsAnswer(rules: RobotsRules(unavailableWith: head.status), requests: requests)
                }
                guard let next = target(location, from: current), next.isHTTP, next.host == url.host else {
                    return RobotsAnswer(rules: .allowAll, requests: requests)
                }
                current = next
            case .failure(let reason):
                guard case .status(let status, _) = reason, (400...499).contains(status) else {
                    let listed = CrawlReport.Failure(url: first, reason: reason, referrer: nil)
                    return RobotsAnswer(rules: .disallowAll, requests: requests, failure: listed)
                }
                return RobotsAnswer(rules: RobotsRules(unavailableWith: status), requests: requests)
            }
        }
        return RobotsAnswer(rules: .allowAll, requests: requests)
    }

    /// Asks until an answer stands, or the retries are used up.
    private func attempts<Receiver: ResponseReceiver, Value>(
        _ request: FetchRequest,
        receiver makeReceiver: () -> Receiver,
        evaluate: (inout Receiver) throws(FetchFailure) -> Value
    ) async throws -> (result: Swift.Result<Value, FetchFailure>, requests: Int) {
        var attempt = 1
        while true {
            try Task.checkCancellation()
            var receiver = makeReceiver()
            do {
                try await network.fetch(request, into: &receiver)
                return (.success(try evaluate(&receiver)), attempt)
            } catch let failure as FetchFailure {
                let wait = options.retries.wait(
                    after: failure,
                    attempt: attempt,
                    retryAfter: receiver.head?.fields[.retryAfter],
                    now: options.now()
                )
                guard let wait else { return (.failure(failure), attempt) }
                onEvent(.retrying(request.url, failure, wait: wait))
                try await Task.sleep(for: wait)
            }
            attempt += 1
        }
    }

    private func target(_ location: String, from base: WebURL) -> WebURL? {
        do {
            return try WebURL(location, base: base)
        } catch {
            return nil
        }
    }

    private func request(for url: WebURL) -> FetchRequest {
        var fields = HTTPFields()
        fields[.userAgent] = options.userAgent
        fields[.accept] = "*/*"
        fields[.acceptEncoding] = HTTPFetcher.acceptEncoding
        if options.seeds.contains(where: { $0.origin == url.origin }) {
            for field in options.requestFields { fields[field.name] = field.value }
        }
        return FetchRequest(url: url, fields: fields)
    }

    /// Makes a resource, a redirect or a failure of what came.
    private func content(
        of url: WebURL,
        _ request: FetchRequest,
        _ receiver: inout BodyCollector
    ) throws(FetchFailure) -> FetchOutcome.Content {
        guard let head = receiver.head else { throw .connection("no answer") }
        let sent = options.requestFields.isEmpty ? request.fields : recordable(request.fields)
        if head.isRedirect {
            let location = head.redirectLocation ?? ""
            guard !location.isEmpty, let target = target(location, from: url) else { throw .location(location) }
            let record = Recording.record(of: url, head: head, sent: sent, fetched: options.now())
            let resource = PackageWriter.Resource(record: pinned(record), entry: nil, body: nil, isCompressible: false)
            return .redirect(resource, target: target)
        }
        guard head.isStored else { throw .status(head.status, reason: head.reason) }
        let body = try receiver.finish()
        let fetched = options.now()
        let record = pinned(
            Recording.record(of: url, head: head, sent: sent, fetched: fetched, size: body.size, sha256: body.sha256)
        )
        let entry = Recording.entry(for: record, maxAge: options.maxAge)
        let resource = PackageWriter.Resource(
            record: record,
            entry: entry,
            body: body.content,
            isCompressible: receiver.isCompressible
        )
        let references = PageReferences.references(in: receiver.text, head: head, url: url)
        return .resource(resource, references)
    }

    private func recordable(_ fields: HTTPFields) -> HTTPFields {
        var kept = HTTPFields()
        for field in fields where !options.requestFields.contains(field.name) { kept.append(field) }
        return kept
    }

    private func pinned(_ record: ResourceRecord) -> ResourceRecord {
        options.pinnedTime.map { Recording.pinned(record, to: $0) } ?? record
    }
}

extension FetchHead {
    /// Whether a body with this status is stored.
    var isStored: Bool { status == 200 || status == 203 }

    /// Whether the status is a redirect that a client follows (RFC 9110 §15.4).
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Where a redirect leads, or nil where this is none.
    var redirectLocation: String? { isRedirect ? fields[.location] : nil }
}
