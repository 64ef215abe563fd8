/// Decides which request starts next, so that no host gets more at once, or sooner, than it should.
///
/// A pure value: time is a parameter, and what it returns is to be done by the driver. Hosts take turns; the items of a
/// host start in the order they came. A step takes time that grows with the logarithm of the number of hosts that wait, and a
/// host that has nothing to do any more is forgotten, except how long its robots.txt asks to wait.
struct HostGate: Sendable {
    /// What to do.
    enum Step: Equatable, Sendable {
        /// Ask for the item.
        case start(Int)
        /// Nothing before this time, or before an answer comes.
        case wait(until: Duration)
        /// Nothing before an answer comes.
        case busy
        /// Nothing waits, and nothing is under way.
        case idle
    }

    /// How a host took a request.
    enum Feedback: Equatable, Sendable {
        /// It answered.
        case fine
        /// It said that it is asked too much: 429, 503.
        case throttled(retryAfter: Duration?)
        /// It gave no answer, or is at fault.
        case failed
    }

    /// How many items wait.
    private(set) var waiting = 0
    /// How many items are under way.
    private(set) var running = 0

    private let politeness: Politeness
    private let window: Int
    private let total: Int
    private let pace: Duration?
    private var slots: [String: Int] = [:]
    private var hosts: [Host?] = []
    private var freeSlots: [Int] = []
    private var delays: [String: Duration] = [:]
    private var ready = ItemQueue()
    private var due = DueQueue<Int>()
    private var later = DueQueue<(item: Int, slot: Int)>()
    private var cooling = DueQueue<Int>()

    /// Creates a gate at which nothing waits.
    init(_ politeness: Politeness) {
        self.politeness = politeness
        window = max(1, politeness.connectionsPerHost)
        total = max(1, politeness.connections)
        pace = politeness.pace
    }

    /// How many hosts something is remembered of, besides how long their robots.txt asks to wait.
    var hostCount: Int { slots.count }

    /// How many requests to the host may be under way at once.
    func limit(of host: String) -> Int {
        slots[host].flatMap { hosts[$0]?.limit } ?? (delay(of: host) == nil ? window : 1)
    }

    /// Notes the Crawl-delay of a host: its requests start one after the other, so far apart.
    mutating func setDelay(_ delay: Duration, for host: String) {
        delays[host] = delay > .zero ? min(delay, politeness.longestCrawlDelay) : nil
        guard let slot = slots[host] else { return }
        let delay = self.delay(of: host)
        hosts[slot]?.setDelay(delay)
    }

    /// Adds an item behind all others of its host.
    mutating func enqueue(_ item: Int, host: String) {
        let slot = slot(of: host)
        hosts[slot]?.items.append(item)
        waiting += 1
        // Whether it may start yet is looked at when its turn comes.
        queue(slot, at: nil)
    }

    /// Adds an item that is asked for again: before all others of its host, once its time has come.
    mutating func retry(_ item: Int, host: String, notBefore time: Duration) {
        let slot = slot(of: host)
        hosts[slot]?.later += 1
        later.insert((item, slot), at: time)
        waiting += 1
    }

    /// The next step; to be asked until it is no start.
    mutating func next(at now: Duration) -> Step {
        while let entry = later.pop(dueAt: now) {
            hosts[entry.slot]?.later -= 1
            hosts[entry.slot]?.items.prepend(entry.item)
            queue(entry.slot, at: now)
        }
        while let slot = due.pop(dueAt: now) {
            hosts[slot]?.isQueued = false
            queue(slot, at: now)
        }
        while let slot = cooling.pop(dueAt: now) {
            hosts[slot]?.isCooling = false
            forget(slot)
        }
        guard running < total else { return .busy }
        while let slot = ready.popFirst() {
            hosts[slot]?.isQueued = false
            guard hosts[slot]?.mayStart(at: now) == true, let item = hosts[slot]?.start(at: now, pace: pace) else {
                queue(slot, at: now)
                continue
            }
            running += 1
            waiting -= 1
            queue(slot, at: now)
            return .start(item)
        }
        let times = [due.firstTime, later.firstTime].compactMap { $0 }
        if let earliest = times.min() { return .wait(until: earliest) }
        return running > 0 ? .busy : .idle
    }

    /// Notes that an item of the host is done, and how the host took it.
    mutating func finish(host: String, at now: Duration, _ feedback: Feedback) {
        guard let slot = slots[host], let before = hosts[slot]?.running, before > 0 else {
            preconditionFailure("nothing of '\(host)' is under way")
        }
        running -= 1
        hosts[slot]?.running -= 1
        hosts[slot]?.note(feedback, at: now, politeness)
        queue(slot, at: now)
        cool(slot, at: now)
    }

    /// The host that is waited for where nothing is under way, or nil.
    var awaitedHost: String? {
        guard running == 0 else { return nil }
        return (due.first ?? later.first?.slot).flatMap { hosts[$0]?.name }
    }

    // MARK: Hosts

    /// How long a host that was slowed down is remembered after its last request.
    private static var memory: Duration { .seconds(600) }

    private func delay(of host: String) -> Duration? {
        guard let asked = delays[host] else { return politeness.delay }
        return max(asked, politeness.delay ?? .zero)
    }

    private mutating func slot(of host: String) -> Int {
        if let slot = slots[host] { return slot }
        let new = Host(name: host, window: window, delay: delay(of: host))
        let slot = freeSlots.popLast() ?? hosts.count
        if slot == hosts.count { hosts.append(new) } else { hosts[slot] = new }
        slots[host] = slot
        return slot
    }

    /// Puts a host where its next request makes it belong; without a time among those whose turn comes.
    private mutating func queue(_ slot: Int, at now: Duration?) {
        guard let host = hosts[slot], !host.isQueued, !host.items.isEmpty, host.running < host.limit else { return }
        hosts[slot]?.isQueued = true
        if let now, host.notBefore > now { due.insert(slot, at: host.notBefore) } else { ready.append(slot) }
    }

    private mutating func cool(_ slot: Int, at now: Duration) {
        guard let host = hosts[slot], host.isIdle, !host.isCooling else { return }
        let time = host.isSlowed(window: window) ? max(host.notBefore, now + Self.memory) : host.notBefore
        guard time > now else { return forget(slot) }
        hosts[slot]?.isCooling = true
        cooling.insert(slot, at: time)
    }

    private mutating func forget(_ slot: Int) {
        guard let host = hosts[slot], host.isIdle, !host.isQueued, !host.isCooling else { return }
        slots[host.name] = nil
        hosts[slot] = nil
        freeSlots.append(slot)
    }
}
