package import AFCCaching
package import AFCDiscovery
package import AFCURL

/// Builds the report of a crawl.
///
/// The crawl records events in the order in which it processes outcomes. Two reports of the same site therefore differ
/// only in measured values.
package struct CrawlRecorder: Sendable {
    /// The report so far.
    package private(set) var report: CrawlReport
    /// Absent icons that browsers request by themselves.
    package private(set) var absent: [CrawlReport.Failure] = []
    /// The number of these failures, listed or not.
    package private(set) var absentCount = 0
    /// The size of the text of all listed failures, in bytes.
    private var failureBytes = 0

    /// The forms of the calls that couldn't be read.
    private var shapes: Set<String> = []
    /// The largest number of forms that are counted.
    private static let shapeLimit = 10_000
    /// The first calls of these forms.
    private var calls: [(call: UnreadCall, listed: CrawlReport.Unread, id: Int64)] = []
    /// The largest number of calls that are compared with the URLs of resources.
    private static let callLimit = 256

    /// What the scripts of pages show about a resource that the crawl took.
    private struct Scripting {
        /// True for a start page and what its scripts load.
        var isFirst: Bool
        /// True for a page that is empty without scripts, and what its scripts load.
        var isNeeded: Bool
        var isScript: Bool
    }

    /// The scripts and the pages that matter for them, by number.
    private var scripting: [Int64: Scripting] = [:]
    /// The largest number of these.
    private static let scriptingLimit = 1 << 16
    /// The pages that are empty without scripts; the first hundred.
    private var empty: [(id: Int64, url: WebURL)] = []
    /// The scripts of other hosts that weren't taken, by the page that names them first.
    private var foreign: [Int64: WebURL] = [:]
    /// The pages and scripts for which the crawl took something that a script names, and of these an image or another medium.
    private var namers: (any: Set<Int64>, media: Set<Int64>) = ([], [])
    /// True if the crawl took something that a script of a start page or an empty page names.
    private var hasNamed = false
    /// True if a page of a start URL was recorded.
    private var hasStarted = false
    /// True if such a script loads something by an address of which it shows nothing.
    private var loadsUnknown = false

    /// Creates a recorder that continues a report.
    package init(_ report: CrawlReport = CrawlReport()) { self.report = report }

    /// Records requests, and how many of them were retries.
    package mutating func noteRequests(_ count: Int, retries: Int = 0) {
        report.requests += count
        report.retries += retries
    }

    /// Records a resource.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - status: The response's status; 304 if the older package's body was kept.
    ///   - mediaType: The media type without parameters, or nil for none.
    ///   - bytes: The size of the decoded body.
    ///   - received: The number of bytes received for it.
    ///   - elapsed: The time from the last request to the end of the body.
    ///   - depth: The number of links from a seed.
    ///   - referrer: The page with the reference, or nil for a seed.
    package mutating func noteFetched(
        _ url: WebURL,
        status: Int,
        mediaType: String?,
        bytes: Int64,
        received: Int64,
        elapsed: Duration,
        depth: Int,
        referrer: WebURL?
    ) {
        let type = mediaType?.lowercased() ?? ""
        report.fetched += 1
        report.bytes += bytes
        report.received += received
        report.statuses.note(status)
        report.types.note(type.utf8.count > 127 ? "" : type, bytes: bytes)
        report.hosts.note(url.host ?? "", bytes: bytes)
        note(depth: depth)
        if type == "text/html" { notePage(url, isStart: referrer == nil || depth == 0 && !hasStarted) }
        let mediaType = type.isEmpty || type.utf8.count > 127 ? nil : type
        report.largest.note(.init(url: url, measure: bytes, bytes: bytes, mediaType: mediaType, referrer: referrer))
        report.slowest.note(.init(url: url, measure: elapsed, bytes: bytes, mediaType: mediaType, referrer: referrer))
        report.redirection.noteEnd(url)
    }

    private mutating func notePage(_ url: WebURL, isStart: Bool) {
        if isStart {
            let folder = StartFolder(of: url)
            if !hasStarted { report.folder = folder } else if report.folder?.url != folder?.url { report.folder = nil }
            hasStarted = true
        }
        report.folder?.note(url)
    }

    /// Records what an origin says about the use of a resource.
    package mutating func noteUsage(_ usage: UsagePreferences) {
        for name in usage.disallowed { report.disallowedUsages.note(name) }
    }

    /// Records a redirect.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - status: The response's status.
    ///   - target: The redirect's target.
    ///   - referrer: The page with the reference, or nil for a seed.
    package mutating func noteRedirect(_ url: WebURL, status: Int, to target: WebURL, referrer: WebURL?) {
        report.redirects += 1
        report.statuses.note(status)
        report.redirection.note(url, status: status, to: target, referrer: referrer)
    }

    /// Records a failed URL.
    package mutating func noteFailure(_ failure: CrawlReport.Failure) {
        if case .status(let status, _) = failure.reason { report.statuses.note(status) }
        report.redirection.noteEnd(failure.url)
        report.failuresByImportance[failure.importance, default: 0] += 1
        let text = [failure.url.description, failure.reason.description, failure.referrer?.description ?? ""]
        let size = text.reduce(0) { $0 + $1.utf8.count }
        guard report.unlistedFailures == 0, report.failures.count < CrawlReport.failureLimit,
            failureBytes + size <= CrawlReport.failureByteLimit
        else {
            report.unlistedFailures += 1
            return
        }
        failureBytes += size
        report.failures.append(failure)
    }

    /// Records the absence of a guess, or of an icon that browsers request by themselves, which is not a failure.
    package mutating func noteAbsent(_ failure: CrawlReport.Failure) {
        if case .status(let status, _) = failure.reason { report.statuses.note(status) }
        report.redirection.noteEnd(failure.url)
        if failure.isGuess { report.absentGuesses += 1 }
        absentCount += 1
        if absent.count < CrawlReport.failureLimit { absent.append(failure) }
    }

    /// Records the scripts and the calls of a resource that was taken.
    ///
    /// - Parameters:
    ///   - item: The resource.
    ///   - isStart: True for a start page.
    ///   - isGuess: True if it was guessed.
    ///   - needsScripts: True if the page is empty without scripts.
    ///   - texts: What scripts in it, or the script, name and load.
    mutating func noteScripts(
        of item: CrawlItem,
        isStart: Bool,
        isGuess: Bool,
        needsScripts: Bool,
        texts: ScriptTexts
    ) {
        let origin = item.referrer.flatMap { scripting[$0.id] }
        let isScript = item.destination == .script || item.destination == .module
        if let id = item.referrer?.id, isGuess || origin?.isScript ?? false, namers.any.count < Self.scriptingLimit {
            namers.any.insert(id)
            if item.destination == .image || item.destination == .media { namers.media.insert(id) }
        }
        if let origin, origin.isFirst || origin.isNeeded, isGuess || origin.isScript { hasNamed = true }
        var own = Scripting(isFirst: isStart, isNeeded: needsScripts, isScript: isScript)
        if isScript, let origin {
            own.isFirst = own.isFirst || origin.isFirst
            own.isNeeded = own.isNeeded || origin.isNeeded
        }
        if own.isFirst || own.isNeeded || isScript, scripting.count < Self.scriptingLimit { scripting[item.id] = own }
        if needsScripts, empty.count < Self.emptyLimit { empty.append((item.id, item.url)) }
        loadsUnknown = loadsUnknown || (own.isFirst || own.isNeeded) && texts.loadsUnknown
        // A page runs the script, in which only a worker could call this.
        let runsInPage = isScript && !isGuess && origin?.isScript != true
        let calls = texts.calls.filter { !(runsInPage && $0.isOfWorker) }
        for call in calls {
            // A library that can load anything, as its calls without a literal part do, says nothing of a page with content.
            let tells = own.isNeeded || call.isAssignment || CallPattern(call, in: item.url) != nil
            noteUnread([call], in: item.url, id: item.id, isEarly: (own.isFirst || own.isNeeded) && tells)
        }
    }

    private static let emptyLimit = 100

    /// Records calls whose addresses couldn't be read, once for each form.
    package mutating func noteUnread(_ unread: [UnreadCall], in url: WebURL, id: Int64 = 0, isEarly: Bool) {
        for call in unread where shapes.count < Self.shapeLimit && shapes.insert(call.shape).inserted {
            report.unreadCount += 1
            let listed = CrawlReport.Unread(
                url: url,
                line: call.line,
                column: call.column,
                code: call.code,
                isEarly: isEarly
            )
            if calls.count < Self.callLimit { calls.append((call, listed, id)) }
            if report.unread.count < CrawlReport.unreadLimit { report.unread.append(listed) }
        }
    }

    /// Records a file that a script loads by a name and that wasn't found.
    package mutating func noteUnfound(_ name: String, in url: WebURL) {
        report.unfoundCount += 1
        guard report.unfound.count < CrawlReport.exampleLimit else { return }
        report.unfound.append(CrawlReport.Unfound(url: url, name: name))
    }

    /// Records that something of another host that a page needs is skipped: a style sheet, a script or anything else.
    mutating func noteForeign(_ item: CrawlItem) {
        let isScript = item.destination == .script || item.destination == .module
        guard isScript || item.destination == .style else { return }
        report.foreignCount += 1
        if report.foreign.count < CrawlReport.exampleLimit { report.foreign.append(item.url) }
        guard isScript, let page = item.referrer?.id, foreign.count < Self.scriptingLimit, foreign[page] == nil else {
            return
        }
        foreign[page] = item.url
    }

    /// The patterns of the calls that couldn't be read; nil for those that tell too little.
    var callPatterns: [CallPattern?] { calls.map { CallPattern($0.call, in: $0.listed.url) } }

    /// Decides which pages probably lack something that their scripts load.
    ///
    /// - Parameters:
    ///   - isAnswered: For each of ``callPatterns``, whether it fits the URL of a resource.
    ///   - unfound: What scripts load by a name, and the site doesn't have.
    mutating func judgeScripts(_ isAnswered: ArraySlice<Bool>, unfound: [ScriptGuesses.Unfound]) {
        for one in unfound {
            guard let script = scripting[one.referrer.id], script.isFirst || script.isNeeded else { continue }
            noteUnfound(one.tail, in: one.referrer.url)
        }
        let left = zip(calls, isAnswered).filter { isUnanswered($0.call, in: $0.listed.url, $0.id, hasFit: $1) }.map(
            \.0
        )
        if left.count < calls.count { hasNamed = true }
        report.unreadCount -= calls.count - left.count
        // Those that matter come first.
        let listed = left.map(\.listed)
        report.unread = Array(
            (listed.filter(\.isEarly) + listed.filter { !$0.isEarly }).prefix(CrawlReport.unreadLimit)
        )
        let isOpen = left.contains { $0.listed.isEarly } || report.unfoundCount > 0
        for page in empty where foreign[page.id] != nil || isOpen || !hasNamed && loadsUnknown {
            report.needsScriptsCount += 1
            if report.needsScripts.count < CrawlReport.exampleLimit { report.needsScripts.append(page.url) }
            if report.foreignScript == nil { report.foreignScript = foreign[page.id] }
        }
    }

    /// Returns true if nothing says that the crawl has what a call loads.
    ///
    /// A call without a literal part is no open question if the crawl found something else that the same script names.
    private func isUnanswered(_ call: UnreadCall, in script: WebURL, _ id: Int64, hasFit: Bool) -> Bool {
        guard CallPattern(call, in: script) == nil else { return !hasFit }
        return call.isAssignment ? !namers.media.contains(id) : !namers.any.contains(id)
    }

    /// Records that an origin has no sitemap in the usual place, and that its robots.txt names none.
    package mutating func noteMissingSitemap(_ url: WebURL) {
        if report.missingSitemaps.count < CrawlReport.exampleLimit { report.missingSitemaps.append(url) }
    }

    /// Records a page that answers a request for something else, such as an image.
    package mutating func noteMisplaced(_ url: WebURL) {
        report.misplacedCount += 1
        if report.misplaced.count < CrawlReport.exampleLimit { report.misplaced.append(url) }
    }

    /// Records that a browser has opened a page.
    mutating func noteRendered(_ page: RenderedReferences) {
        report.renderings += 1
        // A page is opened several times, and the last time counts.
        report.cuts.removeAll { $0.url == page.page && $0.limits.allSatisfy(\.isOfBrowser) }
        if let cut = page.cut { noteCut(CrawlReport.Cut(url: page.page, limits: [cut], referrer: nil)) }
    }

    /// Records a document that was not searched completely.
    package mutating func noteCut(_ cut: CrawlReport.Cut) {
        if cut.limits == [.live] { report.liveCount += 1 }
        guard report.cuts.count < CrawlReport.cutLimit else {
            report.unlistedCuts += 1
            return
        }
        report.cuts.append(cut)
    }

    /// Records a skipped URL.
    package mutating func noteSkip(_ url: WebURL, _ rule: SkipRule) {
        report.redirection.noteEnd(url)
        let index = skip(for: rule)
        report.skipped[index].count += 1
        guard report.skipped[index].examples.count < CrawlReport.exampleLimit else { return }
        if url.description.utf8.count <= CrawlReport.urlByteLimit { report.skipped[index].examples.append(url) }
    }

    /// Records skipped URLs without listing them.
    package mutating func noteSkips(_ count: Int, _ rule: SkipRule) {
        guard count > 0 else { return }
        report.skipped[skip(for: rule)].count += count
    }

    /// Removes a skipped URL from the report, because it was found again in another way.
    package mutating func retractSkip(_ url: WebURL, _ rule: SkipRule) {
        let index = skip(for: rule)
        report.skipped[index].count -= 1
        report.skipped[index].examples.removeAll { $0 == url }
        if report.skipped[index].count <= 0 { report.skipped.remove(at: index) }
    }

    private mutating func skip(for rule: SkipRule) -> Int {
        let index = report.skipped.firstIndex { $0.rule >= rule } ?? report.skipped.count
        if index == report.skipped.count || report.skipped[index].rule != rule {
            report.skipped.insert(CrawlReport.Skip(rule: rule, count: 0, examples: []), at: index)
        }
        return index
    }

    /// Records the result of an update for a URL.
    package mutating func noteChange(_ url: WebURL, _ change: CrawlReport.Change) {
        if report.changes == nil { noteComparison() }
        guard var found = report.changes?.removeValue(forKey: change) else { return }
        found.count += 1
        if found.urls.count < CrawlReport.changeLimit { found.urls.append(url) }
        report.changes?[change] = found
    }

    /// Records that the crawl is compared with an older package, even if neither has resources.
    package mutating func noteComparison() {
        guard report.changes == nil else { return }
        report.changes = Dictionary(
            uniqueKeysWithValues: CrawlReport.Change.allCases.map { ($0, CrawlReport.Changes()) }
        )
    }

    /// Records that everything in the older package is unchanged.
    package mutating func noteUnchanged(_ holdings: CrawlReport.Holdings) {
        noteComparison()
        report.fetched += holdings.resources
        report.redirects += holdings.redirects
        report.bytes += holdings.bytes
        let count = holdings.resources + holdings.redirects
        report.changes?[.unchanged] = CrawlReport.Changes(count: count, urls: holdings.urls)
    }

    private mutating func note(depth: Int) {
        let index = min(max(0, depth), CrawlReport.depthLimit - 1)
        while report.depths.count <= index { report.depths.append(0) }
        report.depths[index] += 1
    }
}
