internal import URLStandard

/// What a crawl knows and does next: a pure state machine, driven by ``Crawler``.
///
/// URLs wait in the order in which they were found, requisites apart from links. Requests run ahead of the heads of both lanes
/// within a window, in whatever order hosts allow; what they bring is **taken** strictly in order, links while few requisites wait, and
/// only taking decides: which URLs are new, which are refused, how many pages there are. So what is fetched depends on what the
/// origins answer, never on which answer comes first.
struct Frontier {
    /// What to do next.
    enum Step {
        /// Ask for a URL, and tell ``finish(_:_:at:)`` the ticket with what came.
        case start(CrawlItem, role: CrawlScope.Role, Ticket, attempt: Int)
        /// Ask for an origin's robots.txt, and tell ``learn(_:of:host:)``.
        case learn(CrawlItem, origin: String)
        /// Read URLs that wait in the crawl's state, and tell ``load(_:for:)``.
        case load(Load)
        /// Nothing before this time, unless an answer comes.
        case wait(until: Duration)
        /// Nothing before an answer comes.
        case busy
        /// Nothing any more.
        case finished
    }

    /// Which URL of the windows is meant.
    struct Ticket: Hashable, Sendable {
        /// A lane's index and a number in its window.
        let value: Int

        init(lane: Int, _ number: Int) { value = number << 1 | lane }

        init(_ value: Int) { self.value = value }

        var lane: Int { value & 1 }
        var number: Int { value >> 1 }
    }

    /// URLs to read from the crawl's state: those of a lane after a number, of some depth at most.
    struct Load: Sendable {
        var lane: Int
        var after: Int64
        var depth: Int
        var limit: Int
    }

    let options: CrawlOptions
    var scope: CrawlScope
    var traps: TrapWatch
    var gate: HostGate
    var known = KnownURLs()
    /// Requisites, and all others.
    var lanes = [Lane(), Lane()]
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

    /// Pages that were taken.
    var pages = 0
    /// Pages in the window that are asked for.
    var pagesAhead = 0
    /// Pages in the window whose origin's robots.txt isn't known.
    var pagesHeld = 0
    /// References in the window that nobody has looked at yet.
    var referencesAhead = 0
    /// Why no more is asked for, or nil.
    var stop: SkipRule?
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
    private static let windowLimit = 2048
    /// How many requisites wait before no more links are taken.
    static let requisitesWaiting = 256
    private static let referenceLimit = 400_000

    /// Creates the frontier of a new crawl, or of one that is to be restored.
    init(options: CrawlOptions) {
        self.options = options
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
        takeFinished()
        if stop != nil { return .finished }
        admit()
        takeFinished()
        if stop != nil { return .finished }
        if !originsToLearn.isEmpty {
            let (item, origin) = originsToLearn.removeFirst()
            return .learn(item, origin: origin)
        }
        if deeper > 0, lanes[0].count + lanes[1].count == 0 { deepen() }
        for lane in lanes.indices {
            guard let limit = lanes[lane].wanted, lanes[lane].window.count < Self.windowLimit / 2 else { continue }
            return .load(Load(lane: lane, after: lanes[lane].lastQueued, depth: depth, limit: limit))
        }
        switch gate.next(at: now) {
        case .start(let value):
            let ticket = Ticket(value)
            guard let slot = self[ticket] else { return .busy }
            self[ticket]?.status = .running
            return .start(slot.item, role: role(of: slot.item), ticket, attempt: slot.attempts + 1)
        case .wait(let time): return .wait(until: time)
        case .busy, .idle: return waiting == 0 ? .finished : .busy
        }
    }

    /// Whether one more URL may come into a lane's window.
    func hasRoom(_ lane: Int) -> Bool {
        lanes[lane].window.count < Self.windowLimit && referencesAhead < Self.referenceLimit
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
        let count = outcome.references.count
        if referencesAhead + count > 4 * Self.referenceLimit, ticket.number > lanes[ticket.lane].window.first {
            // Memory has no room for it before what is at the head is taken.
            self[ticket]?.status = .queued
            return gate.retry(ticket.value, host: host, notBefore: now + .seconds(1))
        }
        outcome.requests += slot.attempts
        referencesAhead += count
        self[ticket]?.status = .done(outcome)
    }

    /// Notes the URLs that were read from the crawl's state.
    mutating func load(_ items: [CrawlItem], for load: Load) { lanes[load.lane].load(items) }

    /// Asks for nothing more; what waits counts as left out by the rule.
    mutating func stop(because rule: SkipRule) {
        guard stop == nil else { return }
        stop = rule
        changes.refusesRest = rule
        for lane in lanes.indices {
            while let slot = lanes[lane].window.popFirst() { refuse(slot.item, because: rule) }
            while let item = lanes[lane].queue.popFirst() { refuse(item, because: rule) }
            report.noteSkips(lanes[lane].stored, rule)
            lanes[lane].stored = 0
        }
        report.noteSkips(deeper, rule)
        deeper = 0
    }

    /// What has changed since this was asked last.
    mutating func takeChanges() -> CrawlChanges {
        defer { changes = CrawlChanges() }
        return changes
    }

    func depth(of item: CrawlItem) -> Int { known[item.key]?.depth ?? 0 }

    func role(of item: CrawlItem) -> CrawlScope.Role { known[item.key]?.role ?? .link }

    subscript(ticket: Ticket) -> Lane.Slot? {
        get { lanes[ticket.lane].window[ticket.number] }
        set { lanes[ticket.lane].window[ticket.number] = newValue }
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
    }
}
