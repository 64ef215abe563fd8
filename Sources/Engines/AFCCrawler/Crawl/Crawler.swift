package import AFCCrawlRules
internal import AFCDiscovery
internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFile
package import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip

/// Carries out what ``Frontier`` decides: requests URLs, saves the state on disk, and reports events.
package struct Crawler<Network: Fetcher>: Sendable {
    private let options: CrawlOptions
    private let requests: OriginRequests<Network>
    private let spool: BodySpool
    private let files: CrawlFiles
    private let state: CrawlState
    private let onEvent: @Sendable (CrawlEvent) -> Void
    private let clock = ContinuousClock()
    /// The variables that playlists define for those of their streams.
    private let variables = StreamVariables()

    package init(
        options: CrawlOptions,
        network: Network,
        workspace: CrawlWorkspace,
        level: Int32,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) {
        self.options = options
        requests = OriginRequests(options, network, onEvent: onEvent)
        spool = BodySpool(file: workspace.files.spool, level: level)
        files = workspace.files
        state = workspace.state
        self.onEvent = onEvent
    }

    /// A message from a child task.
    private enum Message: Sendable {
        case outcome(Frontier.Ticket, FetchOutcome)
        case robots(RobotsAnswer, origin: String, host: String)
        case recalled(Frontier.Ticket, FetchOutcome?)
        case written(Duration)
        case awake
    }

    /// The outcome of a crawl.
    package struct End {
        package var report: CrawlReport
        /// The contents of the older package, if it is kept in place of a new one; then the state must not be read.
        package var kept: PackageWriter.Summary?
        /// The provenance to record in the new package.
        package var provenance: CrawlProvenance?
        /// The site's page for missing URLs; nil if it has none, or the crawl can't know it.
        package var missingPage: MissingPage?
    }

    /// Facts about the earlier runs of this crawl.
    private struct Before {
        var started: Timestamp
        var elapsed: Duration = .zero
        var resumed = 0
    }

    /// Crawls until no URL is left to request.
    ///
    /// All results are in the state afterwards, even if this throws.
    ///
    /// - Parameters:
    ///   - digest: The digest of the options that determine which URLs are requested.
    ///   - kept: The contents of the older package if it may be kept in place of a new one, else nil.
    /// - Returns: The outcome of the crawl.
    /// - Throws: ``PackagingError`` if the state or a body can't be saved, or `CancellationError`; failures at origins
    ///   are in the report.
    package func run(
        digest: String = "",
        kept: (OlderPackage) throws -> PackageWriter.Summary? = { _ in nil }
    ) async throws -> End {
        let started = clock.now
        // Without a browser, nothing needs to be fetched.
        let rounds = options.isDryRun ? nil : try options.rendering.map { try PageRounds($0, options, state, files) }
        var frontier = Frontier(options: options)
        frontier.useAbsent(files.older?.provenance)
        var missingPage: MissingPage?
        let before = try await restore(&frontier)
        frontier.addHanded()
        do {
            var validation = Validation()
            if frontier.isUnchanged, let (older, provenance) = try validated(digest, kept) {
                let deadline = options.limits.time.map { started.advanced(by: $0) }
                let validator = PackageValidator(options, requests, of: older, provenance, onEvent: onEvent)
                validation = try await validator.validate(until: deadline)
                try await validateMissingPage(&validation, older, provenance)
                let absent = provenance.failed.compactMap { AbsentURLs.Entry($0.url, status: $0.status) }
                if !older.lists(AbsentURLs(absent)) { validation.isWhole = false }
                if validation.isWhole, let summary = try kept(older) {
                    frontier.conclude(validation, provenance, of: older.contents)
                    let report = finished(frontier, before, elapsed: started.duration(to: clock.now))
                    onEvent(.ended(report))
                    return End(report: report, kept: summary)
                }
                frontier.learn(validation)
            }
            try await drive(&frontier, after: validation, started: started, before: before.elapsed)
            if frontier.addNamed() {
                try await drive(&frontier, after: validation, started: started, before: before.elapsed)
            }
            try await render(rounds, &frontier, after: validation, started: started, before: before.elapsed)
            let references: [FoundURL]
            (missingPage, references) = try await self.missingPage(&frontier)
            while frontier.addMissingPage(references) {
                try await drive(&frontier, after: validation, started: started, before: before.elapsed)
            }
            // If nothing was fetched, nothing is known about the older package's resources.
            if let older = files.older, options.isDryRun || frontier.report.fetched > 0 {
                let page = missingPage?.record.url
                frontier.compare(with: older.urls.filter { $0 != page })
            }
            try await write(&frontier, elapsed: before.elapsed + started.duration(to: clock.now))
        } catch {
            let elapsed = before.elapsed + started.duration(to: clock.now)
            onEvent(.ended(finished(frontier, before, elapsed: elapsed)))
            guard error is PackagingError else {
                try await write(&frontier, elapsed: elapsed)
                throw error
            }
            // On a full disk, the state can't be written, either; what was written before stays, and the first failure is
            // the one to report.
            try? await write(&frontier, elapsed: elapsed)
            throw error
        }
        let elapsed = before.elapsed + started.duration(to: clock.now)
        if !options.isDryRun { frontier.judgeScripts(try await answered(frontier.scriptPatterns)) }
        var report = finished(frontier, before, elapsed: elapsed)
        if let older = files.older, report.isUnchanged {
            let absent = try await OffPool.run { [state] in try state.absentURLs() }
            report.isUnchanged = older.lists(absent) && isUnchanged(missingPage?.record, older)
        }
        let summary = report.isUnchanged && !options.rewrites ? try files.older.flatMap(kept) : nil
        onEvent(.ended(report))
        return End(
            report: report,
            kept: summary,
            provenance: frontier.provenance(options: digest),
            missingPage: missingPage
        )
    }

    /// Returns which patterns of what scripts load fit the URL of a resource that was taken.
    private func answered(_ patterns: [CallPattern?]) async throws -> [Bool] {
        guard !patterns.isEmpty else { return [] }
        return try await OffPool.run { [state] in
            // What tells too little is no evidence.
            var answered = patterns.map { $0 == nil }
            try state.forEachBodyURL { url in
                for index in patterns.indices where !answered[index] {
                    answered[index] = patterns[index]?.fits(url) ?? false
                }
            }
            return answered
        }
    }

    /// Looks for the site's page for missing URLs.
    ///
    /// - Returns: The page, and what it refers to.
    private func missingPage(_ frontier: inout Frontier) async throws -> (MissingPage?, [FoundURL]) {
        guard let rules = frontier.missingPageRules else { return (nil, []) }
        let search = MissingPageSearch(options, requests)
        let result = try await search.find(rules, robots: frontier.robotsRules(of: rules.base.origin))
        guard let page = result.page else {
            frontier.noteMissingPage(nil, nil, requests: result.requests)
            return (nil, [])
        }
        let older = files.older?.missingPage?.record
        let change: CrawlReport.Change? =
            files.older == nil
            ? nil : older?.url != page.record.url ? .added : older?.sha256 == page.record.sha256 ? .unchanged : .changed
        frontier.noteMissingPage(page.record.url, change, requests: result.requests)
        let body: DeflatedBody
        do throws(FetchFailure) {
            body = try spool.store(page.text, isCompressible: true)
        } catch {
            throw PackagingError(.inputOutput, subject: state.path, message: "\(error)")
        }
        return (MissingPage(base: rules.base, record: page.record, body: body), page.references)
    }

    /// Repeats the search for the site's page for missing URLs, after everything else was found unchanged.
    private func validateMissingPage(
        _ validation: inout Validation,
        _ older: OlderPackage,
        _ provenance: CrawlProvenance
    ) async throws {
        guard validation.isWhole else { return }
        var record: ResourceRecord?
        if let rules = older.missingPageRules(options, provenance) {
            let robots = validation.robots.first { $0.origin.origin == rules.base.origin }?.answer.rules
            let result = try await MissingPageSearch(options, requests).find(rules, robots: robots)
            validation.requests += result.requests
            record = result.page?.record
        }
        validation.isWhole = isUnchanged(record, older)
    }

    /// Returns true if the site's page for missing URLs is that of the older package, except for its times.
    private func isUnchanged(_ record: ResourceRecord?, _ older: OlderPackage) -> Bool {
        guard let record, let page = older.missingPage?.record else {
            return record == nil && older.missingPage == nil
        }
        return record.url == page.url && OlderComparison(options).isUnchanged(record, page)
    }

    /// Opens pages in a browser, and crawls what they refer to, until nothing new is found.
    private func render(
        _ pages: PageRounds?,
        _ frontier: inout Frontier,
        after validation: Validation,
        started: ContinuousClock.Instant,
        before: Duration
    ) async throws {
        guard var rounds = pages else { return }
        do {
            while true {
                try await write(&frontier, elapsed: before + started.duration(to: clock.now))
                frontier.noteWritten()
                let (found, isAll) = try await rounds.next(
                    frontier.answers,
                    isLate: { options.limits.time.map { before + started.duration(to: clock.now) >= $0 } ?? false },
                    onPage: { onEvent(.rendering(done: $0, of: $1)) }
                )
                guard frontier.add(found) else {
                    if isAll { break }
                    continue
                }
                try await drive(&frontier, after: validation, started: started, before: before)
            }
        } catch {
            await rounds.end()
            throw error
        }
        await rounds.end()
    }

    /// Returns the older package if a validation may show, before the crawl, that the crawl would produce the same.
    private func validated(
        _ digest: String,
        _ kept: (OlderPackage) throws -> PackageWriter.Summary?
    ) throws -> (OlderPackage, CrawlProvenance)? {
        // A slow crawl must not send requests that only validation needs.
        guard let older = files.older, let provenance = older.provenance, provenance.options == digest,
            !options.isDryRun, !options.rewrites, !options.tellsPlaces, options.politeness.delay == nil,
            try kept(older) != nil
        else { return nil }
        return (older, provenance)
    }

    private func finished(_ frontier: Frontier, _ before: Before, elapsed: Duration) -> CrawlReport {
        var report = frontier.report
        report.started = before.started
        report.resumed = before.resumed
        report.elapsed = elapsed
        report.finished = options.now()
        report.seeds = options.seeds
        report.choosesTrapLimit = options.choosesTrapLimit
        report.isUnchanged = files.older != nil && frontier.isUnchanged && report.changes?[.removed]?.count == 0
        return report
    }

    private func drive(
        _ frontier: inout Frontier,
        after validation: Validation,
        started: ContinuousClock.Instant,
        before: Duration
    ) async throws {
        let fetcher = fetcher(after: validation)
        var rhythm = WritingRhythm(interval: options.stateInterval)
        var sleepsUntil: Duration?
        var told: Duration = .zero
        try await withThrowingTaskGroup(of: Message.self) { group in
            while true {
                let now = started.duration(to: clock.now)
                if let limit = options.limits.time, before + now >= limit { frontier.endInTime() }
                if rhythm.begins(at: now, changes: frontier.changeCount) {
                    let (changes, facts) = (frontier.takeChanges(), facts(frontier, elapsed: before + now))
                    group.addTask { .written(try await write(changes, facts)) }
                }
                if now - told > .milliseconds(200) {
                    told = now
                    onEvent(.queue(known: frontier.knownCount, waiting: frontier.waiting))
                }
                var wake = options.limits.time.map { $0 - before }
                switch frontier.next(at: now) {
                case .start(let item, let role, let ticket, let attempt):
                    let usage = frontier.usage(of: item.url)
                    group.addTask {
                        .outcome(ticket, try await fetcher.fetch(item, as: role, attempt: attempt, usage: usage))
                    }
                    continue
                case .learn(let item, let origin):
                    let host = item.url.host ?? ""
                    group.addTask { .robots(try await requests.robots(for: item.url), origin: origin, host: host) }
                    continue
                case .load(let load):
                    // Waiting URLs must be in the file before they are read; with one writer, a write in progress ends
                    // first.
                    if !rhythm.isWriting {
                        let changes = frontier.takeChanges()
                        _ = try await write(changes, facts(frontier, elapsed: before + now))
                        frontier.noteWritten()
                        let items = try await OffPool.run { [state] in try state.waiting(load) }
                        frontier.load(items, for: load)
                        continue
                    }
                case .reread(let item):
                    // The answer must be in the file before it is read; with one writer, a write in progress ends first.
                    if !rhythm.isWriting {
                        let changes = frontier.takeChanges()
                        _ = try await write(changes, facts(frontier, elapsed: before + now))
                        frontier.noteWritten()
                        let outcome = try await OffPool.run { [state, files] in try state.result(item.id, files) }
                        frontier.reread(item, outcome.flatMap { fetcher.recall(item, $0) })
                        continue
                    }
                case .recall(let item, let ticket, let outcome):
                    group.addTask {
                        var found = outcome
                        if found == nil { found = try await OffPool.run { try state.early(item.url, files) } }
                        return .recalled(ticket, found.flatMap { fetcher.recall(item, $0) })
                    }
                    continue
                case .wait(let time):
                    if time - now > .seconds(1), let host = frontier.awaitedHost {
                        onEvent(.waiting(host: host, time - now))
                    }
                    wake = min(time, wake ?? time)
                case .busy: break
                case .finished:
                    if rhythm.isWriting { break }
                    return group.cancelAll()
                }
                // Write results in time, even if nothing else happens for long.
                if !rhythm.isWriting, frontier.changeCount > 0 {
                    let due = max(rhythm.next, now + .milliseconds(1))
                    wake = min(due, wake.map { $0 > now ? $0 : due } ?? due)
                }
                if let wake, wake > now, sleepsUntil.map({ $0 <= now || wake < $0 }) ?? true {
                    sleepsUntil = wake
                    group.addTask {
                        try await clock.sleep(until: started.advanced(by: wake))
                        return .awake
                    }
                }
                switch try await group.next() {
                case .outcome(let ticket, let outcome):
                    notify(outcome, frontier.item(of: ticket))
                    frontier.finish(ticket, outcome, at: started.duration(to: clock.now))
                case .robots(let answer, let origin, let host):
                    if let delay = answer.rules.delay { onEvent(.crawlDelay(origin: origin, delay)) }
                    if let failure = answer.failure { onEvent(.failed(failure)) }
                    frontier.learn(answer, of: origin, host: host)
                case .recalled(let ticket, let outcome): frontier.recall(ticket, outcome)
                case .written(let duration):
                    frontier.noteWritten()
                    rhythm.ends(at: started.duration(to: clock.now), took: duration)
                case .awake, nil: break
                }
            }
        }
    }

    private func fetcher(after validation: Validation) -> ResourceFetcher<Network> {
        ResourceFetcher(options, requests, spool, files, after: validation, variables: variables)
    }

    private func notify(_ outcome: FetchOutcome, _ item: CrawlItem?) {
        guard let item else { return }
        switch outcome.content {
        // Answers from before the crawl were reported then.
        case .resource where outcome.requests == 0, .redirect where outcome.requests == 0: break
        case .resource, .leftOut, .notModified: onEvent(.fetched(item.url, bytes: outcome.size))
        case .redirect(let record, _): onEvent(.redirected(item.url, status: record.status))
        case .planned, .again: break
        // A dry run reports a failure once it is clear that the URL would be requested.
        case .failure where options.isDryRun: break
        case .kept(_, _, let reason, _), .failure(let reason):
            let importance: CrawlReport.Importance =
                item.lane == Frontier.guesses ? .guess : item.isOptional ? .optional : .link
            let failure = CrawlReport.Failure(
                url: item.url,
                reason: reason,
                referrer: item.referrer?.url,
                importance: importance
            )
            if !failure.isExpected { onEvent(.failed(failure)) }
        }
    }

    // MARK: State

    private func facts(_ frontier: Frontier, elapsed: Duration) -> [String: String] {
        [
            "spool": String(files.spool.writtenSize), "elapsed": String(elapsed.components.seconds),
            "system": SystemStart.identifier ?? "", "pauses": frontier.pauses,
        ]
    }

    private func write(_ frontier: inout Frontier, elapsed: Duration) async throws {
        _ = try await write(frontier.takeChanges(), facts(frontier, elapsed: elapsed))
    }

    /// Writes changes on a thread for blocking work.
    private func write(_ changes: CrawlChanges, _ facts: [String: String]) async throws -> Duration {
        for event in changes.plan { onEvent(event) }
        return try await OffPool.run { [state, clock] in
            try clock.measure {
                try state.write(changes, facts: facts)
            }
        }
    }

    /// Restores the results of an interrupted crawl, or starts a new one.
    private func restore(_ frontier: inout Frontier) async throws -> Before {
        if options.shard != nil { try await OffPool.run { [state, options] in try state.begin(round: options.round) } }
        guard state.isResumed, let started = try state.fact("started").flatMap({ Timestamp(iso8601: $0) }) else {
            let now = options.now()
            frontier.begin()
            var facts = self.facts(frontier, elapsed: .zero)
            facts["started"] = now.iso8601
            _ = try await write(frontier.takeChanges(), facts)
            onEvent(.started(resources: 0, bytes: 0))
            return Before(started: now)
        }
        let isSameStart = try state.fact("system").map { !$0.isEmpty && $0 == SystemStart.identifier } ?? false
        try await OffPool.run { [state, files] in try isSameStart ? () : state.requireSound(files) }
        let fetcher = fetcher(after: Validation())
        try state.forEach(files) { past in
            frontier.restore(past)
            if let outcome = past.outcome { fetcher.learnVariables(of: past.row.item, outcome) }
        }
        try state.forEachEarly { past in frontier.restore(past) }
        frontier.endRestoring(robots: try state.robotsDigests(), rounds: try state.rounds())
        frontier.noteResumed(pauses: try state.fact("pauses") ?? "")
        let times = (try state.fact("resumed").flatMap { Int($0) } ?? 0) + 1
        _ = try await write(CrawlChanges(), ["resumed": String(times)])
        let elapsed = try state.fact("elapsed").flatMap { Int64($0) } ?? 0
        let progress = frontier.progress
        onEvent(.started(resources: progress.resources, bytes: progress.bytes))
        return Before(started: started, elapsed: .seconds(elapsed), resumed: times)
    }
}
