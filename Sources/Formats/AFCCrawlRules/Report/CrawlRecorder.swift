package import AFCURL

/// Makes a report of what happens in a crawl.
///
/// The crawl notes what happens in the order in which it takes outcomes; then two crawls of the same site differ only in
/// what is measured.
package struct CrawlRecorder: Sendable {
    /// What became of the crawl so far.
    package private(set) var report: CrawlReport
    /// Icons that browsers ask for by themselves, and that aren't there.
    package private(set) var absentIcons: [CrawlReport.Failure] = []
    /// The text of all failures that are listed, in bytes.
    private var failureBytes = 0

    /// Begins with a report in which nothing is noted.
    package init(_ report: CrawlReport = CrawlReport()) { self.report = report }

    /// Notes requests that were sent, and how many of them asked again for what had failed.
    package mutating func noteRequests(_ count: Int, retries: Int = 0) {
        report.requests += count
        report.retries += retries
    }

    /// Notes a resource.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - status: The answer's status; 304 where the older package's body stands.
    ///   - mediaType: Its essence, or nil for none.
    ///   - bytes: The body without its content coding.
    ///   - received: The bytes that came for it.
    ///   - elapsed: From the last request to the body's end.
    ///   - depth: How many links lead there.
    ///   - referrer: Where it was found, or nil for a seed.
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
        let mediaType = type.isEmpty || type.utf8.count > 127 ? nil : type
        report.largest.note(.init(url: url, measure: bytes, bytes: bytes, mediaType: mediaType, referrer: referrer))
        report.slowest.note(.init(url: url, measure: elapsed, bytes: bytes, mediaType: mediaType, referrer: referrer))
        report.redirection.noteEnd(url)
    }

    /// Notes a redirect.
    ///
    /// - Parameters:
    ///   - url: What was asked for.
    ///   - status: The answer's status.
    ///   - target: Where it leads.
    ///   - referrer: Where it was found, or nil for a seed.
    package mutating func noteRedirect(_ url: WebURL, status: Int, to target: WebURL, referrer: WebURL?) {
        report.redirects += 1
        report.statuses.note(status)
        report.redirection.note(url, status: status, to: target, referrer: referrer)
    }

    /// Notes a URL whose request failed.
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

    /// Notes that there is no icon that browsers ask for by themselves: no failure.
    package mutating func noteAbsentIcon(_ icon: CrawlReport.Failure) {
        if case .status(let status, _) = icon.reason { report.statuses.note(status) }
        report.redirection.noteEnd(icon.url)
        if absentIcons.count < CrawlReport.failureLimit { absentIcons.append(icon) }
    }

    /// Notes a page that seems to need scripts.
    package mutating func noteNeedsScripts(_ url: WebURL) {
        report.needsScriptsCount += 1
        if report.needsScripts.count < CrawlReport.exampleLimit { report.needsScripts.append(url) }
    }

    /// Notes a resource that was not searched to its end.
    package mutating func noteCut(_ cut: CrawlReport.Cut) {
        guard report.cuts.count < CrawlReport.cutLimit else {
            report.unlistedCuts += 1
            return
        }
        report.cuts.append(cut)
    }

    /// Notes a URL that is not asked for.
    package mutating func noteSkip(_ url: WebURL, _ rule: SkipRule) {
        report.redirection.noteEnd(url)
        let index = skip(for: rule)
        report.skipped[index].count += 1
        guard report.skipped[index].examples.count < CrawlReport.exampleLimit else { return }
        if url.description.utf8.count <= CrawlReport.urlByteLimit { report.skipped[index].examples.append(url) }
    }

    /// Notes URLs that are not asked for, and whose names don't matter.
    package mutating func noteSkips(_ count: Int, _ rule: SkipRule) {
        guard count > 0 else { return }
        report.skipped[skip(for: rule)].count += count
    }

    /// Takes back that a URL is not asked for, as it was found in another way.
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

    /// Notes what an update found of a URL.
    package mutating func noteChange(_ url: WebURL, _ change: CrawlReport.Change) {
        if report.changes == nil { noteComparison() }
        guard var found = report.changes?.removeValue(forKey: change) else { return }
        found.count += 1
        if found.urls.count < CrawlReport.changeLimit { found.urls.append(url) }
        report.changes?[change] = found
    }

    /// Notes that the crawl is compared with an older package, even where nothing is in either.
    package mutating func noteComparison() {
        guard report.changes == nil else { return }
        report.changes = Dictionary(
            uniqueKeysWithValues: CrawlReport.Change.allCases.map { ($0, CrawlReport.Changes()) }
        )
    }

    /// Notes that everything in the older package is as it was.
    package mutating func noteStanding(_ holdings: CrawlReport.Holdings) {
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
