internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import Crypto
internal import HTTPTypes

/// Checks whether origins have anything new, without reading the bodies of an older package.
///
/// The options, the origins' robots.txt files and the bodies determine the URLs that a crawl requests. If all of them
/// are unchanged, and every request gets the same answer, the crawl would produce the same package, whatever its links.
struct PackageValidator<Network: Fetcher>: Sendable {
    /// The results of one worker.
    private struct Share: Sendable {
        var answers: [(item: Int, Validation.Answer)] = []
        var requests = 0
    }

    private let options: CrawlOptions
    private let requests: OriginRequests<Network>
    private let older: OlderPackage
    private let provenance: CrawlProvenance
    private let comparison: OlderComparison
    private let onEvent: @Sendable (CrawlEvent) -> Void

    /// Creates a validator for a package and for the requests of its crawl that failed.
    init(
        _ options: CrawlOptions,
        _ requests: OriginRequests<Network>,
        of older: OlderPackage,
        _ provenance: CrawlProvenance,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) {
        self.options = options
        self.requests = requests
        self.older = older
        self.provenance = provenance
        self.onEvent = onEvent
        comparison = OlderComparison(options)
    }

    /// Asks about every resource of the older package, and repeats every request of its crawl that failed.
    ///
    /// The check stops at the first difference. The crawl uses the answers up to that point.
    ///
    /// - Parameter deadline: The time to give up, or nil.
    /// - Returns: The origins' answers.
    /// - Throws: `CancellationError`.
    func validate(until deadline: ContinuousClock.Instant?) async throws -> Validation {
        var validation = Validation()
        guard try await validateRobots(&validation) else { return validation }
        let rules = Dictionary(validation.robots.map { ($0.origin.origin, $0.answer.rules) }) { first, _ in first }
        let limits = ValidationLimits(options, older, rules: rules)
        guard limits.allow(older.urls), limits.allow(provenance.failed.lazy.map(\.url)) else { return validation }
        // What the site didn't have is guessed again once the page or script that names it has changed.
        let failed = provenance.failed.indices.filter { !isGuess($0) }
        let count = older.count + failed.count
        onEvent(.queue(known: count, waiting: count))
        let turns = ValidationTurns(
            older.validationOrder + failed.map { older.count + $0 },
            limit: options.politeness.connectionsPerHost,
            host: { item in url(item).host ?? "" }
        )
        let shares = try await withThrowingTaskGroup(of: Share.self) { group in
            let shared = SharedTurns(turns)
            for _ in 0..<min(turns.width, max(1, options.politeness.connections)) {
                group.addTask(executorPreference: requests.executor) {
                    try await work(shared, until: deadline)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        validation.requests = shares.reduce(0) { $0 + $1.requests }
        validation.isWhole = shares.reduce(0) { $0 + $1.answers.count } == count
        guard validation.isWhole else {
            for (item, answer) in shares.lazy.flatMap(\.answers) {
                validation.answers[URLKey(url(item))] = answer
            }
            return validation
        }
        var failures = shares.flatMap { $0.answers.filter { $0.item >= older.count } }
        for index in provenance.failed.indices where isGuess(index) {
            failures.append((older.count + index, .failed(.status(provenance.failed[index].status, reason: ""))))
        }
        for (item, answer) in failures.sorted(by: { $0.item < $1.item }) {
            guard case .failed(let reason) = answer else { continue }
            let failure = provenance.failed[item - older.count]
            let importance = failure.importance.flatMap { CrawlReport.Importance(rawValue: $0) } ?? .link
            let told = CrawlReport.Failure(
                url: failure.url,
                reason: reason,
                referrer: failure.foundOn,
                importance: importance
            )
            validation.failures.append(told)
            if !told.isExpected { onEvent(.failed(told)) }
        }
        return validation
    }

    private func isGuess(_ index: Int) -> Bool {
        provenance.failed[index].importance == CrawlReport.Importance.guess.rawValue
    }

    /// Fetches the robots.txt files, and returns true if none has changed.
    private func validateRobots(_ validation: inout Validation) async throws -> Bool {
        guard !options.ignoresRobots else { return provenance.robots.isEmpty }
        guard provenance.robots.count <= Frontier.originLimit else { return false }
        let limits = ValidationLimits(options, older)
        var origins: [(origin: WebURL, digest: String)] = []
        for (origin, digest) in provenance.robots.sorted(by: { $0.key < $1.key }) {
            do throws(WebURL.ParseError) {
                let url = try WebURL(origin)
                guard url.origin == origin, limits.allows(origin: url) else { return false }
                origins.append((url, digest))
            } catch {
                return false
            }
        }
        for (origin, digest) in origins {
            let answer = try await requests.robots(for: origin)
            validation.robots.append((origin, answer))
            // An origin with a Crawl-delay shouldn't be asked twice.
            guard answer.digest == digest, answer.failure == nil, answer.rules.delay == nil else { return false }
        }
        return true
    }

    private func work(_ turns: SharedTurns, until deadline: ContinuousClock.Instant?) async throws -> Share {
        var share = Share()
        var host: Int?
        while let turn = turns.next(after: host) {
            host = turn.host
            try Task.checkCancellation()
            if let deadline, .now >= deadline {
                turns.stop()
                break
            }
            share.requests += 1
            let answer =
                if turn.item < older.count { try await answer(older.resource(at: turn.item)) } else {
                    try await answer(provenance.failed[turn.item - older.count])
                }
            guard let answer else {
                turns.stop()
                break
            }
            share.answers.append((turn.item, answer))
        }
        return share
    }

    private func url(_ item: Int) -> WebURL {
        item < older.count ? older.url(at: item) : provenance.failed[item - older.count].url
    }

    /// Revalidates a resource; returns nil if it has changed, or if the answer is inconclusive.
    private func answer(_ resource: OlderPackage.Resource?) async throws -> Validation.Answer? {
        guard let resource else { return nil }
        // The answer for this URL isn't a resource; the search for the site's page for missing URLs validates it.
        if resource.record.url == older.missingPage?.record.url { return .unchanged(date: nil) }
        let request = requests.request(for: resource.record.url, conditions: resource.conditions)
        var receiver = DigestCollector(expected: resource.record.size ?? 0)
        guard let head = try await requests.head(of: request, into: &receiver) else { return nil }
        guard stands(resource, after: head, receiver, request) else { return nil }
        if resource.member == nil {
            onEvent(.redirected(request.url, status: head.status))
        } else {
            onEvent(.fetched(request.url, bytes: resource.record.size ?? 0))
        }
        return .unchanged(date: head.fields.value(of: .date))
    }

    /// Returns true if a resource is unchanged except for its times.
    private func stands(
        _ resource: OlderPackage.Resource,
        after head: FetchHead,
        _ receiver: DigestCollector,
        _ request: FetchRequest
    ) -> Bool {
        let older = resource.record
        switch head.status {
        case 304 where resource.member != nil:
            guard comparison.isConfirmed(older, by: head) else { return false }
            return comparison.isOnlySeenAgain(older, by: head)
                || comparison.isUnchanged(comparison.renewed(older, by: head, at: options.now()), older)
        case 200, 203:
            guard resource.member != nil, receiver.sha256 == older.sha256 else { return false }
            var record = requests.record(of: head, to: request, size: receiver.size, sha256: older.sha256)
            // Neither robots.txt nor the page has changed.
            (record.robotsUsage, record.pageUsage) = (older.robotsUsage, older.pageUsage)
            return comparison.isUnchanged(record, older)
        default:
            guard head.isRedirect, resource.member == nil else { return false }
            return comparison.isUnchanged(requests.record(of: head, to: request), older)
        }
    }

    /// Repeats a failed request; returns nil if it doesn't fail the same way.
    private func answer(_ failure: CrawlProvenance.Failure) async throws -> Validation.Answer? {
        var receiver = DigestCollector(expected: 0)
        let request = requests.request(for: failure.url)
        guard let head = try await requests.head(of: request, into: &receiver), head.status == failure.status else {
            return nil
        }
        return .failed(head.failure)
    }
}

/// Compares a body with a known digest, and discards it.
private struct DigestCollector: ResponseReceiver {
    private(set) var head: FetchHead?
    private(set) var size: Int64 = 0
    private var received: Int64 = 0
    private var hash = SHA256()
    /// The size of the known body, in bytes.
    private let expected: Int64

    init(expected: Int64) { self.expected = expected }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        return head.isStored
    }

    mutating func receive(_ count: Int) throws(FetchFailure) -> Bool {
        received += Int64(count)
        return received <= expected + Int64(BodyCollector.codingOverhead)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        size += Int64(bytes.count)
        hash.update(bufferPointer: bytes)
        return size <= expected
    }

    /// The SHA-256 of the received bytes, as hexadecimal digits.
    var sha256: String { Hexadecimal.text(hash.finalize()) }
}
