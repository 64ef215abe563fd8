package import AFCCaching
package import AFCDiscovery
package import AFCPackageFormat
package import AFCURL

/// The state of a crawl and the decision on its next step: a pure state machine, driven by ``Crawler``.
///
/// URLs wait in the order in which they were found, requisites, links and guesses apart. Answers are **taken** strictly in that
/// order, links only while few requisites wait, and guesses last. Taking an answer makes all decisions: which URLs are new, which are
/// skipped, and how many pages there are. The result therefore depends on what the origins answer, never on the order
/// of arrival.
///
/// Requests run ahead of that, in any order that the hosts allow: for URLs in a window behind the heads of the queues,
/// and, if a head is late and connections are idle, for references of early answers (``Scouts``). ``EarlyAnswers``
/// stores answers that arrive before their turn.
package struct Frontier {
    /// The next step of the driver.
    package enum Step {
        /// Request a URL, and pass the ticket and the outcome to ``finish(_:_:at:)``.
        case start(CrawlItem, role: CrawlScope.Role, Ticket, attempt: Int)
        /// Request an origin's robots.txt, and pass it to ``learn(_:of:host:)``.
        case learn(CrawlItem, origin: String)
        /// Read waiting URLs from the crawl's state, and pass them to ``load(_:for:)``.
        case load(Load)
        /// Read an answer's references again, from the state if the outcome is nil, and call ``recall(_:_:)``.
        case recall(CrawlItem, Ticket, FetchOutcome?)
        /// Read the answer of a taken URL as a page, and call ``reread(_:_:)``; until then, no other answer is taken.
        ///
        /// The item's number is that of the answer in the crawl's state.
        case reread(CrawlItem)
        /// Do nothing before this time, unless an answer arrives.
        case wait(until: Duration)
        /// Do nothing before an answer arrives.
        case busy
        /// The crawl is finished.
        case finished
    }

    /// The identity of a requested URL.
    package struct Ticket: Hashable, Sendable {
        /// A lane's index and a number in its window, or ``scouts`` and a scout's number.
        let value: Int

        init(lane: Int, _ number: Int) { value = number << 2 | lane }

        init(_ value: Int) { self.value = value }

        var lane: Int { value & 3 }
        var number: Int { value >> 2 }
        var isScout: Bool { lane == Self.scouts }

        /// The value in place of a lane's index for a URL without a turn.
        static let scouts = 3
    }

    /// A request for URLs in the crawl's state: those of a lane after a number, with certain depths.
    package struct Load: Sendable {
        package var lane: Int
        package var after: Int64
        package var depths: ClosedRange<Int>
        package var limit: Int
        /// True if the URLs are requested only ahead of their turn.
        package var isForScouts = false
    }

    /// The limits on what is kept in memory.
    struct Bounds: Sendable {
        /// The number of early answers.
        var answers = 2048
        /// The number of their references.
        var references = 400_000
        /// The number of early answers, in memory and state, from which no further URL is requested without a turn.
        var early = 65_536
        /// The number of answers at the head of a window whose references are kept in memory.
        var recalled = 64
        /// The total size of bodies to read again at once, in bytes; one body of any size is always allowed.
        var recalledBytes: Int64 = 64 << 20
    }

    private let options: CrawlOptions
    private let bounds: Bounds
    private var scope: CrawlScope
    private var traps: TrapWatch
    private var quota: CrawlQuota
    private var trials = GuessTrials()
    private var gate: HostGate
    private var known = KnownURLs()
    /// The lanes of requisites, of links and of guesses.
    private var lanes = [Lane(), Lane(), Lane()]
    /// The answers that arrived before their turn.
    private var early = EarlyAnswers()
    /// The early answers whose references haven't been offered to the scouts.
    private var unscouted: [(key: URLKey, depth: Int)] = []
    /// The URLs that are requested without a turn.
    private var scouts = Scouts()
    /// The answers whose references must be read again, and the sizes of bodies being read.
    private var toRecall: [Ticket] = []
    private var recalling: [Ticket: Int64] = [:]
    /// The taken URLs whose answers must be read again as pages.
    private var rereading: [CrawlItem] = []
    /// The numbers of those that are read again only because their depth has decreased.
    private var relaxed: Set<Int64> = []
    private var border: ShardBorder?
    private var robots = OriginRules()
    private var guesses: ScriptGuesses
    /// The import maps of pages, which give addresses to what modules in files import by names.
    private var modules = ModuleMaps()
    /// The guesses from scripts that were answered, and whether the site has them.
    private var guessed: [URLKey: Bool] = [:]
    /// The statuses of guesses that the site didn't have when the older package was made.
    private var absent: [URLKey: Int] = [:]
    /// The numbers of pages and scripts with texts that are unchanged since.
    private var unchanged: Set<Int64> = []
    private var ledger: CrawlLedger
    /// The pages that seeds are, or redirect to.
    private var startPages: Set<WebURL> = []

    /// The numbers of links with greater depth that wait in the crawl's state, by depth; of a whole crawl, all have the next one.
    private var deeperLinks: [Int: Int] = [:]
    /// The requisites that other shards found at a greater depth, which don't wait for it.
    private var unbound: Set<Int64> = []
    /// The depth being crawled if depth is limited; otherwise depths are not distinguished.
    private var depth: Int
    private var nextID: Int64 = 1
    /// The number of waiting URLs by lane and depth, while an interrupted crawl is restored.
    private var restored: [[Int: Int]] = [[:], [:], [:]]
    /// The reason for requesting nothing more, or nil.
    private var stop: SkipRule?
    /// True if the time is over: existing answers are taken, and everything else is skipped.
    private var isLate = false

    /// The largest number of origins whose robots.txt digest is recorded in the package.
    package static let originLimit = 256
    /// The lane of guesses, which are requested after everything else.
    package static let guesses = 2
    /// The number of waiting requisites at which no more links are taken.
    static let requisitesWaiting = 256

    /// Creates the frontier of a crawl that starts or is restored.
    package init(options: CrawlOptions) { self.init(options: options, bounds: Bounds()) }

    init(options: CrawlOptions, bounds: Bounds) {
        self.options = options
        self.bounds = bounds
        scope = CrawlScope(seeds: options.seeds, options: options.scope)
        traps = TrapWatch(options.traps)
        quota = CrawlQuota(options.limits)
        // While an answer is compressed and searched, its connection already serves the next request, so the client
        // queues a few more requests than there are connections.
        var politeness = options.politeness
        politeness.connectionsPerHost += politeness.connectionsPerHost / 4
        gate = HostGate(politeness)
        depth = options.scope.depth == nil ? .max : 0
        guesses = ScriptGuesses(seeds: options.seeds)
        border = options.shard.map { ShardBorder($0) }
        ledger = CrawlLedger(options)
    }

    /// Adds the seeds, of a shard only its own.
    package mutating func begin() {
        for seed in options.seeds where options.shard?.contains(seed) ?? true {
            let found = FoundURL(seed, role: .seed, destination: .document)
            add(found, depth: 0, redirects: 0, chain: 0, referrer: nil)
        }
    }

    /// Adds the URLs that other shards found; those that it has aren't added again.
    package mutating func addHanded() {
        for handed in options.handed {
            add(
                FoundURL(handed),
                depth: handed.depth,
                redirects: handed.redirects,
                chain: handed.chain,
                referrer: nil
            )
        }
    }

    /// The hosts that asked for a pause which isn't over, as text, for ``noteResumed(pauses:)``.
    package var pauses: String {
        gate.pauses.map { "\($0.host) \($0.rest.components.seconds + 1)" }.joined(separator: ",")
    }

    /// Lets each host wait as if it had been asked just before the crawl started, and the rest of a pause that it asked for.
    package mutating func noteResumed(pauses: String) {
        gate.isResumed = true
        for pause in pauses.split(separator: ",") {
            let parts = pause.split(separator: " ")
            guard parts.count == 2, let seconds = Int64(parts[1]), (0...3600).contains(seconds) else { continue }
            gate.restorePause(of: String(parts[0]), for: .seconds(seconds))
        }
    }

    /// The number of URLs that wait or are in progress.
    package var waiting: Int { lanes.reduce(deeper) { $0 + $1.count } }

    private var deeper: Int { deeperLinks.values.reduce(0, +) }

    /// True if only guesses wait.
    private var hasOnlyGuesses: Bool { lanes[0].count + lanes[1].count + deeper == 0 }

    /// The number of known URLs.
    package var knownCount: Int { known.count }

    /// The number of changes that aren't saved yet.
    package var changeCount: Int { ledger.changeCount + early.unwrittenCount }

    /// The number of resources and redirects, and the size of their bodies in bytes.
    package var progress: (resources: Int, bytes: Int64) {
        (ledger.report.fetched + ledger.report.redirects + early.kept, ledger.bytes + early.bytes)
    }

    /// The report so far.
    package var report: CrawlReport {
        var report = ledger.report
        report.early = early.kept
        report.guessesLeftOut = guesses.leftOut
        report.requests += early.requests
        return report
    }

    /// True if everything that was taken is unchanged since the older package.
    package var isUnchanged: Bool { ledger.isUnchanged }

    /// The host that everything waits for while no request is in progress, or nil.
    package var awaitedHost: String? { gate.awaitedHost }

    /// Returns the URL of a ticket, or nil if it is no longer known.
    package func item(of ticket: Ticket) -> CrawlItem? { self[ticket]?.item }

    /// What the crawl knows about URLs now.
    package var answers: KnownAnswers { KnownAnswers(known: known) }

    /// Adds what a browser found in pages whose answers have been taken.
    ///
    /// - Returns: True if a URL waits now.
    package mutating func add(_ rendered: [RenderedReferences]) -> Bool {
        guard stop == nil else { return false }
        for page in rendered {
            guard let entry = known[URLKey(page.page)], entry.state.isTaken else { continue }
            ledger.noteRendered(page)
            let referrer = CrawlReferrer(id: entry.id, url: page.page)
            for found in page.found {
                let depth = found.isFollowed ? entry.depth + 1 : entry.depth
                let chain = found.role.isRequisite ? 1 : 0
                add(found, depth: depth, redirects: 0, chain: chain, referrer: referrer)
            }
        }
        return waiting > 0 || !rereading.isEmpty
    }

    /// The rules for the page that the site sends for URLs that it doesn't have; nil if the crawl can't know it, because
    /// its scope or a limit leaves pages out.
    package var missingPageRules: MissingPageRules? {
        guard options.asksForMissingPage, !options.isDryRun, stop == nil, MissingPageRules.isWhole(options.scope),
            let rules = MissingPageRules(startPages: startPages), rules.probes.allSatisfy({ known[URLKey($0)] == nil }),
            report.cuts.isEmpty, !report.skipped.contains(where: { MissingPageRules.isCut(by: $0.rule) })
        else { return nil }
        // What failed for another reason may be a page.
        let isUnsure =
            report.unlistedFailures > 0
            || report.failures.contains { failure in
                guard rules.covers(failure.url) else { return false }
                if case .status(let status, _) = failure.reason {
                    return !(400...499).contains(status) || status == 429
                }
                return true
            }
        return isUnsure ? nil : rules
    }

    /// Returns the rules in the robots.txt of an origin, or nil if they aren't known.
    package func robotsRules(of origin: String) -> RobotsRules? { robots[origin] }

    /// Returns what the robots.txt of the URL's origin says about its use.
    package func usage(of url: WebURL) -> UsagePreferences { robots[url.origin]?.usage(of: url) ?? UsagePreferences() }

    /// Adds what the site's page for missing URLs needs, unless the crawl has it.
    ///
    /// Generators often write this page for another folder than that of the site, so that little of what it needs exists. If
    /// the crawl has less than half of it, two URLs are therefore added first, and the others once one of them exists.
    ///
    /// - Returns: True if a URL waits now; the same call then adds what is left.
    package mutating func addMissingPage(_ references: [FoundURL]) -> Bool {
        guard stop == nil, let page = startPages.min(), let entry = known[URLKey(page)] else { return false }
        let referrer = CrawlReferrer(id: entry.id, url: page)
        let needed = references.filter { $0.role == .requisite }
        let present = needed.count { guessed[$0.key] == nil && known[$0.key]?.state.isTaken == true }
        let isTried = needed.contains { guessed[$0.key] == true } || 2 * present >= needed.count
        let misses = needed.count { guessed[$0.key] == false }
        var rest = needed.filter { known[$0.key] == nil }
        if !isTried, let base = MissingPageRules(startPages: startPages)?.base {
            let isDisplaced = rest.contains { isKnown($0.url, below: base) }
            if isDisplaced { rest.removeAll { !$0.url.description.hasPrefix(base.description) } }
        }
        for var found in rest where isTried || waiting + misses < Self.missingPageTrials {
            found.role = .guess
            found.isOptional = true
            add(found, depth: entry.depth, redirects: 0, chain: 1, referrer: referrer)
        }
        return waiting > 0
    }

    /// Returns true for a URL outside a folder if the crawl knows the same path below the folder: what names it was written
    /// for the root of a host.
    private func isKnown(_ url: WebURL, below folder: WebURL) -> Bool {
        guard url.origin == folder.origin, !url.path.hasPrefix(folder.path),
            let twin = try? WebURL(String(url.path.dropFirst()), base: folder)
        else { return false }
        return known[URLKey(twin)] != nil
    }

    /// The number of URLs that the page for missing URLs needs and the site may lack, before the others are left out.
    private static let missingPageTrials = 2

    /// Records a change of the site's page for missing URLs, and requests that the crawl doesn't count otherwise.
    package mutating func noteMissingPage(_ url: WebURL?, _ change: CrawlReport.Change?, requests: Int) {
        ledger.noteRequests(requests)
        if let url, let change { ledger.noteChange(url, change) }
    }

    /// The patterns of what scripts load and the crawl didn't find: calls that couldn't be read, then names.
    ///
    /// A call that tells too little has none.
    package var scriptPatterns: [CallPattern?] {
        ledger.callPatterns + guesses.unfound.map { CallPattern(tail: $0.tail) }
    }

    /// Decides which pages probably lack something that their scripts load.
    ///
    /// - Parameter isAnswered: For each of ``scriptPatterns``, whether it fits the URL of a resource.
    package mutating func judgeScripts(_ isAnswered: [Bool]) {
        let names = isAnswered.suffix(guesses.unfound.count)
        let unfound = zip(guesses.unfound, names).filter { !$1 }.map(\.0)
        ledger.judgeScripts(isAnswered.dropLast(names.count), unfound: unfound)
    }

    /// Adds the URLs that the user named besides the seeds, unless the crawl knows them.
    ///
    /// - Returns: True if a URL waits now.
    package mutating func addNamed() -> Bool {
        guard stop == nil else { return false }
        for one in options.added {
            let role: CrawlScope.Role = one.isPage ? .link : .requisite
            var found = FoundURL(one.url, role: role, destination: one.isPage ? .document : .other)
            found.isAdded = true
            guard known[found.key] == nil else { continue }
            let depth = options.scope.depth == nil ? 0 : self.depth
            add(found, depth: depth, redirects: 0, chain: one.isPage ? 0 : 1, referrer: nil)
        }
        return waiting > 0
    }

    /// Records the URLs of an older package that the new one lacks.
    package mutating func compare(with urls: some Sequence<WebURL>) {
        ledger.compare(with: urls) { [known] in known[$0]?.state.isTaken ?? false }
    }

    /// Returns the requests of the crawl that have no resource in the package.
    ///
    /// - Parameter options: The digest of the options that determine which URLs are requested.
    /// - Returns: The provenance, or nil if it would be incomplete: the crawl was stopped, or a failure may be
    ///   temporary.
    package func provenance(options: String) -> CrawlProvenance? {
        stop == nil ? ledger.provenance(options: options, robots: robots.digests) : nil
    }

    /// Returns the next step.
    ///
    /// - Parameter now: The time since the start of the crawl.
    /// - Returns: The step to carry out.
    package mutating func next(at now: Duration) -> Step {
        // An admitted URL may already have its answer, which may lead to further URLs.
        repeat {
            if let item = rereading.first { return .reread(item) }
            takeFinished()
            if stop != nil { return .finished }
        } while admit() || !rereading.isEmpty || guess()
        if let recall = nextRecall() { return recall }
        if let (item, origin) = robots.popUnknown() { return .learn(item, origin: origin) }
        if deeper > 0, lanes[0].count + lanes[1].count == 0 { deepen() }
        for lane in lanes.indices {
            guard let limit = lanes[lane].wanted, lanes[lane].hasRoom else { continue }
            let after = lanes[lane].lastQueued
            let depths = lane == 1 ? 0...depth : 0...Int.max
            return .load(Load(lane: lane, after: after, depths: depths, limit: limit))
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
                apply(.start, to: ticket)
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

    /// Records the outcome of a request.
    package mutating func finish(_ ticket: Ticket, _ outcome: FetchOutcome, at now: Duration) {
        guard let slot = self[ticket] else { return }
        let host = slot.item.url.host ?? ""
        gate.finish(host: host, at: now, outcome.feedback)
        var outcome = outcome
        if case .again(let reason, let wait) = outcome.content {
            guard role(of: ticket, slot) == .guess else {
                self[ticket]?.attempts += outcome.requests
                apply(.enqueue, to: ticket)
                return gate.retry(ticket.value, host: host, notBefore: now + wait)
            }
            // A guess isn't worth a second request.
            outcome.content = .failure(reason)
        }
        removeKnown(from: &outcome, of: slot.item)
        if !outcome.isPersistent, early.references + outcome.references.count > 4 * bounds.references, !isAtHead(ticket)
        {
            // Memory has no room until earlier answers are taken, and this one can't be read again, so request it
            // later.
            apply(.enqueue, to: ticket)
            return gate.retry(ticket.value, host: host, notBefore: now + .seconds(1))
        }
        outcome.requests += slot.attempts
        keep(outcome, ticket, slot)
    }

    /// Adds URLs that were read from the crawl's state.
    package mutating func load(_ items: [CrawlItem], for load: Load) {
        guard load.isForScouts else { return lanes[load.lane].load(items) }
        scouts.lastLoaded = items.last?.id ?? scouts.lastLoaded
        scouts.mayLoad = items.count == load.limit
        for item in items { offer(item, depth: load.depths.lowerBound) }
    }

    /// Stops all requests; waiting URLs are skipped by the rule.
    private mutating func stop(because rule: SkipRule) {
        guard stop == nil else { return }
        stop = rule
        ledger.noteRestRefused(because: rule)
        for lane in lanes.indices {
            while let slot = lanes[lane].popFirst() { refuse(slot.item, because: rule) }
            while let item = lanes[lane].queue.popFirst() {
                if isCurrent(item) { refuse(item, because: rule) }
            }
            ledger.noteSkips(lanes[lane].stored, rule)
            lanes[lane].stored = 0
        }
        ledger.noteSkips(deeper, rule)
        deeperLinks = [:]
    }

    /// Stops all requests because the time is over: existing answers are taken, and other waiting URLs are skipped.
    package mutating func endInTime() {
        guard !isLate, stop == nil else { return }
        isLate = true
        if early.count == 0 { stop(because: .maxTime) }
    }

    /// Returns the changes since the last call.
    package mutating func takeChanges() -> CrawlChanges {
        var changes = ledger.takeChanges()
        changes.early = early.takeUnwritten()
        return changes
    }

    /// Records that all returned changes are saved.
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

    private mutating func apply(_ event: Lane.Event, to ticket: Ticket) {
        if ticket.isScout {
            scouts[ticket.number]?.apply(event)
        } else {
            lanes[ticket.lane].apply(event, to: ticket.number)
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
        if found.isPage, !entry.isPage, entry.state == .waiting || entry.state == .misplaced { return false }
        if found.isCertain, !entry.state.isTaken, trials.isConditional(found.key) { return false }
        if found.isListed, case .refused = entry.state { return false }
        return entry.state.isTaken || entry.role <= found.role
    }

    private mutating func deepen() {
        guard let next = deeperLinks.keys.min(), let count = deeperLinks.removeValue(forKey: next) else { return }
        depth = next
        lanes[1].stored = count
        lanes[1].lastQueued = 0
        scouts.forgetLoads()
    }
}

/// The way of URLs from the queue into the window, and from there to their host's gate.
extension Frontier {
    /// Fills the windows.
    ///
    /// - Returns: True if there was something to admit.
    private mutating func admit() -> Bool {
        var isAny = false
        for lane in lanes.indices where lane != Self.guesses || hasOnlyGuesses {
            while lanes[lane].hasRoom, let item = lanes[lane].queue.popFirst() {
                guard isCurrent(item) else { continue }
                admit(item, into: lane)
                isAny = true
            }
        }
        return isAny
    }

    /// Returns false for a guess that was found again as a link or requisite, and so waits in another lane.
    private func isCurrent(_ item: CrawlItem) -> Bool {
        item.lane != Self.guesses || known[item.key]?.id == item.id
    }

    private mutating func admit(_ item: CrawlItem, into lane: Int) {
        lanes[lane].lastAdmitted = item.id
        let number = lanes[lane].window.append(Lane.Slot(item: item))
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

    /// Records an origin's robots.txt.
    package mutating func learn(_ answer: RobotsAnswer, of origin: String, host: String) {
        let (digest, tickets) = robots.learn(answer, of: origin)
        ledger.noteRobots(answer, digest, of: origin)
        if let delay = answer.rules.delay { gate.setDelay(delay, for: host) }
        for ticket in tickets { release(ticket) }
        for ticket in tickets { apply(answer.rules, to: ticket) }
    }

    /// Records the robots.txt files that a validation has fetched.
    package mutating func learn(_ validation: Validation) {
        for (origin, answer) in validation.robots { learn(answer, of: origin.origin, host: origin.host ?? "") }
        ledger.noteRequests(validation.requests)
    }

    /// Records that everything in the older package is unchanged.
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
            apply(.refuse(rules.isUnavailable ? .robotsUnavailable : .robots), to: ticket)
        }
    }

    private mutating func enqueue(_ ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        let role = role(of: slot.item)
        if quota.allows(slot.item, as: role), trials.allows(slot.item, as: role) {
            queue(ticket)
        } else {
            apply(.postpone, to: ticket)
        }
    }

    /// Decides on a deferred URL at the head of its window, when all earlier answers are taken.
    private mutating func decide(on ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        let role = role(of: slot.item)
        if let rule = quota.obstacle(to: slot.item, as: role) ?? trials.obstacle(to: slot.item, as: role) {
            apply(.refuse(rule), to: ticket)
        } else {
            queue(ticket)
        }
    }

    /// Lets guesses wait no longer for their turn, once one of their kind exists.
    private mutating func enqueueDeferredGuesses() {
        for lane in [0, Self.guesses] {
            for ticket in lanes[lane].deferred.map({ Ticket(lane: lane, $0) }) { enqueue(ticket) }
        }
    }

    private mutating func queue(_ ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        claim(ticket)
        if let answer = early[slot.item.key] {
            apply(.answer, to: ticket)
            quota.endScout(answer.destination, as: answer.role)
        } else if scouts.isRunning(slot.item.key) {
            apply(.scout, to: ticket)
        } else {
            apply(.enqueue, to: ticket)
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

/// The processing of answers in the order of the queue, which adds their references to it.
extension Frontier {
    /// Takes the answers at the heads of the windows, if present; links only while few requisites wait, guesses last.
    ///
    /// If all requisites of a page were taken before the next page, requests couldn't run ahead to that page's
    /// references.
    private mutating func takeFinished() {
        while stop == nil, rereading.isEmpty {
            let lane =
                hasOnlyGuesses ? Self.guesses : lanes[0].count >= Self.requisitesWaiting || lanes[1].count == 0 ? 0 : 1
            let ticket = Ticket(lane: lane, lanes[lane].window.first)
            guard let slot = self[ticket] else { return }
            switch slot.status {
            case .scouted where early.contains(slot.item.key):
                apply(.answer, to: ticket)
                if let answer = early[slot.item.key] { quota.endScout(answer.destination, as: answer.role) }
            case .held, .queued, .running, .scouted:
                guard isLate else { return }
                apply(.refuse(.maxTime), to: ticket)
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
        // An origin that sends more than it turns out to be costs as much.
        let bytes = max(ledger.bytes + outcome.size, ledger.received + outcome.received)
        if let limit = options.limits.bytes, bytes > limit {
            refuse(item, because: .maxBytes)
            return stop(because: .maxBytes)
        }
        // The URL was requested before another one took its room.
        if let rule = quota.obstacle(to: item, as: entry.role) { return refuse(item, because: rule) }
        quota.take(item, as: entry.role)
        if entry.role == .guess {
            let isWrong = isPageInPlace(outcome, of: item)
            guessed[item.key] = outcome.isKept && !isWrong
            if !outcome.isKept || isWrong { guesses.noteMiss(item.url, id: item.id) }
            if isWrong {
                _ = trials.note(Self.absence, of: item, as: .guess)
                return refuse(item, because: .guessedPage)
            }
        }
        entry.state = Self.isMisplaced(outcome) && !entry.isPage ? .misplaced : .taken
        known[item.key] = entry
        noteTexts(of: outcome, item)
        var outcome = outcome
        outcome.loads = noteLoads(of: outcome, item)
        let imported = modules.note(outcome, of: item)
        let result = ledger.take(outcome, of: item, as: entry.role, depth: entry.depth, importance(of: item))
        if trials.note(result, of: item, as: entry.role) { enqueueDeferredGuesses() }
        noteStart(result, of: item, as: entry.role)
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        if case .redirect(_, let target) = result.content {
            var found = FoundURL(target, role: entry.role, destination: item.destination)
            found.isOptional = item.isOptional
            found.isPage = entry.isPage
            if entry.role == .seed, let rule = scope.obstacle(toTarget: target, of: item.url) {
                refuse(target: found, of: item, depth: entry.depth, because: rule)
            } else {
                if entry.role == .seed, target.isNearby(item.url) { scope.extend(to: target) }
                add(found, depth: entry.depth, redirects: item.redirects + 1, chain: item.chain, referrer: referrer)
            }
        }
        if outcome.asksForIcon, options.asksForIcons { addIcon(of: item, depth: entry.depth, referrer) }
        for found in outcome.references + imported {
            let depth = found.isFollowed ? entry.depth + 1 : entry.depth
            let chain = found.chain(after: item)
            add(found, depth: depth, redirects: 0, chain: chain, referrer: referrer)
        }
    }

    private mutating func noteStart(_ outcome: FetchOutcome, of item: CrawlItem, as role: CrawlScope.Role) {
        guard role == .seed else { return }
        switch outcome.content {
        case .resource, .kept: startPages.insert(item.url)
        case .redirect, .failure, .again, .notModified, .planned, .leftOut: break
        }
    }

    /// Records that the target of a seed's redirect isn't requested, unless the crawl has or will have it anyway.
    private mutating func refuse(target: FoundURL, of seed: CrawlItem, depth: Int, because rule: SkipRule) {
        if let entry = known[target.key] {
            guard case .refused(let earlier) = entry.state, entry.role != .seed else { return }
            ledger.retractSkip(target.url, earlier)
            ledger.noteSuperseded(entry.id)
        }
        let referrer = CrawlReferrer(id: seed.id, url: seed.url)
        let item = CrawlItem(target, id: nextID, redirects: seed.redirects + 1, chain: seed.chain, referrer: referrer)
        nextID += 1
        ledger.noteFound(CrawlChanges.Row(item: item, role: .seed, depth: depth, rule: rule))
        known[target.key] = KnownURLs.Entry(id: item.id, role: .seed, depth: depth, state: .refused(rule))
    }

    /// Returns true if an answer must be read again once something refers to its URL as a page.
    private static func isMisplaced(_ outcome: FetchOutcome) -> Bool {
        if case .redirect = outcome.content { true } else { outcome.isMisplaced }
    }

    /// Records that a URL was found as a page, if it was not before.
    ///
    /// - Returns: True if the URL's answer was taken and will be read again.
    private mutating func notePage(_ found: FoundURL, _ entry: KnownURLs.Entry, depth: Int) -> Bool {
        guard !entry.isPage else { return false }
        var entry = entry
        switch entry.state {
        case .waiting: ledger.notePage(entry.id, .wanted)
        case .misplaced:
            var item = CrawlItem(found, id: entry.id, redirects: 0, chain: 0, referrer: nil)
            item.destination = .document
            let role = found.destination.showsPages ? found.role : .link
            item.lane = role == .requisite ? 0 : 1
            guard quota.obstacle(to: item, as: role) == nil else { return false }
            quota.take(item, as: role)
            entry.role = min(entry.role, found.role)
            entry.depth = depth
            entry.state = .taken
            ledger.noteImproved(entry.id, entry.role, entry.depth)
            ledger.notePage(entry.id, .due)
            rereading.append(item)
        case .taken, .refused: return false
        }
        entry.isPage = true
        known[found.key] = entry
        return entry.state == .taken
    }

    /// Returns the depth of a URL as a page, or nil if nothing may follow it as one.
    ///
    /// A page may refer to one URL as an image and as a link; only the latter may be forbidden.
    private mutating func pageDepth(of found: FoundURL, depth: Int, chain: Int) -> Int? {
        guard found.isPage else { return nil }
        if found.destination.showsPages || !found.role.isRequisite {
            return isPermitted(found, depth: depth, chain: chain) ? depth : nil
        }
        var link = found
        link.role = .link
        return isPermitted(link, depth: depth + 1, chain: 0) ? depth + 1 : nil
    }

    /// Adds what a taken answer refers to as a page; nil means that it can't be read.
    package mutating func reread(_ item: CrawlItem, _ outcome: FetchOutcome?) {
        rereading.removeAll { $0.id == item.id }
        let isRelaxed = relaxed.remove(item.id) != nil
        guard let entry = known[item.key], let outcome else { return }
        if isRelaxed { ledger.notePage(item.id, .done) } else { ledger.noteReread(outcome, of: item) }
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        if case .redirect(_, let target) = outcome.content {
            let found = FoundURL(target, role: item.lane == 0 ? .requisite : .link, destination: .document)
            add(found, depth: entry.depth, redirects: 1, chain: item.chain, referrer: referrer)
        }
        if outcome.asksForIcon, options.asksForIcons { addIcon(of: item, depth: entry.depth, referrer) }
        for found in outcome.references {
            let depth = found.isFollowed ? entry.depth + 1 : entry.depth
            let chain = found.chain(after: item)
            add(found, depth: depth, redirects: 0, chain: chain, referrer: referrer)
        }
    }

    /// Adds the icon that browsers request by themselves for a page that names none (HTML §4.6.7.8).
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

    /// Adds the sitemaps in the robots.txt of the URL's origin, before any other URL of the origin.
    ///
    /// If it names none, the sitemap's usual place is a guess.
    private mutating func addSitemaps(of item: CrawlItem) {
        guard options.usesSitemaps, let named = robots.takeSitemaps(of: item.url.origin) else { return }
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        for text in named.isEmpty ? [Self.usualSitemap] : named {
            let role: CrawlScope.Role = named.isEmpty ? .guess : .requisite
            do throws(WebURL.ParseError) {
                let found = FoundURL(try WebURL(text, base: item.url), role: role, destination: .sitemap)
                add(found, depth: 0, redirects: 0, chain: 1, referrer: referrer)
            } catch {
                // Skip a sitemap that isn't a URL.
                continue
            }
        }
    }

    private static let usualSitemap = "/sitemap.xml"

    /// Returns the importance of a failure to fetch a URL.
    private func importance(of item: CrawlItem, as role: CrawlScope.Role? = nil) -> CrawlReport.Importance {
        if item.isAdded { return .guess }
        return switch role ?? self.role(of: item) {
        case .seed: .seed
        case .link: .link
        case .requisite where !scope.isOwn(item.url): .optional
        case .requisite where item.isConditional: trials.isConditional(item.key) ? .guess : .requisite
        case .requisite: item.isOptional ? .optional : .requisite
        case .guess: .guess
        }
    }

    /// Adds a reference of an answer, unless it has already been requested or is forbidden.
    private mutating func add(_ found: FoundURL, depth: Int, redirects: Int, chain: Int, referrer: CrawlReferrer?) {
        let pageDepth = pageDepth(of: found, depth: depth, chain: chain)
        var isPage = pageDepth != nil
        if let known = known[found.key] {
            if let pageDepth, notePage(found, known, depth: pageDepth) { return }
            if let pageDepth { relax(found, known, to: pageDepth) }
            isPage = isPage || known.isPage
        }
        var (found, depth) = (found, depth)
        if let entry = known[found.key] {
            let isNoGuess = entry.role == .guess && found.role != .guess
            let isNoTrap = found.isListed && entry.state == .refused(.tooManyAlike)
            let isNoTrial = noteCertain(found, entry) && entry.state == .refused(.unlikelyGuess)
            let isForeign = entry.state == .refused(.otherShard)
            if isForeign {
                let isDeeper = options.scope.depth == nil || depth >= entry.depth
                guard found.role < entry.role || isPage && !entry.isPage || !isDeeper else { return }
                (found.role, depth) = (min(found.role, entry.role), min(depth, entry.depth))
            }
            guard !entry.state.isTaken,
                isNoGuess || isNoTrap || isNoTrial || isForeign
                    || (depth, found.role) < (entry.depth, entry.role)
            else {
                return
            }
            switch entry.state {
            case .taken, .misplaced: return
            case .waiting where isNoGuess && entry.id > lanes[Self.guesses].lastAdmitted:
                // Nothing has been requested yet.
                ledger.noteSuperseded(entry.id)
                if entry.id > lanes[Self.guesses].lastQueued { lanes[Self.guesses].stored -= 1 }
            case .waiting where isNoGuess:
                guesses.note(found.url, id: entry.id)
                known[found.key] = KnownURLs.Entry(
                    id: entry.id,
                    role: found.role,
                    depth: entry.depth,
                    state: .waiting,
                    isPage: isPage
                )
                return ledger.noteImproved(entry.id, found.role, entry.depth)
            case .waiting:
                let isDeeper = entry.depth > self.depth && !unbound.contains(entry.id)
                guard isDeeper, depth <= self.depth else {
                    if isDeeper { moveLink(from: entry.depth, to: depth) }
                    known[found.key] = KnownURLs.Entry(
                        id: entry.id,
                        role: found.role,
                        depth: depth,
                        state: .waiting,
                        isPage: isPage
                    )
                    ledger.noteImproved(entry.id, found.role, depth)
                    return
                }
                // The URL waited among those of greater depth, and is needed now.
                moveLink(from: entry.depth, to: nil)
                ledger.noteSuperseded(entry.id)
            case .refused(let rule):
                guard isPermitted(found, depth: depth, chain: chain) else { return }
                ledger.retractSkip(found.url, rule)
                ledger.noteSuperseded(entry.id)
            }
        }
        guard known.count < options.limits.urls else { return ledger.noteSkip(found.url, .maxURLs) }
        let item = CrawlItem(found, id: nextID, redirects: redirects, chain: chain, referrer: referrer)
        nextID += 1
        var rule = obstacle(to: found, depth: depth, chain: chain)
        if rule == nil, !found.isListed { rule = traps.obstacle(to: item, as: found.role) }
        ledger.noteFound(
            CrawlChanges.Row(
                item: item,
                role: found.role,
                depth: depth,
                rule: rule,
                isListed: found.isListed,
                page: isPage ? .wanted : .none
            )
        )
        var entry = KnownURLs.Entry(id: item.id, role: found.role, depth: depth, state: .waiting, isPage: isPage)
        if let rule { entry.state = .refused(rule) }
        known[found.key] = entry
        if item.isConditional { trials.noteConditional(found.key) }
        if rule == nil {
            if found.role != .guess { guesses.note(found.url, id: item.id) }
            if depth > self.depth, item.lane == 1 {
                moveLink(from: nil, to: depth)
                scouts.mayLoad = true
            } else {
                if depth > self.depth { unbound.insert(item.id) }
                lanes[item.lane].append(item)
            }
        }
    }

    /// Counts a link that waits in the crawl's state at another depth; nil for none.
    private mutating func moveLink(from old: Int?, to new: Int?) {
        if let old, let count = deeperLinks[old] { deeperLinks[old] = count > 1 ? count - 1 : nil }
        if let new { deeperLinks[new, default: 0] += 1 }
    }

    /// Takes note that something needs a script or style sheet for certain that was found only as one that may never be loaded.
    private mutating func noteCertain(_ found: FoundURL, _ entry: KnownURLs.Entry) -> Bool {
        guard found.isCertain, !entry.state.isTaken, trials.noteCertain(found.key) else { return false }
        ledger.noteCertain(entry.id)
        return true
    }

    private mutating func obstacle(to found: FoundURL, depth: Int, chain: Int) -> SkipRule? {
        guard chain <= options.limits.requisiteChain else { return .requisiteChain }
        let role = found.isFollowed ? .link : found.role
        if let rule = scope.obstacle(to: found.url, as: role, depth: depth) { return rule }
        if found.isNofollow && options.obeysNofollow && role == .link { return .nofollow }
        return border?.contains(found.url) ?? true ? nil : .otherShard
    }

    /// Returns true if a URL is requested, by this shard or another one.
    private mutating func isPermitted(_ found: FoundURL, depth: Int, chain: Int) -> Bool {
        [nil, .otherShard].contains(obstacle(to: found, depth: depth, chain: chain))
    }

    /// Reads a page again whose depth turns out to be smaller, since its links may now be within the limit.
    ///
    /// Within one crawl, depths come in order; what other shards found comes later.
    private mutating func relax(_ found: FoundURL, _ entry: KnownURLs.Entry, to depth: Int) {
        guard options.shard != nil, options.scope.depth != nil, entry.state.isTaken, entry.isPage, depth < entry.depth
        else { return }
        var entry = entry
        entry.depth = depth
        known[found.key] = entry
        ledger.noteImproved(entry.id, entry.role, depth)
        guard relaxed.insert(entry.id).inserted else { return }
        ledger.notePage(entry.id, .relaxed)
        var item = CrawlItem(found, id: entry.id, redirects: 0, chain: 0, referrer: nil)
        item.destination = .document
        rereading.append(item)
    }

    /// Records that a waiting URL is skipped.
    private mutating func refuse(_ item: CrawlItem, because rule: SkipRule) {
        guard var entry = known[item.key] else { return }
        entry.state = .refused(rule)
        known[item.key] = entry
        ledger.noteRefused(item, because: rule)
    }
}

extension WebURL {
    /// Returns true if both hosts have the same owner, so that a redirect between them shows the intended site.
    package func isNearby(_ other: WebURL) -> Bool {
        if host == other.host { return true }
        guard let domain = registrableDomain else { return false }
        return domain == other.registrableDomain
    }
}

/// The guesses from what scripts name.
extension Frontier {
    /// Adds the next guesses if nothing else waits.
    ///
    /// - Returns: True if a URL waits now.
    private mutating func guess() -> Bool {
        guard waiting == 0, !isLate, stop == nil, options.usesRecipes else { return false }
        while true {
            let now = GuessRound(nextID: nextID, answers: ledger.report.fetched + ledger.report.redirects)
            let (chosen, rounds) = guesses.next(at: now) { [known, guessed] key, round, isAsked in
                guard let entry = known[key] else { return .new }
                if isAsked {
                    return guessed[key].map { .answered(exists: $0) } ?? (entry.state.isTaken ? .found : .forbidden)
                }
                guard entry.id < round.nextID else { return .new }
                if case .refused = entry.state { return .forbidden }
                return .found
            }
            guard !chosen.isEmpty else { return false }
            ledger.noteRounds(rounds)
            for guess in chosen {
                let found = FoundURL(guess.url, role: .guess, destination: guess.loads)
                if let status = absent[found.key], unchanged.contains(guess.referrer.id) {
                    let item = CrawlItem(found, id: 0, redirects: 0, chain: 1, referrer: guess.referrer)
                    let outcome = FetchOutcome(content: .failure(.status(status, reason: "")), requests: 0)
                    early.insert(outcome, of: item, as: .guess, isRead: true)
                }
                add(found, depth: 0, redirects: 0, chain: 1, referrer: guess.referrer)
            }
            if waiting > 0 { return true }
        }
    }

    /// Sets the guesses that the site didn't have when the older package was made; they aren't repeated for a page or script
    /// that is unchanged.
    package mutating func useAbsent(_ provenance: CrawlProvenance?) {
        for failure in provenance?.failed ?? [] where failure.importance == CrawlReport.Importance.guess.rawValue {
            absent[URLKey(failure.url)] = failure.status
        }
    }

    /// Passes on what the scripts of a taken answer name.
    private mutating func noteTexts(of outcome: FetchOutcome, _ item: CrawlItem) {
        guard options.usesRecipes else { return }
        let isScript = item.destination == .script || item.destination == .module
        // The target of a redirect is loaded by the page as well.
        if case .redirect = outcome.content, isScript { return guesses.add([], of: item, isPage: false, base: nil) }
        guard let type = outcome.mediaType else { return }
        let isPage = Self.pageTypes.contains(type)
        guard isPage || isScript || !outcome.scriptTexts.texts.isEmpty else { return }
        if !outcome.scriptTexts.texts.isEmpty, outcome.change == .unchanged { unchanged.insert(item.id) }
        guesses.add(outcome.scriptTexts.texts, of: item, isPage: isPage, base: outcome.base)
    }

    /// Passes on which scripts the page of a taken answer loads, also those that the crawl knew before.
    private mutating func noteLoads(of outcome: FetchOutcome, _ item: CrawlItem) -> [ScriptLoad] {
        guard isPage(outcome) else { return [] }
        let scripts = outcome.references.filter(Self.isLoad).map(\.url)
        return guesses.note(scripts, by: outcome.base ?? item.url, id: item.id)
    }

    /// Removes the references of an answer that waits for its turn and that won't change anything then.
    private func removeKnown(from outcome: inout FetchOutcome, of item: CrawlItem) {
        // With a depth limit, known references must stay, because their depth may decrease.
        guard options.scope.depth == nil else { return }
        let folder = isPage(outcome) ? ScriptGuesses.folder(of: outcome.base ?? item.url) : nil
        outcome.removeReferences { found in
            guard isKnown(found) else { return false }
            guard let folder, Self.isLoad(found) else { return true }
            return !guesses.mayCount(found.key, in: folder)
        }
    }

    /// Returns true for a page whose scripts count.
    private func isPage(_ outcome: FetchOutcome) -> Bool {
        options.usesRecipes && outcome.mediaType.map(Self.pageTypes.contains) ?? false
    }

    private static func isLoad(_ found: FoundURL) -> Bool {
        found.role == .requisite && (found.destination == .script || found.destination == .module)
    }

    private static let pageTypes: Set<String> = ["text/html", "application/xhtml+xml"]

    /// The answer in whose place a page was sent.
    private static let absence = FetchOutcome(content: .failure(.status(404, reason: "")), requests: 0)

    /// Returns true if a page answers the guess of a file that is none: the site sends it for every path.
    private func isPageInPlace(_ outcome: FetchOutcome, of item: CrawlItem) -> Bool {
        guard !item.destination.showsPages, item.destination != .sitemap else { return false }
        return outcome.mediaType == "text/html" || outcome.isMisplaced
    }
}

/// The early answers, which wait for their turn, and the scouts, which keep connections busy when an answer is late.
extension Frontier {
    // MARK: Waiting for a turn

    /// Stores an answer until its turn, which may have come already.
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
            apply(.answer, to: ticket)
            if !isRead, outcome.isUnread { recall(ticket) }
        }
    }

    /// Returns true if memory has no room for an answer's references; near the head of its lane there is more room.
    private func isFull(adding count: Int, _ ticket: Ticket) -> Bool {
        guard !isAtHead(ticket) else { return false }
        let isNear = !ticket.isScout && ticket.number < lanes[ticket.lane].window.first + bounds.recalled
        if isNear { return early.references + count > 2 * bounds.references }
        return early.held >= bounds.answers || early.references + count > bounds.references
    }

    /// Returns the answer of a URL whose turn has come, or nil if it must be read again first.
    private func answer(_ slot: Lane.Slot) -> EarlyAnswers.Answer? {
        guard let answer = early[slot.item.key], answer.outcome != nil, answer.isRead,
            isReadRight(answer, for: slot.item)
        else { return nil }
        return answer
    }

    /// Returns true if an answer was read with the right destination and role, now that these are final.
    private func isReadRight(_ answer: EarlyAnswers.Answer, for item: CrawlItem) -> Bool {
        // In a dry run, the role decides what is left out.
        if options.isDryRun, answer.role.isRequisite != role(of: item).isRequisite { return false }
        if answer.outcome?.isMisplaced ?? false, known[item.key]?.isPage ?? false { return false }
        guard let outcome = answer.outcome, answer.destination != item.destination else { return true }
        switch outcome.content {
        case .redirect, .failure: return true
        case .resource, .kept, .again, .leftOut, .notModified, .planned: return false
        }
    }

    /// Schedules an answer's references to be read again.
    private mutating func recall(_ ticket: Ticket) {
        guard let slot = self[ticket], slot.status == .done else { return }
        let key = slot.item.key
        if early[key]?.outcome?.isMisplaced ?? false, known[key]?.isPage ?? false {
            self[ticket]?.item.destination = .document
        }
        apply(.recall, to: ticket)
        toRecall.append(ticket)
    }

    /// Returns the next answer to read again, if there is room for its body.
    private mutating func nextRecall() -> Step? {
        for lane in lanes.indices {
            let end = min(lanes[lane].window.first + bounds.recalled, lanes[lane].window.end)
            var number = max(lanes[lane].recalledTo, lanes[lane].window.first)
            while number < end {
                let ticket = Ticket(lane: lane, number)
                if let slot = self[ticket], slot.status == .done, answer(slot) == nil { recall(ticket) }
                number += 1
            }
            lanes[lane].recalledTo = max(lanes[lane].recalledTo, end)
        }
        // Expired tickets need no recall.
        toRecall.removeFirst(toRecall.firstIndex { self[$0] != nil } ?? toRecall.count)
        guard let ticket = toRecall.first, let slot = self[ticket] else { return nil }
        let size = early.size(of: slot.item.key)
        guard recalling.isEmpty || recalling.values.reduce(size, +) <= bounds.recalledBytes else { return nil }
        toRecall.removeFirst()
        recalling[ticket] = size
        return .recall(slot.item, ticket, early[slot.item.key]?.outcome)
    }

    /// Records the references of an answer; nil means that it can't be read and is requested again.
    package mutating func recall(_ ticket: Ticket, _ outcome: FetchOutcome?) {
        recalling[ticket] = nil
        guard let slot = self[ticket] else { return }
        guard var outcome else {
            if early.remove(slot.item.key) { ledger.noteSettled(slot.item.url) }
            apply(.enqueue, to: ticket)
            return gate.enqueue(ticket.value, host: slot.item.url.host ?? "")
        }
        removeKnown(from: &outcome, of: slot.item)
        if !outcome.references.isEmpty { unscouted.append((slot.item.key, depth(of: slot.item))) }
        early.reread(slot.item.key, outcome, of: slot.item)
        apply(.answer, to: ticket)
    }

    // MARK: Without a turn

    /// Queues requests for URLs without a turn if connections are idle.
    ///
    /// - Returns: True if there are new requests.
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

    /// The URLs of greater depth that may be requested ahead of their turn, or nil.
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
        return options.limits.bytes.map { max(ledger.bytes + early.bytes, ledger.received) < $0 } ?? true
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

    /// Offers the references of an early answer to the scouts.
    private mutating func offer(_ references: [FoundURL], of item: CrawlItem, depth: Int) {
        let referrer = CrawlReferrer(id: item.id, url: item.url)
        for found in references {
            guard scouts.hasRoom else { return }
            let role = found.role
            guard role != .guess else { continue }
            let depth = role == .link ? depth + 1 : depth
            let chain = role == .requisite ? item.chain + 1 : 0
            // Whether the site has what may never be loaded is known only in the order of the queue.
            guard isNew(found.key), role != .requisite || !found.isConditional,
                obstacle(to: found, depth: depth, chain: chain) == nil
            else { continue }
            let item = CrawlItem(found, id: 0, redirects: 0, chain: chain, referrer: referrer)
            scouts.offer(Scouts.Candidate(item: item, role: role, depth: depth))
        }
    }

    /// Offers a URL that waits in the crawl's state to the scouts.
    private mutating func offer(_ item: CrawlItem, depth: Int) {
        guard isNew(item.key) else { return }
        scouts.offer(Scouts.Candidate(item: item, role: role(of: item), depth: depth))
    }

    /// Returns true if a URL has no answer and no turn soon.
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
        return known[candidate.item.key] != nil || traps.allows(candidate.item, as: candidate.role)
    }
}

/// The restoration of an interrupted crawl.
extension Frontier {
    /// Restores one URL; the caller passes them in the order in which they were found.
    package mutating func restore(_ past: PastURL) {
        let (item, role, depth) = (past.row.item, past.row.role, past.row.depth)
        nextID = max(nextID, item.id + 1)
        // The trap watch counts URLs, so it must see the same ones again.
        if past.row.rule.map({ !$0.isFound }) ?? true {
            if !past.row.isListed { _ = traps.obstacle(to: item, as: role) }
            if role != .guess { guesses.note(item.url, id: item.id) }
        }
        guard !past.isSuperseded else { return }
        if item.isConditional { trials.noteConditional(item.key) }
        if role == .seed, past.row.rule == nil, let referrer = item.referrer?.url, item.url.isNearby(referrer) {
            scope.extend(to: item.url)
        }
        let state: KnownURLs.State
        if let rule = past.row.rule {
            if rule == .guessedPage {
                guessed[item.key] = false
                guesses.noteMiss(item.url, id: item.id)
                _ = trials.note(Self.absence, of: item, as: .guess)
            }
            state = .refused(rule)
            ledger.noteRefusal(past.row, because: rule)
        } else if let outcome = past.outcome {
            state = Self.isMisplaced(outcome) && past.row.page == .none ? .misplaced : .taken
            if past.row.page == .due || past.row.page == .relaxed {
                if past.row.page == .relaxed { relaxed.insert(item.id) }
                var page = item
                page.destination = .document
                page.chain = 0
                rereading.append(page)
            }
            _ = robots.takeSitemaps(of: item.url.origin)
            if role == .guess {
                guessed[item.key] = outcome.isKept
                if !outcome.isKept { guesses.noteMiss(item.url, id: item.id) }
            }
            noteTexts(of: outcome, item)
            _ = modules.note(outcome, of: item)
            for load in outcome.loads { guesses.note(load, by: outcome.base ?? item.url, id: item.id) }
            quota.take(item, as: role)
            _ = trials.note(outcome, of: item, as: role)
            noteStart(outcome, of: item, as: role)
            ledger.restore(outcome, of: item, depth: depth, importance(of: item, as: role))
        } else {
            state = .waiting
            restored[item.lane][depth, default: 0] += 1
            if options.shard != nil, item.lane == 0 { unbound.insert(item.id) }
        }
        known[item.key] = KnownURLs.Entry(
            id: item.id,
            role: role,
            depth: depth,
            state: state,
            isPage: past.row.page != .none
        )
    }

    /// Restores an answer that arrived before its turn.
    package mutating func restore(_ past: PastAnswer) {
        switch known[past.key]?.state {
        case .taken, .misplaced, .refused: return
        case .waiting, nil:
            early.restore(past)
            quota.beginScout(past.destination, as: past.role)
        }
    }

    /// Ends the restoration.
    ///
    /// - Parameters:
    ///   - digests: The digests of the origins' robots.txt.
    ///   - rounds: The rounds of guesses that began.
    package mutating func endRestoring(robots digests: [String: String], rounds: [GuessRound] = []) {
        robots.digests = digests
        guesses.restore(rounds)
        if options.scope.depth != nil { depth = restored[..<Self.guesses].flatMap(\.keys).min() ?? 0 }
        for lane in lanes.indices {
            for (depth, count) in restored[lane] {
                if depth <= self.depth || lane != 1 {
                    lanes[lane].stored += count
                } else {
                    deeperLinks[depth, default: 0] += count
                }
            }
        }
        restored = [[:], [:], [:]]
    }
}
