internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import HTTPTypes

/// Everything that a crawl records of its decisions: the report, the changes for the crawl's state, and the facts by which
/// an update tells whether the package would be the same.
struct CrawlLedger {
    private let isDryRun: Bool
    private let isUpdate: Bool
    private let redirectLimit: Int
    private var recorder = CrawlRecorder()
    private var changes = CrawlChanges()
    /// URLs of the older package whose requests failed.
    private var missing: Set<URLKey> = []
    /// Whether all that was taken is in the older package, too, just so.
    private(set) var isAsBefore = true
    /// Whether something was asked for of which neither the package nor its provenance tells.
    private var hasUntold = false
    /// The targets of redirects that were taken.
    private var redirectTargets: [URLKey: URLKey] = [:]
    /// The number of targets that are kept.
    private static let targetLimit = 1 << 20

    init(_ options: CrawlOptions) {
        isDryRun = options.isDryRun
        isUpdate = options.updates != nil
        redirectLimit = options.limits.redirects
    }

    /// What became of the crawl so far.
    var report: CrawlReport { recorder.report }

    /// The bytes of all bodies that were taken.
    var bytes: Int64 { recorder.report.bytes }

    /// The number of changes that aren't in the crawl's state yet.
    var changeCount: Int { changes.count }

    /// The changes since this was called last.
    mutating func takeChanges() -> CrawlChanges {
        defer { changes = CrawlChanges() }
        return changes
    }

    // MARK: Results

    /// Notes an answer whose turn has come.
    ///
    /// - Returns: The result; a redirect that leads too far, or back to the URL, is a failure.
    mutating func take(
        _ outcome: FetchOutcome,
        of item: CrawlItem,
        as role: CrawlScope.Role,
        depth: Int,
        _ importance: CrawlReport.Importance
    ) -> FetchOutcome {
        if outcome.isKept, !outcome.isAsBefore { isAsBefore = false }
        var result = outcome.recorded
        if case .redirect = result.content, item.redirects >= redirectLimit {
            result.content = .failure(.redirects(limit: redirectLimit))
        }
        if case .redirect(_, let target) = result.content, leads(target, backTo: item.key) {
            result.content = .failure(.redirectLoop(target.description))
        }
        changes.results.append((item.id, result))
        note(result, of: item, depth: depth, importance)
        plan(result, of: item, as: role, depth: depth, importance)
        return result
    }

    /// Notes a result from before an interruption.
    mutating func restore(_ result: FetchOutcome, of item: CrawlItem, depth: Int, _ importance: CrawlReport.Importance)
    {
        // What was compared before the interruption isn't compared again.
        isAsBefore = false
        note(result, of: item, depth: depth, importance)
    }

    private mutating func note(
        _ result: FetchOutcome,
        of item: CrawlItem,
        depth: Int,
        _ importance: CrawlReport.Importance
    ) {
        recorder.noteRequests(result.requests, retries: max(0, result.requests - 1))
        let referrer = item.referrer?.url
        switch result.content {
        case .resource(let record, _, _): noteFetched(record, result, depth: depth, referrer: referrer)
        case .kept(let record, _, let reason, _):
            noteFetched(record, result, depth: depth, referrer: referrer)
            recorder.noteFailure(failure(of: item, reason, importance))
            hasUntold = true
        case .redirect(let record, let target):
            recorder.noteRedirect(item.url, status: record.status, to: target, referrer: referrer)
            if redirectTargets.count < Self.targetLimit { redirectTargets[item.key] = URLKey(target) }
        case .failure(let reason), .again(let reason, _):
            note(failure(of: item, reason, importance))
            if isUpdate { missing.insert(item.key) }
        case .planned, .notModified: break
        case .leftOut(let rule, _):
            recorder.noteSkip(item.url, rule)
            hasUntold = true
            if isUpdate { missing.insert(item.key) }
        }
        if result.needsScripts { recorder.noteNeedsScripts(item.url) }
        if !result.cuts.isEmpty {
            let limits = result.cuts.sorted().map(CrawlReport.Cut.Limit.init)
            recorder.noteCut(CrawlReport.Cut(url: item.url, limits: limits, referrer: referrer))
            hasUntold = true
        }
        if let change = result.change { recorder.noteChange(item.url, change) }
    }

    private mutating func note(_ failure: CrawlReport.Failure) {
        if failure.isAbsentIcon { recorder.noteAbsentIcon(failure) } else { recorder.noteFailure(failure) }
    }

    private func failure(
        of item: CrawlItem,
        _ reason: FetchFailure,
        _ importance: CrawlReport.Importance
    ) -> CrawlReport.Failure {
        CrawlReport.Failure(url: item.url, reason: reason, referrer: item.referrer?.url, importance: importance)
    }

    private mutating func noteFetched(_ record: ResourceRecord, _ result: FetchOutcome, depth: Int, referrer: WebURL?) {
        recorder.noteFetched(
            record.url,
            status: record.status,
            mediaType: record.fields.value(of: .contentType).flatMap { MediaType($0)?.essence },
            bytes: record.size ?? 0,
            received: result.received,
            elapsed: result.elapsed,
            depth: depth,
            referrer: referrer
        )
    }

    /// Whether redirects that were recorded lead from a URL to another.
    private func leads(_ url: WebURL, backTo key: URLKey) -> Bool {
        var next: URLKey? = URLKey(url)
        for _ in 0...max(1, redirectLimit) {
            guard let target = next else { return false }
            if target == key { return true }
            next = redirectTargets[target]
        }
        return false
    }

    /// Adds what a dry run has found out about a URL to the plan.
    private mutating func plan(
        _ result: FetchOutcome,
        of item: CrawlItem,
        as role: CrawlScope.Role,
        depth: Int,
        _ importance: CrawlReport.Importance
    ) {
        guard isDryRun else { return }
        switch result.content {
        case .failure(let reason), .again(let reason, _), .kept(_, _, let reason, _):
            let failure = failure(of: item, reason, importance)
            if !failure.isAbsentIcon { changes.plan.append(.failed(failure)) }
        case .leftOut(let rule, _): planSkip(of: item, because: rule)
        case .resource, .redirect, .planned, .notModified:
            changes.plan.append(.planned(item.url, role: role, depth: depth, referrer: item.referrer?.url))
        }
    }

    private mutating func planSkip(of item: CrawlItem, because rule: SkipRule) {
        guard isDryRun else { return }
        changes.plan.append(.skipped(item.url, rule, referrer: item.referrer?.url))
    }

    // MARK: URLs

    /// Notes a URL that was found, and is asked for unless the row names a rule.
    mutating func noteFound(_ row: CrawlChanges.Row) {
        changes.found.append(row)
        guard let rule = row.rule else { return }
        recorder.noteSkip(row.item.url, rule)
        planSkip(of: row.item, because: rule)
    }

    /// Notes that a URL which waits was found again in a better way.
    mutating func noteImproved(_ id: Int64, _ role: CrawlScope.Role, _ depth: Int) {
        changes.improved.append((id, role, depth))
    }

    /// Notes that the row of a URL doesn't count any more, as it gets a later one.
    mutating func noteSuperseded(_ id: Int64) { changes.superseded.append(id) }

    /// Notes that the early answer of a URL has had its turn.
    mutating func noteSettled(_ url: WebURL) { changes.settled.append(url) }

    /// Notes that a URL which waited is not asked for.
    mutating func noteRefused(_ item: CrawlItem, because rule: SkipRule) {
        planSkip(of: item, because: rule)
        changes.refused.append((item, rule))
        recorder.noteSkip(item.url, rule)
    }

    /// Notes that nothing that waits is asked for.
    mutating func noteRestRefused(because rule: SkipRule) { changes.refusesRest = rule }

    mutating func noteSkip(_ url: WebURL, _ rule: SkipRule) { recorder.noteSkip(url, rule) }

    mutating func noteSkips(_ count: Int, _ rule: SkipRule) { recorder.noteSkips(count, rule) }

    mutating func retractSkip(_ url: WebURL, _ rule: SkipRule) { recorder.retractSkip(url, rule) }

    /// Notes what an origin answered for its robots.txt.
    mutating func noteRobots(_ answer: RobotsAnswer, _ digest: String, of origin: String) {
        changes.robots.append((origin, digest))
        recorder.noteRequests(answer.requests, retries: answer.retries)
        if let failure = answer.failure { recorder.noteFailure(failure) }
    }

    // MARK: Updates

    /// Notes requests that were sent before the crawl began.
    mutating func noteRequests(_ count: Int) { recorder.noteRequests(count) }

    /// Notes that all is as the older package has it.
    mutating func conclude(_ validation: Validation, _ provenance: CrawlProvenance, of holdings: CrawlReport.Holdings) {
        for failure in validation.failures { note(failure) }
        for (name, count) in provenance.skipped {
            if let rule = SkipRule(rawValue: name) { recorder.noteSkips(count, rule) }
        }
        recorder.noteRequests(validation.requests)
        for (_, answer) in validation.robots { recorder.noteRequests(answer.requests, retries: answer.retries) }
        recorder.noteStanding(holdings)
    }

    /// Notes which URLs of an older package were not taken, or whose requests failed.
    mutating func compare(with urls: some Sequence<WebURL>, isTaken: (URLKey) -> Bool) {
        recorder.noteComparison()
        for url in urls {
            let key = URLKey(url)
            if !isTaken(key) || missing.contains(key) { recorder.noteChange(url, .removed) }
        }
    }

    /// What the crawl asked for besides what is in the package.
    ///
    /// - Parameters:
    ///   - options: The digest of what decided which URLs are asked for.
    ///   - robots: The digest of each origin's robots.txt.
    /// - Returns: nil where that isn't all.
    func provenance(options: String, robots: [String: String]) -> CrawlProvenance? {
        guard !hasUntold, report.unlistedFailures == 0 else { return nil }
        guard robots.count <= Frontier.originLimit, !robots.values.contains(OriginRules.noDigest) else { return nil }
        var failed: [CrawlProvenance.Failure] = []
        for failure in report.failures + recorder.absentIcons {
            guard case .status(let status, _) = failure.reason, (400...499).contains(status), status != 429 else {
                return nil
            }
            var told = CrawlProvenance.Failure(url: failure.url, status: status, foundOn: failure.referrer)
            if failure.importance != .link { told.importance = failure.importance.rawValue }
            failed.append(told)
        }
        return CrawlProvenance(
            options: options,
            robots: robots,
            failed: failed,
            skipped: Dictionary(report.skipped.map { ($0.rule.rawValue, $0.count) }) { first, _ in first }
        )
    }
}
