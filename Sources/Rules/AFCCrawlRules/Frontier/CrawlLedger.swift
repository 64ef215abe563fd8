internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import HTTPTypes

/// The record of a crawl's decisions.
///
/// It has the report, the changes to save, and the facts that show whether an update would produce the same package.
struct CrawlLedger {
    private let isDryRun: Bool
    private let isUpdate: Bool
    private let isRendered: Bool
    private let redirectLimit: Int
    private var recorder = CrawlRecorder()
    private var changes = CrawlChanges()
    /// The URLs of the older package whose requests failed.
    private var missing: Set<URLKey> = []
    /// True if everything that was taken is unchanged since the older package.
    private(set) var isUnchanged = true
    /// True if a request is recorded neither in the package nor in its provenance.
    private var hasUntold = false
    /// The targets of redirects that were taken.
    private var redirectTargets: [URLKey: URLKey] = [:]
    /// The largest number of stored targets.
    private static let targetLimit = 1 << 20
    /// How many URLs in a row got no answer, for each origin that answered before.
    private var silence: [String: Int] = [:]
    /// The number of URLs in a row after which a site counts as silent.
    private static let silenceLimit = 3
    /// The most origins whose silence is noticed.
    private static let originLimit = 10_000

    init(_ options: CrawlOptions) {
        isDryRun = options.isDryRun
        isUpdate = options.updates != nil
        isRendered = options.rendering != nil
        redirectLimit = options.limits.redirects
    }

    /// The report so far.
    var report: CrawlReport { recorder.report }

    /// The size of all bodies that were taken, in bytes.
    var bytes: Int64 { recorder.report.bytes }
    /// The number of bytes received for them.
    var received: Int64 { recorder.report.received }

    /// The number of changes that aren't saved yet.
    var changeCount: Int { changes.count }

    /// Returns the changes since the last call.
    mutating func takeChanges() -> CrawlChanges {
        defer { changes = CrawlChanges() }
        return changes
    }

    // MARK: Results

    /// Records an answer whose turn has come.
    ///
    /// - Returns: The result; a redirect that exceeds the limit, or leads back to the URL, becomes a failure.
    mutating func take(
        _ outcome: FetchOutcome,
        of item: CrawlItem,
        as role: CrawlScope.Role,
        depth: Int,
        _ importance: CrawlReport.Importance
    ) -> FetchOutcome {
        if outcome.isKept, !outcome.isUnchanged { isUnchanged = false }
        var result = outcome.recorded
        if case .redirect = result.content, item.redirects >= redirectLimit {
            result.content = .failure(.redirects(limit: redirectLimit))
        }
        if case .redirect(_, let target) = result.content, leads(target, backTo: item.key) {
            result.content = .failure(.redirectLoop(target.description))
        }
        result.scriptTexts = outcome.scriptTexts
        result.base = outcome.base
        result.moduleMap = outcome.moduleMap
        result.moduleNames = outcome.moduleNames
        result.loads = outcome.loads
        changes.results.append((item.id, result))
        note(result, of: item, depth: depth, importance)
        result.scriptTexts = ScriptTexts()
        result.loads = []
        plan(result, of: item, as: role, depth: depth, importance)
        return result
    }

    /// Records a result from before an interruption.
    mutating func restore(_ result: FetchOutcome, of item: CrawlItem, depth: Int, _ importance: CrawlReport.Importance)
    {
        // Results from before the interruption are not compared again.
        isUnchanged = false
        note(result, of: item, depth: depth, importance)
    }

    private mutating func note(
        _ result: FetchOutcome,
        of item: CrawlItem,
        depth: Int,
        _ importance: CrawlReport.Importance
    ) {
        recorder.noteRequests(result.requests, retries: max(0, result.requests - 1))
        noteSilence(result, item.url.origin)
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
        if item.destination == .sitemap, importance == .guess, result.isMisplaced || !result.isKept {
            recorder.noteMissingSitemap(item.url)
        }
        if result.isMisplaced, importance != .guess { recorder.noteMisplaced(item.url) }
        noteReading(result, of: item)
        if result.isKept { noteScripts(of: result, item, importance) }
        if let change = result.change { recorder.noteChange(item.url, change) }
    }

    /// Counts the URLs of an origin that got no answer since the last one that did.
    private mutating func noteSilence(_ result: FetchOutcome, _ origin: String) {
        guard result.requests > 0 else { return }
        let failure: FetchFailure? =
            switch result.content {
            case .failure(let reason), .again(let reason, _), .kept(_, _, let reason, _): reason
            default: nil
            }
        if failure?.isOfHost ?? false {
            silence[origin]? += 1
        } else if silence[origin] != nil || silence.count < Self.originLimit {
            silence[origin] = 0
        }
    }

    private mutating func noteScripts(
        of result: FetchOutcome,
        _ item: CrawlItem,
        _ importance: CrawlReport.Importance = .link
    ) {
        // A browser has run the scripts.
        guard !isRendered else { return }
        recorder.noteScripts(
            of: item,
            isStart: importance == .seed,
            isGuess: importance == .guess,
            needsScripts: result.needsScripts,
            texts: result.scriptTexts
        )
    }

    /// The patterns of the calls that couldn't be read; nil for those that tell too little.
    var callPatterns: [CallPattern?] { recorder.callPatterns }

    /// Decides which pages probably lack something that their scripts load.
    mutating func judgeScripts(_ isAnswered: ArraySlice<Bool>, unfound: [ScriptGuesses.Unfound]) {
        recorder.judgeScripts(isAnswered, unfound: unfound)
    }

    /// Records the facts from reading a body.
    private mutating func noteReading(_ result: FetchOutcome, of item: CrawlItem) {
        guard !result.cuts.isEmpty else { return }
        let limits = result.cuts.sorted().map(CrawlReport.Cut.Limit.init)
        recorder.noteCut(CrawlReport.Cut(url: item.url, limits: limits, referrer: item.referrer?.url))
        hasUntold = true
    }

    /// Records that a browser has opened a page.
    mutating func noteRendered(_ page: RenderedReferences) { recorder.noteRendered(page) }

    private mutating func note(_ failure: CrawlReport.Failure) {
        if failure.isExpected { recorder.noteAbsent(failure) } else { recorder.noteFailure(failure) }
    }

    private func failure(
        of item: CrawlItem,
        _ reason: FetchFailure,
        _ importance: CrawlReport.Importance
    ) -> CrawlReport.Failure {
        var failure = CrawlReport.Failure(
            url: item.url,
            reason: reason,
            referrer: item.referrer?.url,
            importance: importance
        )
        // The live site lacks the picture, the sound or the film as well.
        if importance == .requisite, [.image, .media].contains(item.destination), reason.saysAbsent {
            failure.importance = .optional
        }
        // A site that answered before, and then not, isn't a site with a dead link.
        if importance == .link, reason.isOfHost, let count = silence[item.url.origin],
            count >= Self.silenceLimit || reason == .refused
        {
            failure.importance = .requisite
        }
        // What the site has, but didn't send, a page may need.
        if importance == .guess, item.isConditional, reason.isTransient || !failure.isExpected {
            failure.importance = .requisite
        }
        return failure
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
        recorder.noteUsage(record.statedUsage.combined)
    }

    /// Returns true if recorded redirects lead from one URL to another.
    private func leads(_ url: WebURL, backTo key: URLKey) -> Bool {
        var next: URLKey? = URLKey(url)
        for _ in 0...max(1, redirectLimit) {
            guard let target = next else { return false }
            if target == key { return true }
            next = redirectTargets[target]
        }
        return false
    }

    /// Adds the decision about a URL to the plan of a dry run.
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
            if !failure.isExpected { changes.plan.append(.failed(failure)) }
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

    /// Records a URL that was found; it will be requested unless the row names a rule.
    mutating func noteFound(_ row: CrawlChanges.Row) {
        changes.found.append(row)
        guard let rule = row.rule else { return }
        noteRefusal(row, because: rule)
        planSkip(of: row.item, because: rule)
    }

    /// Records that a URL was skipped when it was found, and the failure of a seed that redirects there.
    mutating func noteRefusal(_ row: CrawlChanges.Row, because rule: SkipRule) {
        recorder.noteSkip(row.item.url, rule)
        if rule == .scope, row.role == .requisite { recorder.noteForeign(row.item) }
        guard row.role == .seed, rule.isFound, rule != .otherShard, let seed = row.item.referrer?.url else { return }
        let target = String(row.item.url.removingCredentials.description.prefix(Self.targetTextLimit))
        let failure = CrawlReport.Failure(url: seed, reason: .target(target, rule), referrer: nil, importance: .seed)
        recorder.noteFailure(failure)
        hasUntold = true
    }

    /// The largest number of characters that a failure quotes of a redirect's target, which may be a `data:` URL.
    private static let targetTextLimit = 200

    /// Records that a waiting URL was found again with a stronger role or a smaller depth.
    mutating func noteImproved(_ id: Int64, _ role: CrawlScope.Role, _ depth: Int) {
        changes.improved.append((id, role, depth))
    }

    /// Records that a waiting script or style sheet that might never be loaded was found again in a certain way.
    mutating func noteCertain(_ id: Int64) { changes.certain.append(id) }

    /// Records that a URL was found again as a page.
    mutating func notePage(_ id: Int64, _ reading: CrawlChanges.PageReading) { changes.pages.append((id, reading)) }

    /// Records what was found by reading a taken answer again as a page.
    mutating func noteReread(_ outcome: FetchOutcome, of item: CrawlItem) {
        var recorded = outcome.recorded
        if recorded.size > 0 { recorded.isMisplaced = true }
        changes.reread.append((item.id, recorded))
        noteReading(outcome, of: item)
        noteScripts(of: outcome, item)
    }

    /// Records that a later row replaces the row of a URL.
    mutating func noteSuperseded(_ id: Int64) { changes.superseded.append(id) }

    /// Records that the early answer of a URL has been taken.
    mutating func noteSettled(_ url: WebURL) { changes.settled.append(url) }

    /// Records that a waiting URL is skipped.
    mutating func noteRefused(_ item: CrawlItem, because rule: SkipRule) {
        planSkip(of: item, because: rule)
        changes.refused.append((item, rule))
        recorder.noteSkip(item.url, rule)
    }

    /// Records that all waiting URLs are skipped.
    mutating func noteRestRefused(because rule: SkipRule) { changes.refusesRest = rule }

    mutating func noteSkip(_ url: WebURL, _ rule: SkipRule) { recorder.noteSkip(url, rule) }

    mutating func noteSkips(_ count: Int, _ rule: SkipRule) { recorder.noteSkips(count, rule) }

    mutating func retractSkip(_ url: WebURL, _ rule: SkipRule) { recorder.retractSkip(url, rule) }

    /// Records the rounds of guesses that begin.
    mutating func noteRounds(_ rounds: [GuessRound]) { changes.rounds += rounds }

    /// Records an origin's response for its robots.txt.
    mutating func noteRobots(_ answer: RobotsAnswer, _ digest: String, of origin: String) {
        changes.robots.append((origin, digest))
        recorder.noteRequests(answer.requests, retries: answer.retries)
        if let failure = answer.failure { recorder.noteFailure(failure) }
    }

    // MARK: Updates

    /// Records requests that were sent before the crawl.
    mutating func noteRequests(_ count: Int) { recorder.noteRequests(count) }

    /// Records a change of a resource that isn't taken from the queue.
    mutating func noteChange(_ url: WebURL, _ change: CrawlReport.Change) { recorder.noteChange(url, change) }

    /// Records that everything in the older package is unchanged.
    mutating func conclude(_ validation: Validation, _ provenance: CrawlProvenance, of holdings: CrawlReport.Holdings) {
        for failure in validation.failures { note(failure) }
        for (name, count) in provenance.skipped {
            if let rule = SkipRule(rawValue: name) { recorder.noteSkips(count, rule) }
        }
        recorder.noteRequests(validation.requests)
        for (_, answer) in validation.robots { recorder.noteRequests(answer.requests, retries: answer.retries) }
        recorder.noteUnchanged(holdings)
    }

    /// Records the URLs of an older package that were not taken, or whose requests failed.
    mutating func compare(with urls: some Sequence<WebURL>, isTaken: (URLKey) -> Bool) {
        recorder.noteComparison()
        for url in urls {
            let key = URLKey(url)
            if !isTaken(key) || missing.contains(key) { recorder.noteChange(url, .removed) }
        }
    }

    /// Returns the requests of the crawl that have no resource in the package.
    ///
    /// - Parameters:
    ///   - options: The digest of the options that determine which URLs are requested.
    ///   - robots: The digest of each origin's robots.txt.
    /// - Returns: The provenance, or nil if it would be incomplete.
    func provenance(options: String, robots: [String: String]) -> CrawlProvenance? {
        guard !hasUntold, report.unlistedFailures == 0, recorder.absentCount == recorder.absent.count else {
            return nil
        }
        guard robots.count <= Frontier.originLimit, !robots.values.contains(OriginRules.noDigest) else { return nil }
        var failed: [CrawlProvenance.Failure] = []
        for failure in report.failures + recorder.absent {
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
