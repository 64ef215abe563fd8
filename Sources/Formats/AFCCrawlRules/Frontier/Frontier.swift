internal import AFCDiscovery
package import AFCPackageFormat
package import AFCURL

/// What a crawl knows and does next: a pure state machine, driven by ``Crawler``.
///
/// URLs wait in the order in which they were found, requisites apart from links. What they bring is **taken** strictly
/// in that order, links while few requisites wait, and only taking decides: which URLs are new, which are refused, how
/// many pages there are. So what is fetched depends on what the origins answer, never on which answer comes first.
///
/// Requests run ahead of that, in whatever order hosts allow: for what is in a window behind the heads, and, where a
/// head is late and connections are idle, for what early answers refer to (``Scouts``). ``EarlyAnswers`` keeps what
/// came before its turn.
package struct Frontier {
    /// What to do next.
    package enum Step {
        /// Ask for a URL, and tell ``finish(_:_:at:)`` the ticket with what came.
        case start(CrawlItem, role: CrawlScope.Role, Ticket, attempt: Int)
        /// Ask for an origin's robots.txt, and tell ``learn(_:of:host:)``.
        case learn(CrawlItem, origin: String)
        /// Read URLs that wait in the crawl's state, and tell ``load(_:for:)``.
        case load(Load)
        /// Read again what an answer refers to, nil where the crawl's state has it, and tell ``recall(_:_:)``.
        case recall(CrawlItem, Ticket, FetchOutcome?)
        /// Nothing before this time, unless an answer comes.
        case wait(until: Duration)
        /// Nothing before an answer comes.
        case busy
        /// Nothing any more.
        case finished
    }

    /// The requested URL that is meant.
    package struct Ticket: Hashable, Sendable {
        /// A lane's index and a number in its window; for a scout ``scouts`` and its number.
        let value: Int

        init(lane: Int, _ number: Int) { value = number << 2 | lane }

        init(_ value: Int) { self.value = value }

        var lane: Int { value & 3 }
        var number: Int { value >> 2 }
        var isScout: Bool { lane == Self.scouts }

        /// The value in the place of a lane's index for a URL without a turn.
        static let scouts = 2
    }

    /// URLs to read from the crawl's state: those of a lane after a number, of some depths.
    package struct Load: Sendable {
        package var lane: Int
        package var after: Int64
        package var depths: ClosedRange<Int>
        package var limit: Int
        /// Indicates whether they are only asked for ahead of their turn.
        package var isForScouts = false
    }

    /// The limits of what is kept in memory.
    struct Bounds: Sendable {
        /// The number of early answers.
        var answers = 2048
        /// The number of URLs that they refer to.
        var references = 400_000
        /// The number of early answers in memory and state from which on no further URL is requested without its turn.
        var early = 65_536
        /// The number of answers at the head of a window whose references are kept in memory.
        var recalled = 64
        /// The number of bytes of bodies that are read again at once, one body in any case.
        var recalledBytes: Int64 = 64 << 20
    }

    private let options: CrawlOptions
    private let bounds: Bounds
    private var scope: CrawlScope
    private var traps: TrapWatch
    private var quota: CrawlQuota
    private var gate: HostGate
    private var known = KnownURLs()
    /// Requisites, and all others.
    private var lanes = [Lane(), Lane()]
    /// Answers that came before their turn.
    private var early = EarlyAnswers()
    /// Early answers that haven't been searched for URLs to request.
    private var unscouted: [(key: URLKey, depth: Int)] = []
    /// The URLs that are requested without their turn.
    private var scouts = Scouts()
    /// Answers whose references are to be read again, and the bytes of those that are being read.
    private var toRecall: [Ticket] = []
    private var recalling: [Ticket: Int64] = [:]
    private var robots = OriginRules()
    private var ledger: CrawlLedger

    /// How many URLs of greater depth wait in the crawl's state.
    private var deeper = 0
    /// The depth that is crawled now, where depth is limited; else no depth is told from another.
    private var depth: Int
    private var nextID: Int64 = 1
    /// How many URLs of which depth wait in which lane, while an interrupted crawl comes back.
    private var restored: [[Int: Int]] = [[:], [:]]
    /// Why no more is asked for, or nil.
    private var stop: SkipRule?
    /// Indicates whether time is over: what is answered already is taken, and all else refused.
    private var isLate = false

    /// The number of origins of which a package says what their robots.txt was.
    package static let originLimit = 256
    /// How many requisites wait before no more links are taken.
    static let requisitesWaiting = 256

    /// Creates the frontier of a new crawl, or of one that is to be restored.
    package init(options: CrawlOptions) { self.init(options: options, bounds: Bounds()) }

    init(options: CrawlOptions, bounds: Bounds) {
        self.options = options
        self.bounds = bounds
        scope = CrawlScope(seeds: options.seeds, options: options.scope)
        traps = TrapWatch(options.traps)
        quota = CrawlQuota(options.limits)
        // While an answer is deflated and read, the connection that brought it has the next request already: a few more
        // than there are connections wait in the client.
        var politeness = options.politeness
        politeness.connectionsPerHost += politeness.connectionsPerHost / 4
        gate = HostGate(politeness)
        depth = options.scope.depth == nil ? .max : 0
        ledger = CrawlLedger(options)
    }

    /// Starts with the seeds.
    package mutating func begin() {
        for seed in options.seeds { add(FoundURL(seed, role: .seed), depth: 0, redirects: 0, chain: 0, referrer: nil) }
    }

    /// How many URLs wait or are under way.
    package var waiting: Int { lanes[0].count + lanes[1].count + deeper }

    /// How many URLs are known.
    package var knownCount: Int { known.count }

    /// The number of changes that aren't in the crawl's state yet.
    package var changeCount: Int { ledger.changeCount + early.unwrittenCount }

    /// The resources and redirects that there are, and the bytes of their bodies.
    package var progress: (resources: Int, bytes: Int64) {
        (ledger.report.fetched + ledger.report.redirects + early.kept, ledger.bytes + early.bytes)
    }

    /// What became of the crawl so far.
    package var report: CrawlReport {
        var report = ledger.report
        report.early = early.kept
        report.requests += early.requests
        return report
    }

    /// Whether all that was taken is in the older package, too, just so.
    package var isAsBefore: Bool { ledger.isAsBefore }

    /// The host that is waited for where nothing is under way, or nil.
    package var awaitedHost: String? { gate.awaitedHost }

    /// The URL that a ticket stands for, or nil where nothing is known of it any more.
    package func item(of ticket: Ticket) -> CrawlItem? { self[ticket]?.item }

    /// Notes which URLs of an older package the new one hasn't.
    package mutating func compare(with urls: some Sequence<WebURL>) {
        ledger.compare(with: urls) { [known] in known[$0]?.state == .taken }
    }

    /// What the crawl asked for besides what is in the package.
    ///
    /// - Parameter options: The digest of what decided which URLs are asked for.
    /// - Returns: nil where that isn't all: the crawl was stopped, or something failed that may be there the next time.
    package func provenance(options: String) -> CrawlProvenance? {
        stop == nil ? ledger.provenance(options: options, robots: robots.digests) : nil
    }

    /// The next step.
    ///
    /// - Parameter now: The time since the crawl began.
    /// - Returns: What to do.
    package mutating func next(at now: Duration) -> Step {
        // What is admitted may have its answer already, and that may lead to more.
        repeat {
            takeFinished()
            if stop != nil { return .finished }
        } while admit()
        if let recall = nextRecall() { return recall }
        if let (item, origin) = robots.popUnknown() { return .learn(item, origin: origin) }
        if deeper > 0, lanes[0].count + lanes[1].count == 0 { deepen() }
        for lane in lanes.indices {
            guard let limit = lanes[lane].wanted, lanes[lane].hasRoom else { continue }
            let after = lanes[lane].lastQueued
            return .load(Load(lane: lane, after: after, depths: 0...depth, limit: limit))
        }
        if isLate { return waiting == 0 ? .finished : .busy }
        return nextRequest(at: now)
    }

    private mutating func nextRequest(at now: Duration) -> Step {
        while true {
            let step = gate.next(at: now)
            if case .start(let value) = step {
                let ticket = Ticket(value)
                guard let slot = self[ticket] else { return .busy }
                self[ticket]?.status = .running
                return .start(slot.item, role: role(of: ticket, slot), ticket, attempt: slot.attempts + 1)
            }
            if scout() { continue }
            if let load = scoutLoad { return .load(load) }
            switch step {
            case .wait(let time): return .wait(until: time)
            case .start, .busy, .idle: return waiting == 0 ? .finished : .busy
            }
        }
    }

    /// Notes what a URL brought.
    package mutating func finish(_ ticket: Ticket, _ outcome: FetchOutcome, at now: Duration) {
        guard let slot = self[ticket] else { return }
        let host = slot.item.url.host ?? ""
        gate.finish(host: host, at: now, outcome.feedback)
        if case .again(_, let wait) = outcome.content {
            self[ticket]?.attempts += outcome.requests
            self[ticket]?.status = .queued
            return gate.retry(ticket.value, host: host, notBefore: now + wait)
        }
        var outcome = outcome
        // In any depth but the one that is limited, known answers stay until this one is taken.
        if options.scope.depth == nil { outcome.removeReferences { isKnown($0) } }
        if !outcome.isPersistent, early.references + outcome.references.count > 4 * bounds.references, !isAtHead(ticket)
        {
            // Memory has no room for it before what is at the head is taken, and it can't be read again.
            self[ticket]?.status = .queued
            return gate.retry(ticket.value, host: host, notBefore: now + .seconds(1))
        }
        outcome.requests += slot.attempts
        keep(outcome, ticket, slot)
    }

    /// Notes the URLs that were read from the crawl's state.
    package mutating func load(_ items: [CrawlItem], for load: Load) {
        guard load.isForScouts else { return lanes[load.lane].load(items) }
        scouts.lastLoaded = items.last?.id ?? scouts.lastLoaded
        scouts.mayLoad = items.count == load.limit
        for item in items { offer(item, depth: load.depths.lowerBound) }
    }

    /// Asks for nothing more; what waits counts as left out by the rule.
    private mutating func stop(because rule: SkipRule) {
        guard stop == nil else { return }
        stop = rule
        ledger.noteRestRefused(because: rule)
        for lane in lanes.indices {
            while let slot = lanes[lane].popFirst() { refuse(slot.item, because: rule) }
            while let item = lanes[lane].queue.popFirst() { refuse(item, because: rule) }
            ledger.noteSkips(lanes[lane].stored, rule)
            lanes[lane].stored = 0
        }
        ledger.noteSkips(deeper, rule)
        deeper = 0
    }

    /// Asks for nothing more, as time is over: what is answered already is taken, and what waits else counts as left out.
    package mutating func endInTime() {
        guard !isLate, stop == nil else { return }
        isLate = true
        if early.count == 0 { stop(because: .maxTime) }
    }

    /// What has changed since this was asked last.
    package mutating func takeChanges() -> CrawlChanges {
        var changes = ledger.takeChanges()
        changes.early = early.takeUnwritten()
        return changes
    }

    /// Notes that the crawl's state has all changes that were taken.
    package mutating func noteWritten() { early.noteWritten() }

    private func depth(of item: CrawlItem) -> Int { known[item.key]?.depth ?? 0 }

    private func role(of item: CrawlItem) -> CrawlScope.Role { known[item.key]?.role ?? .link }

    private subscript(ticket: Ticket) -> Lane.Slot? {
        get { ticket.isScout ? scouts[ticket.number] : lanes[ticket.lane].window[ticket.number] }
        set {
            if ticket.isScout {
                scouts[ticket.number] = newValue
            } else {
                lanes[ticket.lane].window[ticket.number] = newValue
            }
        }
    }

    private func role(of ticket: Ticket, _ slot: Lane.Slot) -> CrawlScope.Role {
        ticket.isScout ? scouts.running[ticket.number]?.role ?? .link : role(of: slot.item)
    }

    private func isAtHead(_ ticket: Ticket) -> Bool {
        !ticket.isScout && ticket.number == lanes[ticket.lane].window.first
    }

    private func isKnown(_ found: FoundURL) -> Bool {
        guard let entry = known[found.key] else { return false }
        return entry.state == .taken || entry.role <= found.role
    }

    private mutating func deepen() {
        depth += 1
        lanes[1].stored = deeper
        lanes[1].lastQueued = 0
        deeper = 0
        scouts.forgetLoads()
    }
}

/// How URLs come from the queue into the window, and from there to their host's turn.
extension Frontier {
    /// Fills the windows.
    ///
    /// - Returns: Whether there was something to admit.
    private mutating func admit() -> Bool {
        var isAny = false
        for lane in lanes.indices {
            while lanes[lane].hasRoom, let item = lanes[lane].queue.popFirst() {
                admit(item, into: lane)
                isAny = true
            }
        }
        return isAny
    }

    private mutating func admit(_ item: CrawlItem, into lane: Int) {
        let number = lanes[lane].window.append(Lane.Slot(item: item, status: .held))
        let ticket = Ticket(lane: lane, number)
        let origin = item.url.origin
        if isLate || options.ignoresRobots {
            enqueue(ticket)
        } else if let rules = robots[origin] {
            apply(rules, to: ticket)
        } else {
            claim(ticket)
            robots.hold(ticket, for: item)
        }
    }

    /// Notes what an origin's robots.txt says.
    package mutating func learn(_ answer: RobotsAnswer, of origin: String, host: String) {
        let (digest, tickets) = robots.learn(answer, of: origin)
        ledger.noteRobots(answer, digest, of: origin)
        if let delay = answer.rules.delay { gate.setDelay(delay, for: host) }
        for ticket in tickets { release(ticket) }
        for ticket in tickets { apply(answer.rules, to: ticket) }
    }

    /// Takes over what is known of robots.txt already.
    package mutating func learn(_ validation: Validation) {
        for (origin, answer) in validation.robots { learn(answer, of: origin.origin, host: origin.host ?? "") }
        ledger.noteRequests(validation.requests)
    }

    /// Notes that all is as the older package has it.
    package mutating func conclude(
        _ validation: Validation,
        _ provenance: CrawlProvenance,
        of holdings: CrawlReport.Holdings
    ) {
        ledger.conclude(validation, provenance, of: holdings)
    }

    private mutating func apply(_ rules: RobotsRules, to ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        if rules.isAllowed(slot.item.url) {
            enqueue(ticket)
        } else {
            self[ticket]?.status = .refused(rules.isUnavailable ? .robotsUnavailable : .robots)
        }
    }

    private mutating func enqueue(_ ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        if quota.allows(slot.item, as: role(of: slot.item)) {
            queue(ticket)
        } else {
            self[ticket]?.status = .deferred
        }
    }

    /// Decides on a URL that was deferred and has come to the head, so that all before it is known.
    private mutating func decide(on ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        if let rule = quota.obstacle(to: slot.item, as: role(of: slot.item)) {
            self[ticket]?.status = .refused(rule)
        } else {
            queue(ticket)
        }
    }

    private mutating func queue(_ ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        claim(ticket)
        if let answer = early[slot.item.key] {
            lanes[ticket.lane].answer(ticket.number)
            quota.endScout(answer.destination, as: answer.role)
        } else if scouts.isRunning(slot.item.key) {
            self[ticket]?.status = .scouted
        } else {
            self[ticket]?.status = .queued
            gate.enqueue(ticket.value, host: slot.item.url.host ?? "")
        }
    }

    private mutating func claim(_ ticket: Ticket) {
        guard let item = self[ticket]?.item else { return }
        let claim = quota.claim(item, as: role(of: item))
        self[ticket]?.claim = claim
    }

    private mutating func release(_ ticket: Ticket) {
        guard let claim = self[ticket]?.claim else { return }
        quota.release(claim)
        self[ticket]?.claim = []
    }
}

/// How answers are taken, in the order of the queue, and what they refer to is added to it.
extension Frontier {
    /// Takes what is at the heads of the windows, as far as it is there; links while few requisites wait.
    ///
    /// Were all requisites of a page taken before the next page, nothing of that would be known to ask for meanwhile.
    private mutating func takeFinished() {
        while stop == nil {
            let lane = lanes[0].count >= Self.requisitesWaiting || lanes[1].count == 0 ? 0 : 1
            let ticket = Ticket(lane: lane, lanes[lane].window.first)
            guard let slot = self[ticket] else { return }
            switch slot.status {
            case .scouted where early.contains(slot.item.key):
                lanes[lane].answer(ticket.number)
                if let answer = early[slot.item.key] { quota.endScout(answer.destination, as: answer.role) }
            case .held, .queued, .running, .scouted:
                guard isLate else { return }
                self[ticket]?.status = .refused(.maxTime)
            case .recalling: return
            case .deferred: decide(on: ticket)
            case .refused(let rule):
                _ = lanes[lane].popFirst()
                quota.release(slot.claim)
                refuse(slot.item, because: rule)
            case .done:
                guard let outcome = answer(slot)?.outcome else { return recall(ticket) }
                _ = lanes[lane].popFirst()
                if early.remove(slot.item.key) { ledger.noteSettled(slot.item.url) }
                quota.release(slot.claim)
                take(outcome, of: slot.item)
            }
        }
    }

    private mutating func take(_ outcome: FetchOutcome, of item: CrawlItem) {
        guard var entry = known[item.key] else { return }
        addSitemaps(of: item)
        if let limit = options.limits.bytes, ledger.bytes + outcome.size > limit {
            refuse(item, because: .maxBytes)
            return stop(because: .maxBytes)
        }
        // It ran ahead of one that has taken its room.
        if let rule = quota.obstacle(to: item, as: entry.role) { return refuse(item, because: rule) }
        quota.take(item, as: entry.role)
        entry.state = .taken
        known[item.key] = entry
        let result = ledger.take(outcome, of: item, as: entry.role, depth: entry.depth, importance(of: item))
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
        guard options.usesSitemaps else { return }
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        for text in robots.takeSitemaps(of: item.url.origin) {
            do throws(WebURL.ParseError) {
                let found = FoundURL(try WebURL(text, base: item.url), role: .requisite, destination: .sitemap)
                add(found, depth: 0, redirects: 0, chain: 1, referrer: referrer)
            } catch {
                // What is no URL leads nowhere.
                continue
            }
        }
    }

    /// How much it matters that a URL could not be fetched.
    private func importance(of item: CrawlItem, as role: CrawlScope.Role? = nil) -> CrawlReport.Importance {
        switch role ?? self.role(of: item) {
        case .seed: .seed
        case .link: .link
        case .requisite: item.isOptional || !scope.isOwn(item.url) ? .optional : .requisite
        }
    }

    /// Adds a URL that an answer refers to, unless it was asked for already or something forbids it.
    private mutating func add(_ found: FoundURL, depth: Int, redirects: Int, chain: Int, referrer: CrawlReferrer?) {
        let item = CrawlItem(found, id: nextID, redirects: redirects, chain: chain, referrer: referrer)
        if let entry = known[found.key] {
            guard entry.state != .taken, (depth, found.role) < (entry.depth, entry.role) else { return }
            switch entry.state {
            case .taken: return
            case .waiting:
                guard entry.depth > self.depth, depth <= self.depth else {
                    known[found.key] = KnownURLs.Entry(id: entry.id, role: found.role, depth: depth, state: .waiting)
                    ledger.noteImproved(entry.id, found.role, depth)
                    return
                }
                // It waits among those of greater depth, and is wanted now.
                deeper -= 1
                ledger.noteSuperseded(entry.id)
            case .refused(let rule):
                guard obstacle(to: found, depth: depth, chain: chain) == nil else { return }
                ledger.retractSkip(found.url, rule)
                ledger.noteSuperseded(entry.id)
            }
        }
        guard known.count < options.limits.urls else { return ledger.noteSkip(found.url, .maxURLs) }
        nextID += 1
        let rule = obstacle(to: found, depth: depth, chain: chain) ?? traps.obstacle(to: found.url, as: found.role)
        ledger.noteFound(CrawlChanges.Row(item: item, role: found.role, depth: depth, rule: rule))
        if let rule {
            known[found.key] = KnownURLs.Entry(id: item.id, role: found.role, depth: depth, state: .refused(rule))
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

    private func obstacle(to found: FoundURL, depth: Int, chain: Int) -> SkipRule? {
        guard chain <= options.limits.requisiteChain else { return .requisiteChain }
        if let rule = scope.obstacle(to: found.url, as: found.role, depth: depth) { return rule }
        return found.isNofollow && options.obeysNofollow && found.role == .link ? .nofollow : nil
    }

    /// Notes that a URL which waited is not asked for.
    private mutating func refuse(_ item: CrawlItem, because rule: SkipRule) {
        guard var entry = known[item.key] else { return }
        entry.state = .refused(rule)
        known[item.key] = entry
        ledger.noteRefused(item, because: rule)
    }
}

extension WebURL {
    /// Whether somebody who has one URL's host has the other's, so that a redirect from there tells what is meant.
    package func isNearby(_ other: WebURL) -> Bool {
        if host == other.host { return true }
        guard let domain = registrableDomain else { return false }
        return domain == other.registrableDomain
    }
}

/// How answers that come before their turn wait for it, and how no late answer keeps connections idle meanwhile.
extension Frontier {
    // MARK: Waiting for a turn

    /// Keeps an answer for its turn, which may have come.
    private mutating func keep(_ outcome: FetchOutcome, _ ticket: Ticket, _ slot: Lane.Slot) {
        var outcome = outcome
        let role = role(of: ticket, slot)
        let depth = ticket.isScout ? scouts.running[ticket.number]?.depth ?? 0 : depth(of: slot.item)
        let count = outcome.references.count
        var isRead = !outcome.isUnread
        if isRead, isFull(adding: count, ticket), outcome.isPersistent {
            offer(outcome.references, of: slot.item, depth: depth)
            outcome.removeReferences()
            isRead = count == 0 && !outcome.isKept
        } else if count > 0 {
            unscouted.append((slot.item.key, depth))
            if unscouted.count > 2 * bounds.answers { unscouted.removeAll { !early.contains($0.key) } }
        }
        early.insert(outcome, of: slot.item, as: role, isRead: isRead)
        early.forgetTaken()
        if ticket.isScout {
            _ = scouts.end(ticket.number)
        } else {
            lanes[ticket.lane].answer(ticket.number)
            if !isRead, outcome.isUnread { recall(ticket) }
        }
    }

    /// Whether memory has no room for what an answer refers to; near the head of its lane there is more.
    private func isFull(adding count: Int, _ ticket: Ticket) -> Bool {
        guard !isAtHead(ticket) else { return false }
        let isNear = !ticket.isScout && ticket.number < lanes[ticket.lane].window.first + bounds.recalled
        if isNear { return early.references + count > 2 * bounds.references }
        return early.held >= bounds.answers || early.references + count > bounds.references
    }

    /// The answer of a URL whose turn has come, or nil: it must be read again first.
    private func answer(_ slot: Lane.Slot) -> EarlyAnswers.Answer? {
        guard let answer = early[slot.item.key], answer.outcome != nil, answer.isRead,
            isReadRight(answer, for: slot.item)
        else { return nil }
        return answer
    }

    /// Whether an answer was read as what the URL is, now that it is known as what it was found.
    private func isReadRight(_ answer: EarlyAnswers.Answer, for item: CrawlItem) -> Bool {
        // What a dry run leaves out depends on the role.
        if options.isDryRun, (answer.role == .requisite) != (role(of: item) == .requisite) { return false }
        guard let outcome = answer.outcome, answer.destination != item.destination else { return true }
        switch outcome.content {
        case .redirect, .failure: return true
        case .resource, .kept, .again, .leftOut, .notModified, .planned: return false
        }
    }

    /// Has read again what an answer refers to.
    private mutating func recall(_ ticket: Ticket) {
        guard case .done? = self[ticket]?.status else { return }
        self[ticket]?.status = .recalling
        toRecall.append(ticket)
    }

    /// The next answer that is to be read again, while there is room for its body.
    private mutating func nextRecall() -> Step? {
        for lane in lanes.indices {
            let end = min(lanes[lane].window.first + bounds.recalled, lanes[lane].window.end)
            var number = max(lanes[lane].recalledTo, lanes[lane].window.first)
            while number < end {
                let ticket = Ticket(lane: lane, number)
                if let slot = self[ticket], case .done = slot.status, answer(slot) == nil { recall(ticket) }
                number += 1
            }
            lanes[lane].recalledTo = max(lanes[lane].recalledTo, end)
        }
        // Tickets whose turn has come meanwhile need no recall.
        toRecall.removeFirst(toRecall.firstIndex { self[$0] != nil } ?? toRecall.count)
        guard let ticket = toRecall.first, let slot = self[ticket] else { return nil }
        let size = early.size(of: slot.item.key)
        guard recalling.isEmpty || recalling.values.reduce(size, +) <= bounds.recalledBytes else { return nil }
        toRecall.removeFirst()
        recalling[ticket] = size
        return .recall(slot.item, ticket, early[slot.item.key]?.outcome)
    }

    /// Notes what an answer refers to, or nil: it can't be read, and is asked for again.
    package mutating func recall(_ ticket: Ticket, _ outcome: FetchOutcome?) {
        recalling[ticket] = nil
        guard let slot = self[ticket] else { return }
        guard var outcome else {
            if early.remove(slot.item.key) { ledger.noteSettled(slot.item.url) }
            lanes[ticket.lane].retract(ticket.number)
            return gate.enqueue(ticket.value, host: slot.item.url.host ?? "")
        }
        if options.scope.depth == nil { outcome.removeReferences { isKnown($0) } }
        if !outcome.references.isEmpty { unscouted.append((slot.item.key, depth(of: slot.item))) }
        early.reread(slot.item.key, outcome, of: slot.item)
        self[ticket]?.status = .done
    }

    // MARK: Without a turn

    /// Begins to ask for URLs whose turn isn't known, where connections are idle.
    ///
    /// - Returns: Whether there is something new to ask for.
    private mutating func scout() -> Bool {
        let limit = max(1, options.politeness.connections)
        guard gate.waiting < limit, scouts.running.count < limit else { return false }
        offerEarly()
        var isAny = false
        while scouts.running.count < limit, mayScout, let candidate = scouts.popFirst() {
            guard isWanted(candidate) else { continue }
            let number = scouts.start(candidate)
            quota.beginScout(candidate.item.destination, as: candidate.role)
            gate.enqueue(Ticket(lane: Ticket.scouts, number).value, host: candidate.item.url.host ?? "")
            isAny = true
        }
        return isAny
    }

    /// URLs of greater depth that may be asked for ahead of their turn, or nil.
    private var scoutLoad: Load? {
        let limit = max(1, options.politeness.connections)
        guard deeper > 0, scouts.mayLoad, scouts.isEmpty, mayScout, gate.waiting + gate.running < limit else {
            return nil
        }
        return Load(
            lane: 1,
            after: scouts.lastLoaded,
            depths: (depth + 1)...(depth + 1),
            limit: 1024,
            isForScouts: true
        )
    }

    private var mayScout: Bool {
        guard early.count + scouts.running.count < bounds.early, known.count + early.count < options.limits.urls else {
            return false
        }
        return options.limits.bytes.map { ledger.bytes + early.bytes < $0 } ?? true
    }

    private mutating func offerEarly() {
        guard scouts.hasRoom, !unscouted.isEmpty else { return }
        var done = 0
        while scouts.hasRoom, done < unscouted.count {
            let (key, depth) = unscouted[done]
            done += 1
            if let (outcome, item) = early.held(key) { offer(outcome.references, of: item, depth: depth) }
        }
        unscouted.removeFirst(done)
    }

    /// Takes note of what an early answer refers to.
    private mutating func offer(_ references: [FoundURL], of item: CrawlItem, depth: Int) {
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        for found in references {
            guard scouts.hasRoom else { return }
            let role = found.role
            let depth = role == .link ? depth + 1 : depth
            let chain = role == .requisite ? item.chain + 1 : 0
            guard isNew(found.key), obstacle(to: found, depth: depth, chain: chain) == nil else { continue }
            let item = CrawlItem(found, id: 0, redirects: 0, chain: chain, referrer: referrer)
            scouts.offer(Scouts.Candidate(item: item, role: role, depth: depth))
        }
    }

    /// Takes note of a URL that waits for its turn in the crawl's state.
    private mutating func offer(_ item: CrawlItem, depth: Int) {
        guard isNew(item.key) else { return }
        scouts.offer(Scouts.Candidate(item: item, role: role(of: item), depth: depth))
    }

    /// Whether a URL has neither an answer nor a turn in sight.
    private func isNew(_ key: URLKey) -> Bool {
        guard !early.contains(key), !scouts.isRunning(key) else { return false }
        guard let entry = known[key] else { return true }
        return entry.state == .waiting && entry.depth > depth
    }

    private func isWanted(_ candidate: Scouts.Candidate) -> Bool {
        let url = candidate.item.url
        guard isNew(candidate.item.key) else { return false }
        guard options.ignoresRobots || robots[url.origin]?.isAllowed(url) == true else { return false }
        guard quota.allowsScout(candidate.item, as: candidate.role) else { return false }
        return known[candidate.item.key] != nil || traps.allows(url, as: candidate.role)
    }
}

/// How an interrupted crawl comes back.
extension Frontier {
    /// Brings back one URL; they come in the order in which they were found.
    package mutating func restore(_ past: PastURL) {
        let (item, role, depth) = (past.row.item, past.row.role, past.row.depth)
        nextID = max(nextID, item.id + 1)
        // The watch for traps counts what was shown to it, so it is shown the same again.
        if past.row.rule.map({ !$0.isFound }) ?? true { _ = traps.obstacle(to: item.url, as: role) }
        guard !past.isSuperseded else { return }
        if role == .seed, let referrer = item.referrer?.url, item.url.isNearby(referrer) { scope.extend(to: item.url) }
        let state: KnownURLs.State
        if let rule = past.row.rule {
            state = .refused(rule)
            ledger.noteSkip(item.url, rule)
        } else if let outcome = past.outcome {
            state = .taken
            _ = robots.takeSitemaps(of: item.url.origin)
            quota.take(item, as: role)
            ledger.restore(outcome, of: item, depth: depth, importance(of: item, as: role))
        } else {
            state = .waiting
            restored[item.lane][depth, default: 0] += 1
        }
        known[item.key] = KnownURLs.Entry(id: item.id, role: role, depth: depth, state: state)
    }

    /// Brings back an answer that came before its turn.
    package mutating func restore(_ past: PastAnswer) {
        switch known[past.key]?.state {
        case .taken, .refused: return
        case .waiting, nil:
            early.restore(past)
            quota.beginScout(past.destination, as: past.role)
        }
    }

    /// Ends bringing back.
    ///
    /// - Parameter digests: Those of the origins' robots.txt.
    package mutating func endRestoring(robots digests: [String: String]) {
        robots.digests = digests
        if options.scope.depth != nil { depth = restored.flatMap(\.keys).min() ?? 0 }
        for lane in lanes.indices {
            for (depth, count) in restored[lane] {
                if depth <= self.depth { lanes[lane].stored += count } else { deeper += count }
            }
        }
        restored = [[:], [:]]
    }
}
