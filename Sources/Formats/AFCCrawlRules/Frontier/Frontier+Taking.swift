internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import HTTPTypes

/// How answers are taken, in the order of the queue, and what they refer to is added to it.
extension Frontier {
    /// Takes what is at the heads of the windows, as far as it is there; links while few requisites wait.
    ///
    /// Were all requisites of a page taken before the next page, nothing of that would be known to ask for meanwhile.
    mutating func takeFinished() {
        while stop == nil {
            let lane = lanes[0].count >= Self.requisitesWaiting || lanes[1].count == 0 ? 0 : 1
            let ticket = Ticket(lane: lane, lanes[lane].window.first)
            guard let slot = self[ticket] else { return }
            switch slot.status {
            case .scouted where early.contains(slot.item.key):
                lanes[lane].answer(ticket.number)
                if early[slot.item.key]?.role != .requisite { scouts.pages = max(0, scouts.pages - 1) }
            case .held, .queued, .running, .scouted:
                guard isLate else { return }
                self[ticket]?.status = .refused(.maxTime)
            case .recalling: return
            case .deferred: decide(on: ticket)
            case .refused(let rule):
                _ = lanes[lane].popFirst()
                if slot.isCounted { pagesAhead -= 1 }
                refuse(slot.item, because: rule)
            case .done:
                guard let outcome = answer(slot)?.outcome else { return recall(ticket) }
                _ = lanes[lane].popFirst()
                if early.remove(slot.item.key) { changes.settled.append(slot.item.url) }
                if slot.isCounted { pagesAhead -= 1 }
                take(outcome, of: slot.item)
            }
        }
    }

    private mutating func take(_ outcome: FetchOutcome, of item: CrawlItem) {
        guard var entry = known[item.key] else { return }
        addSitemaps(of: item)
        if let limit = options.limits.bytes, report.bytes + outcome.size > limit {
            refuse(item, because: .maxBytes)
            return stop(because: .maxBytes)
        }
        if entry.role != .requisite {
            // It ran ahead of a page that has taken its room.
            guard pages < options.limits.pages ?? .max else { return refuse(item, because: .maxPages) }
            pages += 1
        }
        entry.state = .taken
        known[item.key] = entry
        if outcome.isKept, !outcome.isAsBefore { isAsBefore = false }
        var result = outcome.result(id: item.id)
        if case .redirect = result.content, item.redirects >= options.limits.redirects {
            result.content = .failure(.redirects(limit: options.limits.redirects))
        }
        if case .redirect(_, let target) = result.content, leads(target, backTo: item.key) {
            result.content = .failure(.redirectLoop(target.description))
        }
        changes.results.append(result)
        note(result, of: item, depth: entry.depth)
        plan(result, of: item, as: entry)
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        if case .redirect(_, let target) = result.content {
            var found = FoundURL(target, role: entry.role, destination: item.destination)
            found.isOptional = item.isOptional
            if entry.role == .seed, target.isNearby(item.url) { scope.extend(to: target) }
            add(found, depth: entry.depth, redirects: item.redirects + 1, chain: item.chain, referrer: referrer)
        }
        if outcome.asksForIcon, options.asksForIcons { addIcon(of: item, depth: entry.depth, referrer) }
        for found in outcome.references {
            let depth = found.role == .link ? entry.depth + 1 : entry.depth
            let chain = found.role == .requisite ? item.chain + 1 : 0
            add(found, depth: depth, redirects: 0, chain: chain, referrer: referrer)
        }
    }

    /// Adds the icon that browsers ask for by themselves where a page names none (HTML §4.6.7.8).
    private mutating func addIcon(of item: CrawlItem, depth: Int, _ referrer: CrawlReferrer) {
        do throws(WebURL.ParseError) {
            let url = try WebURL("/favicon.ico", base: item.url)
            guard known[URLKey(url)] == nil else { return }
            let found = FoundURL(url, role: .requisite, destination: .image, isOptional: true)
            add(found, depth: depth, redirects: 0, chain: item.chain + 1, referrer: referrer)
        } catch {
            // A URL without a host has no icon.
            return
        }
    }

    /// Adds the sitemaps that the robots.txt of the URL's origin names, before anything else of the origin.
    private mutating func addSitemaps(of item: CrawlItem) {
        let origin = item.url.origin
        guard options.usesSitemaps, mapped.insert(origin).inserted else { return }
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        for text in robots[origin]?.sitemaps ?? [] {
            do throws(WebURL.ParseError) {
                let found = FoundURL(try WebURL(text, base: item.url), role: .requisite, destination: .sitemap)
                add(found, depth: 0, redirects: 0, chain: 1, referrer: referrer)
            } catch {
                // What is no URL leads nowhere.
                continue
            }
        }
    }

    /// Tells the report of a result, also of one from before an interruption.
    mutating func note(_ result: CrawlResult, of item: CrawlItem, depth: Int) {
        report.requests += result.requests
        report.retries += max(0, result.requests - 1)
        let referrer = item.referrer?.url
        func failure(_ reason: FetchFailure) -> CrawlReport.Failure {
            CrawlReport.Failure(url: item.url, reason: reason, referrer: referrer, importance: importance(of: item))
        }
        switch result.content {
        case .resource(let record, _): noteFetched(record, result, depth: depth, referrer: referrer)
        case .kept(let record, _, let reason):
            noteFetched(record, result, depth: depth, referrer: referrer)
            report.noteFailure(failure(reason))
            hasUntold = true
        case .redirect(let record, let target):
            report.noteRedirect(item.url, status: record.status, to: target, referrer: referrer)
            if redirectTargets.count < Self.redirectLimit { redirectTargets[item.key] = URLKey(target) }
        case .failure(let reason) where failure(reason).isAbsentIcon:
            report.noteAbsentIcon(failure(reason))
            if options.updates != nil { missing.insert(item.key) }
        case .failure(let reason):
            report.noteFailure(failure(reason))
            if options.updates != nil { missing.insert(item.key) }
        case .planned: break
        case .leftOut(let rule):
            note(item.url, leftOutBy: rule)
            hasUntold = true
            if options.updates != nil { missing.insert(item.key) }
        }
        if result.needsScripts { report.noteNeedsScripts(item.url) }
        if !result.cuts.isEmpty {
            let limits = result.cuts.sorted().map(CrawlReport.Cut.Limit.init)
            report.noteCut(CrawlReport.Cut(url: item.url, limits: limits, referrer: referrer))
            hasUntold = true
        }
        if let change = result.change { report.noteChange(item.url, change) }
    }

    /// How much it matters that a URL could not be fetched.
    private func importance(of item: CrawlItem) -> CrawlReport.Importance {
        switch role(of: item) {
        case .seed: .seed
        case .link: .link
        case .requisite: item.isOptional || !scope.isOwn(item.url) ? .optional : .requisite
        }
    }

    /// Whether redirects that were recorded lead from a URL to another.
    private func leads(_ url: WebURL, backTo key: URLKey) -> Bool {
        var next: URLKey? = URLKey(url)
        for _ in 0...max(1, options.limits.redirects) {
            guard let target = next else { return false }
            if target == key { return true }
            next = redirectTargets[target]
        }
        return false
    }

    private mutating func noteFetched(_ record: ResourceRecord, _ result: CrawlResult, depth: Int, referrer: WebURL?) {
        report.noteFetched(
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

    /// Adds a URL that an answer refers to, unless it was asked for already or something forbids it.
    mutating func add(_ found: FoundURL, depth: Int, redirects: Int, chain: Int, referrer: CrawlReferrer?) {
        let item = CrawlItem(
            id: nextID,
            url: found.url,
            key: found.key,
            redirects: redirects,
            chain: chain,
            lane: found.role == .requisite ? 0 : 1,
            destination: found.destination,
            referrer: referrer,
            isOptional: found.isOptional
        )
        if let entry = known[found.key] {
            guard entry.state != .taken, (depth, found.role) < (entry.depth, entry.role) else { return }
            switch entry.state {
            case .taken: return
            case .waiting:
                guard entry.depth > self.depth, depth <= self.depth else {
                    known[found.key] = KnownURLs.Entry(id: entry.id, role: found.role, depth: depth, state: .waiting)
                    changes.improved.append((entry.id, found.role, depth))
                    return
                }
                // It waits among those of greater depth, and is wanted now.
                deeper -= 1
                changes.superseded.append(entry.id)
            case .refused(let rule):
                guard obstacle(to: found, depth: depth, chain: chain) == nil else { return }
                unnote(found.url, leftOutBy: rule)
                changes.superseded.append(entry.id)
            }
        }
        guard known.count < options.limits.urls else { return note(found.url, leftOutBy: .maxURLs) }
        nextID += 1
        let rule = obstacle(to: found, depth: depth, chain: chain) ?? traps.obstacle(to: found.url, as: found.role)
        changes.found.append(CrawlChanges.Row(item: item, role: found.role, depth: depth, rule: rule))
        if let rule {
            known[found.key] = KnownURLs.Entry(id: item.id, role: found.role, depth: depth, state: .refused(rule))
            note(found.url, leftOutBy: rule)
            planSkip(of: item, because: rule)
        } else {
            known[found.key] = KnownURLs.Entry(id: item.id, role: found.role, depth: depth, state: .waiting)
            if depth > self.depth {
                deeper += 1
                scouts.mayLoad = true
            } else {
                lanes[item.lane].append(item)
            }
        }
    }

    func obstacle(to found: FoundURL, depth: Int, chain: Int) -> SkipRule? {
        guard chain <= options.limits.requisiteChain else { return .requisiteChain }
        if let rule = scope.obstacle(to: found.url, as: found.role, depth: depth) { return rule }
        return found.isNofollow && options.obeysNofollow && found.role == .link ? .nofollow : nil
    }

    /// Tells what a dry run has found out of a URL.
    private mutating func plan(_ result: CrawlResult, of item: CrawlItem, as entry: KnownURLs.Entry) {
        guard options.isDryRun else { return }
        let referrer = item.referrer?.url
        switch result.content {
        case .failure(let reason), .kept(_, _, let reason):
            let importance = importance(of: item)
            let failure = CrawlReport.Failure(url: item.url, reason: reason, referrer: referrer, importance: importance)
            if !failure.isAbsentIcon { changes.plan.append(.failed(failure)) }
        case .leftOut(let rule): changes.plan.append(.skipped(item.url, rule, referrer: referrer))
        case .resource, .redirect, .planned:
            changes.plan.append(.planned(item.url, role: entry.role, depth: entry.depth, referrer: referrer))
        }
    }

    private mutating func planSkip(of item: CrawlItem, because rule: SkipRule) {
        guard options.isDryRun else { return }
        changes.plan.append(.skipped(item.url, rule, referrer: item.referrer?.url))
    }

    /// Notes that a URL which waited is not asked for.
    mutating func refuse(_ item: CrawlItem, because rule: SkipRule) {
        planSkip(of: item, because: rule)
        guard var entry = known[item.key] else { return }
        entry.state = .refused(rule)
        known[item.key] = entry
        changes.refused.append((item, rule))
        note(item.url, leftOutBy: rule)
    }

    mutating func note(_ url: WebURL, leftOutBy rule: SkipRule) {
        report.noteSkip(url, rule)
    }

    private mutating func unnote(_ url: WebURL, leftOutBy rule: SkipRule) {
        report.retractSkip(url, rule)
    }
}

extension WebURL {
    /// Whether somebody who has one URL's host has the other's, so that a redirect from there tells what is meant.
    func isNearby(_ other: WebURL) -> Bool {
        if host == other.host { return true }
        guard let domain = registrableDomain else { return false }
        return domain == other.registrableDomain
    }
}
