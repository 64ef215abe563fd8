public import AFCURL

extension CrawlReport {
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
    public mutating func noteFetched(
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
        fetched += 1
        self.bytes += bytes
        self.received += received
        statuses.note(status)
        types.note(type.utf8.count > 127 ? "" : type, bytes: bytes)
        hosts.note(url.host ?? "", bytes: bytes)
        note(depth: depth)
        let mediaType = type.isEmpty || type.utf8.count > 127 ? nil : type
        largest.note(.init(url: url, measure: bytes, bytes: bytes, mediaType: mediaType, referrer: referrer))
        slowest.note(.init(url: url, measure: elapsed, bytes: bytes, mediaType: mediaType, referrer: referrer))
        redirection.noteEnd(url)
    }

    /// Notes a redirect.
    ///
    /// - Parameters:
    ///   - url: What was asked for.
    ///   - status: The answer's status.
    ///   - target: Where it leads.
    ///   - referrer: Where it was found, or nil for a seed.
    public mutating func noteRedirect(_ url: WebURL, status: Int, to target: WebURL, referrer: WebURL?) {
        redirects += 1
        statuses.note(status)
        redirection.note(url, status: status, to: target, referrer: referrer)
    }

    /// Notes a URL that was asked for in vain.
    public mutating func noteFailure(_ failure: Failure) {
        if case .status(let status, _) = failure.reason { statuses.note(status) }
        redirection.noteEnd(failure.url)
        failuresByImportance[failure.importance, default: 0] += 1
        let text = [failure.url.description, failure.reason.description, failure.referrer?.description ?? ""]
        let size = text.reduce(0) { $0 + $1.utf8.count }
        guard unlistedFailures == 0, failures.count < Self.failureLimit, failureBytes + size <= Self.failureByteLimit
        else {
            unlistedFailures += 1
            return
        }
        failureBytes += size
        failures.append(failure)
    }

    /// Notes that there is no icon that browsers ask for by themselves: no failure.
    mutating func noteAbsentIcon(_ icon: Failure) {
        if case .status(let status, _) = icon.reason { statuses.note(status) }
        redirection.noteEnd(icon.url)
        if absentIcons.count < Self.failureLimit { absentIcons.append(icon) }
    }

    /// Notes a page that seems to need scripts.
    mutating func noteNeedsScripts(_ url: WebURL) {
        needsScriptsCount += 1
        if needsScripts.count < Self.exampleLimit { needsScripts.append(url) }
    }

    /// Notes a resource that was not searched to its end.
    public mutating func noteCut(_ cut: Cut) {
        guard cuts.count < Self.cutLimit else {
            unlistedCuts += 1
            return
        }
        cuts.append(cut)
    }

    /// Notes a URL that is not asked for.
    public mutating func noteSkip(_ url: WebURL, _ rule: SkipRule) {
        redirection.noteEnd(url)
        let index = skip(for: rule)
        skipped[index].count += 1
        guard skipped[index].examples.count < Self.exampleLimit else { return }
        if url.description.utf8.count <= Self.urlByteLimit { skipped[index].examples.append(url) }
    }

    /// Notes URLs that are not asked for, and whose names don't matter.
    public mutating func noteSkips(_ count: Int, _ rule: SkipRule) {
        guard count > 0 else { return }
        skipped[skip(for: rule)].count += count
    }

    /// Takes back that a URL is not asked for, as it was found in another way.
    public mutating func retractSkip(_ url: WebURL, _ rule: SkipRule) {
        let index = skip(for: rule)
        skipped[index].count -= 1
        skipped[index].examples.removeAll { $0 == url }
        if skipped[index].count <= 0 { skipped.remove(at: index) }
    }

    private mutating func skip(for rule: SkipRule) -> Int {
        let index = skipped.firstIndex { $0.rule >= rule } ?? skipped.count
        if index == skipped.count || skipped[index].rule != rule {
            skipped.insert(Skip(rule: rule, count: 0, examples: []), at: index)
        }
        return index
    }

    /// Notes what an update found of a URL.
    public mutating func noteChange(_ url: WebURL, _ change: Change) {
        if changes == nil { noteComparison() }
        guard var found = changes?.removeValue(forKey: change) else { return }
        found.count += 1
        if found.urls.count < Self.changeLimit { found.urls.append(url) }
        changes?[change] = found
    }

    /// Notes that the crawl is compared with an older package, even where nothing is in either.
    public mutating func noteComparison() {
        guard changes == nil else { return }
        changes = Dictionary(uniqueKeysWithValues: Change.allCases.map { ($0, Changes()) })
    }

    private mutating func note(depth: Int) {
        let index = min(max(0, depth), Self.depthLimit - 1)
        while depths.count <= index { depths.append(0) }
        depths[index] += 1
    }
}
