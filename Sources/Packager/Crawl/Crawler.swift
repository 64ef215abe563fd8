public import PackageFile
internal import PackageFormat
internal import URLStandard

/// Fetches what its seeds lead to, and makes resources of it.
///
/// The frontier decides what is asked for, the schedule when, the fetcher asks; this only carries between them. What comes
/// out depends on what the origins answer, never on which answer comes first: a round's outcomes are taken in the round's
/// order.
public struct Crawler<Network: Fetcher>: Sendable {
    /// What was fetched, and what wasn't.
    public struct Result: Sendable {
        /// The resources, redirects among them.
        public var resources: [PackageWriter.Resource]
        /// What became of the crawl.
        public var report: CrawlReport
    }

    let options: CrawlOptions
    let network: Network
    let spool: BodySpool
    let onEvent: @Sendable (CrawlEvent) -> Void
    private let clock = ContinuousClock()

    init(
        options: CrawlOptions,
        network: Network,
        spool: BodySpool,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) {
        self.options = options
        self.network = network
        self.spool = spool
        self.onEvent = onEvent
    }

    /// What the rounds have brought so far.
    private struct Progress {
        var frontier: Frontier
        var robots: [String: RobotsRules] = [:]
        var notBefore: [String: Duration] = [:]
        var resources: [PackageWriter.Resource] = []
        var report = CrawlReport()
        var isFull = false
    }

    /// What a child task of a round brings.
    private enum Message: Sendable {
        case outcome(Int, FetchOutcome)
        case awake
    }

    /// Crawls until nothing is left to ask for.
    ///
    /// - Throws: `CancellationError`; what fails at an origin is in the report.
    func run() async throws -> Result {
        let started = clock.now
        let scope = CrawlScope(seeds: options.seeds, options: options.scope)
        let frontier = Frontier(seeds: options.seeds, scope: scope, maxPages: options.maxPages)
        var progress = Progress(frontier: frontier)
        while progress.frontier.count > 0, !progress.isFull {
            try await learnRobots(&progress)
            let robots = progress.robots
            let round = progress.frontier.nextRound { robots[$0.origin]?.isAllowed($0) ?? true }
            guard let depth = round.first?.depth else { continue }
            onEvent(.round(depth: depth, count: round.count))
            try await run(round, &progress, started: started)
        }
        return Result(resources: progress.resources, report: finished(progress))
    }

    // MARK: A round

    private func run(
        _ round: [Frontier.Item],
        _ progress: inout Progress,
        started: ContinuousClock.Instant
    ) async throws {
        let delays = progress.robots.compactMapValues(\.delay)
        var schedule = HostSchedule(
            round.map(\.url.origin),
            perHost: options.connectionsPerHost,
            total: options.connections,
            delays: delays,
            notBefore: progress.notBefore
        )
        var outcomes: [Int: FetchOutcome] = [:]
        var nextToTake = 0
        try await withThrowingTaskGroup(of: Message.self) { group in
            while true {
                switch schedule.next(at: started.duration(to: clock.now)) {
                case .start(let index):
                    let item = round[index]
                    group.addTask { .outcome(index, try await fetch(item)) }
                    continue
                case .wait(let time):
                    group.addTask {
                        try await clock.sleep(until: started.advanced(by: time))
                        return .awake
                    }
                case .busy: break
                case .finished: return
                }
                guard case .outcome(let index, let outcome) = try await group.next() else { continue }
                schedule.finish(round[index].url.origin)
                outcomes[index] = outcome
                while let outcome = outcomes.removeValue(forKey: nextToTake) {
                    take(outcome, of: round[nextToTake], &progress)
                    nextToTake += 1
                }
                if progress.isFull {
                    group.cancelAll()
                    break
                }
            }
        }
        progress.notBefore = schedule.notBefore
        guard progress.isFull else { return }
        for item in round[nextToTake...] { progress.frontier.refuse(item.url, because: .maxBytes) }
    }

    private func take(_ outcome: FetchOutcome, of item: Frontier.Item, _ progress: inout Progress) {
        progress.report.requests += outcome.requests
        guard !progress.isFull else {
            progress.frontier.refuse(item.url, because: .maxBytes)
            return
        }
        switch outcome.content {
        case .resource(let resource, let references):
            let size = resource.record.size ?? 0
            if let limit = options.maxBytes, progress.report.bytes + size > limit {
                progress.isFull = true
                progress.frontier.refuse(item.url, because: .maxBytes)
                return
            }
            progress.report.fetched += 1
            progress.report.bytes += size
            progress.resources.append(resource)
            onEvent(.fetched(item.url, bytes: size))
            for reference in references {
                let depth = reference.role == .link ? item.depth + 1 : item.depth
                progress.frontier.add(
                    Frontier.Item(
                        url: reference.url,
                        role: reference.role,
                        depth: depth,
                        redirects: 0,
                        referrer: item.url
                    )
                )
            }
        case .redirect(let resource, let target):
            guard item.redirects < options.maxRedirects else {
                return fail(item, .redirects(limit: options.maxRedirects), &progress)
            }
            progress.report.redirects += 1
            progress.resources.append(resource)
            onEvent(.redirected(item.url, status: resource.record.status))
            progress.frontier.add(
                Frontier.Item(
                    url: target,
                    role: item.role == .seed ? .requisite : item.role,
                    depth: item.depth,
                    redirects: item.redirects + 1,
                    referrer: item.url
                )
            )
        case .failure(let reason): fail(item, reason, &progress)
        }
    }

    private func fail(_ item: Frontier.Item, _ reason: FetchFailure, _ progress: inout Progress) {
        let failure = CrawlReport.Failure(url: item.url, reason: reason, referrer: item.referrer)
        progress.report.failures.append(failure)
        onEvent(.failed(failure))
    }

    private func finished(_ progress: Progress) -> CrawlReport {
        var report = progress.report
        report.failures.sort { $0.url < $1.url }
        report.skipped = progress.frontier.skipped.sorted { $0.key < $1.key }.map { rule, count in
            CrawlReport.Skip(rule: rule, count: count, examples: progress.frontier.examples(of: rule, limit: 10))
        }
        return report
    }

    // MARK: robots.txt

    private func learnRobots(_ progress: inout Progress) async throws {
        guard !options.ignoresRobots else { return }
        var wanted: [String: WebURL] = [:]
        for item in progress.frontier.upcoming() where progress.robots[item.url.origin] == nil {
            wanted[item.url.origin] = item.url
        }
        let requests = wanted.sorted { $0.key < $1.key }
        let answers = try await withThrowingTaskGroup(of: (Int, RobotsAnswer).self) { group in
            var answers: [Int: RobotsAnswer] = [:]
            var next = 0
            while next < requests.count || answers.count < next {
                if next < requests.count, next - answers.count < max(1, options.connections) {
                    let (index, url) = (next, requests[next].value)
                    group.addTask { (index, try await fetchRobots(for: url)) }
                    next += 1
                } else if let (index, answer) = try await group.next() {
                    answers[index] = answer
                }
            }
            return answers
        }
        for (index, request) in requests.enumerated() {
            guard let answer = answers[index] else { continue }
            progress.robots[request.key] = answer.rules
            progress.report.requests += answer.requests
            if let delay = answer.rules.delay { onEvent(.crawlDelay(origin: request.key, delay)) }
            if let failure = answer.failure {
                progress.report.failures.append(failure)
                onEvent(.failed(failure))
            }
        }
    }
}

extension RobotsRules {
    /// How long this crawler waits between two requests; more than half a minute would never end.
    fileprivate var delay: Duration? {
        crawlDelay.map { min(.milliseconds($0), .seconds(30)) }
    }
}
