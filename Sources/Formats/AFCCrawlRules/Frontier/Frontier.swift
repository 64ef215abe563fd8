internal import AFCURL

/// What a crawl knows and does next: a pure state machine, driven by ``Crawler``.
///
/// URLs wait in the order in which they were found, requisites apart from links. What they bring is **taken** strictly
/// in that order, links while few requisites wait, and only taking decides: which URLs are new, which are refused, how
/// many pages there are. So what is fetched depends on what the origins answer, never on which answer comes first.
///
/// Requests run ahead of that, in whatever order hosts allow: for what is in a window behind the heads, and, where a
/// head is late and connections are idle, for what early answers refer to (``Scouts``). ``EarlyAnswers`` keeps what
/// came before its turn.
struct Frontier {
    /// What to do next.
    enum Step {
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
    struct Ticket: Hashable, Sendable {
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
    struct Load: Sendable {
        var lane: Int
        var after: Int64
        var depths: ClosedRange<Int>
        var limit: Int
        /// Indicates whether they are only asked for ahead of their turn.
        var isForScouts = false
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

    let options: CrawlOptions
    let bounds: Bounds
    var scope: CrawlScope
    var traps: TrapWatch
    var gate: HostGate
    var known = KnownURLs()
    /// Requisites, and all others.
    var lanes = [Lane(), Lane()]
    /// Answers that came before their turn.
    var early = EarlyAnswers()
    /// Early answers that haven't been searched for URLs to request.
    var unscouted: [(key: URLKey, depth: Int)] = []
    /// The URLs that are requested without their turn.
    var scouts = Scouts()
    /// Answers whose references are to be read again, and the bytes of those that are being read.
    var toRecall: [Ticket] = []
    var recalling: [Ticket: Int64] = [:]
    var robots: [String: RobotsRules] = [:]
    /// The digest of each origin's robots.txt, ``noDigest`` where it isn't known.
    var robotsDigests: [String: String] = [:]
    /// The origins whose sitemaps were added.
    var mapped: Set<String> = []
    /// The URLs of the window whose origin's robots.txt is on its way.
    var held: [String: [Ticket]] = [:]
    var originsToLearn: [(CrawlItem, origin: String)] = []

    /// How many URLs of greater depth wait in the crawl's state.
    var deeper = 0
    /// The depth that is crawled now, where depth is limited; else no depth is told from another.
    var depth: Int
    var nextID: Int64 = 1

    /// How many URLs of which depth wait in which lane, while an interrupted crawl comes back.
    var restored: [[Int: Int]] = [[:], [:]]

    /// Where redirects that were taken lead.
    var redirectTargets: [URLKey: URLKey] = [:]
    /// Of how many that is known.
    static let redirectLimit = 1 << 20

    /// Pages that were taken.
    var pages = 0
    /// Pages in the window that are asked for.
    var pagesAhead = 0
    /// Pages in the window whose origin's robots.txt isn't known.
    var pagesHeld = 0
    /// Why no more is asked for, or nil.
    var stop: SkipRule?
    /// Indicates whether time is over: what is answered already is taken, and all else refused.
    var isLate = false
    var report = CrawlReport()
    /// URLs of the older package that were asked for in vain.
    var missing: Set<URLKey> = []
    /// Whether all that was taken is in the older package, too, just so.
    var isAsBefore = true
    /// Whether something was asked for of which neither the package nor its provenance tells.
    var hasUntold = false
    var changes = CrawlChanges()

    /// What stands for the digest of a robots.txt that could not be had.
    static let noDigest = ""
    /// How many requisites wait before no more links are taken.
    static let requisitesWaiting = 256

    /// Creates the frontier of a new crawl, or of one that is to be restored.
    init(options: CrawlOptions, bounds: Bounds = Bounds()) {
        self.options = options
        self.bounds = bounds
        scope = CrawlScope(seeds: options.seeds, options: options.scope)
        traps = TrapWatch(options.traps)
        // While an answer is deflated and read, the connection that brought it has the next request already: a few more
        // than there are connections wait in the client.
        var politeness = options.politeness
        politeness.connectionsPerHost += politeness.connectionsPerHost / 4
        gate = HostGate(politeness)
        depth = options.scope.depth == nil ? .max : 0
    }

    /// Starts with the seeds.
    mutating func begin() {
        for seed in options.seeds { add(FoundURL(seed, role: .seed), depth: 0, redirects: 0, chain: 0, referrer: nil) }
    }

    /// How many URLs wait or are under way.
    var waiting: Int { lanes[0].count + lanes[1].count + deeper }

    /// The number of changes that aren't in the crawl's state yet.
    var changeCount: Int { changes.count + early.unwrittenCount }

    /// Whether a URL was asked for, and its answer is in the package.
    func isInPackage(_ url: WebURL) -> Bool {
        let key = URLKey(url)
        return known[key]?.state == .taken && !missing.contains(key)
    }

    /// The next step.
    ///
    /// - Parameter now: The time since the crawl began.
    /// - Returns: What to do.
    mutating func next(at now: Duration) -> Step {
        // What is admitted may have its answer already, and that may lead to more.
        repeat {
            takeFinished()
            if stop != nil { return .finished }
        } while admit()
        if let recall = nextRecall() { return recall }
        if !originsToLearn.isEmpty {
            let (item, origin) = originsToLearn.removeFirst()
            return .learn(item, origin: origin)
        }
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
    mutating func finish(_ ticket: Ticket, _ outcome: FetchOutcome, at now: Duration) {
        guard let slot = self[ticket] else { return }
        let host = slot.item.url.host ?? ""
        gate.finish(host: host, at: now, outcome.feedback)
        if case .again(_, let wait) = outcome.content {
            self[ticket]?.attempts += outcome.requests
            self[ticket]?.status = .queued
            return gate.retry(ticket.value, host: host, notBefore: now + wait)
        }
        var outcome = outcome
        // In any depth but the one that is limited, what is known well enough stays so until this is taken.
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
    mutating func load(_ items: [CrawlItem], for load: Load) {
        guard load.isForScouts else { return lanes[load.lane].load(items) }
        scouts.lastLoaded = items.last?.id ?? scouts.lastLoaded
        scouts.mayLoad = items.count == load.limit
        for item in items { offer(item, depth: load.depths.lowerBound) }
    }

    /// Asks for nothing more; what waits counts as left out by the rule.
    mutating func stop(because rule: SkipRule) {
        guard stop == nil else { return }
        stop = rule
        changes.refusesRest = rule
        for lane in lanes.indices {
            while let slot = lanes[lane].popFirst() { refuse(slot.item, because: rule) }
            while let item = lanes[lane].queue.popFirst() { refuse(item, because: rule) }
            report.noteSkips(lanes[lane].stored, rule)
            lanes[lane].stored = 0
        }
        report.noteSkips(deeper, rule)
        deeper = 0
    }

    /// Asks for nothing more, as time is over: what is answered already is taken, and what waits else counts as left out.
    mutating func endInTime() {
        guard !isLate, stop == nil else { return }
        isLate = true
        if early.count == 0 { stop(because: .maxTime) }
    }

    /// What has changed since this was asked last.
    mutating func takeChanges() -> CrawlChanges {
        defer { changes = CrawlChanges() }
        changes.early = early.takeUnwritten()
        return changes
    }

    /// Notes that the crawl's state has all changes that were taken.
    mutating func noteWritten() { early.noteWritten() }

    func depth(of item: CrawlItem) -> Int { known[item.key]?.depth ?? 0 }

    func role(of item: CrawlItem) -> CrawlScope.Role { known[item.key]?.role ?? .link }

    subscript(ticket: Ticket) -> Lane.Slot? {
        get { ticket.isScout ? scouts[ticket.number] : lanes[ticket.lane].window[ticket.number] }
        set {
            if ticket.isScout {
                scouts[ticket.number] = newValue
            } else {
                lanes[ticket.lane].window[ticket.number] = newValue
            }
        }
    }

    func role(of ticket: Ticket, _ slot: Lane.Slot) -> CrawlScope.Role {
        ticket.isScout ? scouts.running[ticket.number]?.role ?? .link : role(of: slot.item)
    }

    func isAtHead(_ ticket: Ticket) -> Bool {
        !ticket.isScout && ticket.number == lanes[ticket.lane].window.first
    }

    func isKnown(_ found: FoundURL) -> Bool {
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
