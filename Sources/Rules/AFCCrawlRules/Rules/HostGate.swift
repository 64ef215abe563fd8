/// Decides which request starts next, so that no host gets too many requests at once, or too soon.
///
/// This is a pure value: time is a parameter, and the driver carries out the returned steps. Hosts take turns, and a
/// host's items start in the order of their arrival. The time of a step grows with the logarithm of the number of
/// waiting hosts. An idle host is forgotten, except for its Crawl-delay.
package struct HostGate: Sendable {
    /// An action for the driver.
    enum Step: Equatable, Sendable {
        /// Request the item.
        case start(Int)
        /// Do nothing before this time, or before a response arrives.
        case wait(until: Duration)
        /// Do nothing before a response arrives.
        case busy
        /// Nothing waits, and no request is in progress.
        case idle
    }

    /// A host's reaction to a request.
    package enum Feedback: Equatable, Sendable {
        /// The host responded.
        case fine
        /// The host signaled an overload: 429 or 503.
        case throttled(retryAfter: Duration?)
        /// The host didn't respond, or reported an error of its own.
        case failed
    }

    /// The number of waiting items.
    private(set) var waiting = 0
    /// The number of items in progress.
    private(set) var running = 0

    /// True if an earlier process may have sent each host a request just before the time zero.
    var isResumed = false

    /// The time of the last call.
    private var now: Duration = .zero
    private let politeness: Politeness
    private let window: Int
    private let total: Int
    private var slots: [String: Int] = [:]
    private var hosts: [Host?] = []
    private var freeSlots: [Int] = []
    private var delays: [String: Duration] = [:]
    private var ready = ItemQueue()
    private var due = DueQueue<Int>()
    private var later = DueQueue<(item: Int, slot: Int)>()
    private var cooling = DueQueue<Int>()

    /// Creates an empty gate.
    init(_ politeness: Politeness) {
        self.politeness = politeness
        window = max(1, politeness.connectionsPerHost)
        total = max(1, politeness.connections)
    }

    /// The number of remembered hosts, not counting those with only a Crawl-delay.
    var hostCount: Int { slots.count }

    /// Returns the number of requests that the host may get at once.
    func limit(of host: String) -> Int {
        slots[host].flatMap { hosts[$0]?.limit } ?? (delay(of: host) == nil ? window : 1)
    }

    /// Sets the Crawl-delay of a host: its requests then start one at a time, with this time between them.
    mutating func setDelay(_ delay: Duration, for host: String) {
        delays[host] = delay > .zero ? min(delay, politeness.longestCrawlDelay) : nil
        guard let slot = slots[host] else { return }
        let delay = self.delay(of: host)
        hosts[slot]?.setDelay(delay)
    }

    /// The hosts that asked for a pause which isn't over, with the rest of it, at the time of the last call; at most 1,000.
    var pauses: [(host: String, rest: Duration)] {
        let paused = hosts.lazy.compactMap { host in host.flatMap { $0.pausedUntil > now ? $0 : nil } }
        return paused.prefix(1000).map { ($0.name, $0.pausedUntil - now) }
    }

    /// Lets a host wait because it asked an earlier process for a pause.
    mutating func restorePause(of host: String, for time: Duration) {
        let slot = slot(of: host)
        hosts[slot]?.pause(for: min(time, politeness.longestRetryAfter), at: .zero)
        cool(slot, at: .zero)
    }

    /// Adds an item after all others of its host.
    mutating func enqueue(_ item: Int, host: String) {
        let slot = slot(of: host)
        hosts[slot]?.items.append(item)
        waiting += 1
        // Its turn, not this call, decides whether it may already start.
        queue(slot, at: nil)
    }

    /// Adds a retry, which comes before all other items of its host once the time has come.
    mutating func retry(_ item: Int, host: String, notBefore time: Duration) {
        let slot = slot(of: host)
        hosts[slot]?.later += 1
        later.insert((item, slot), at: time)
        waiting += 1
    }

    /// Returns the next step; call it again until the step is not a start.
    mutating func next(at now: Duration) -> Step {
        self.now = now
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
            guard hosts[slot]?.mayStart(at: now) == true, let item = hosts[slot]?.start(at: now) else {
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

    /// Records the end of an item's request and the host's reaction.
    mutating func finish(host: String, at now: Duration, _ feedback: Feedback) {
        guard let slot = slots[host], let before = hosts[slot]?.running, before > 0 else {
            preconditionFailure("no request to '\(host)' is under way")
        }
        running -= 1
        hosts[slot]?.running -= 1
        hosts[slot]?.note(feedback, at: now, politeness)
        queue(slot, at: now)
        cool(slot, at: now)
    }

    /// The host that everything waits for while no request is in progress, or nil.
    var awaitedHost: String? {
        guard running == 0 else { return nil }
        return (due.first ?? later.first?.slot).flatMap { hosts[$0]?.name }
    }

    // MARK: Hosts

    /// The time for which a slowed-down host is remembered after its last request.
    private static var memory: Duration { .seconds(600) }

    private func delay(of host: String) -> Duration? {
        guard let asked = delays[host] else { return politeness.delay }
        return max(asked, politeness.delay ?? .zero)
    }

    private mutating func slot(of host: String) -> Int {
        if let slot = slots[host] { return slot }
        var new = Host(name: host, window: window, delay: nil)
        if isResumed { new.noteEarlierStart() }
        new.setDelay(delay(of: host))
        let slot = freeSlots.popLast() ?? hosts.count
        if slot == hosts.count { hosts.append(new) } else { hosts[slot] = new }
        slots[host] = slot
        return slot
    }

    /// Queues a host according to its next request; without a time, among the hosts that are ready.
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

extension HostGate {
    /// The state of a host: its waiting items, its requests in progress, and its reactions so far.
    struct Host: Sendable {
        let name: String
        var items = ItemQueue()
        /// The number of items that wait for their own time.
        var later = 0
        var running = 0
        /// The earliest time of the next request.
        private(set) var notBefore: Duration = .zero
        /// The time between the starts of two requests, if only one may run at a time.
        private(set) var delay: Duration?
        /// True if the host is in the queue of ready hosts, or of those that wait for a time.
        var isQueued = false
        /// True if the host is in the queue of hosts to forget.
        var isCooling = false

        private var window: Int
        private var spacing: Duration = .zero
        private var pauses = 0
        fileprivate private(set) var pausedUntil: Duration = .zero
        private var successes = 0
        private var failures = 0
        private var lastStart: Duration?

        init(name: String, window: Int, delay: Duration?) {
            self.name = name
            self.window = window
            self.delay = delay
        }

        /// The number of requests allowed at once.
        var limit: Int { delay == nil ? window : 1 }
        var isIdle: Bool { running == 0 && later == 0 && items.isEmpty }

        func mayStart(at now: Duration) -> Bool { !items.isEmpty && running < limit && notBefore <= now }

        /// Returns true if the host gets fewer requests than one that never reported an overload.
        func isSlowed(window full: Int) -> Bool { window < full || spacing > .zero || pauses > 0 }

        /// Records that the last request may have started at the time zero.
        mutating func noteEarlierStart() { lastStart = .zero }

        mutating func setDelay(_ value: Duration?) {
            delay = value
            if let value, let lastStart { notBefore = max(notBefore, lastStart + value) }
        }

        mutating func start(at now: Duration) -> Int? {
            guard let item = items.popFirst() else { return nil }
            running += 1
            lastStart = now
            let wait = max(delay ?? .zero, spacing)
            if wait > .zero { notBefore = max(notBefore, now + wait) }
            return item
        }

        mutating func note(_ feedback: Feedback, at now: Duration, _ politeness: Politeness) {
            switch feedback {
            case .fine:
                failures = 0
                successes += 1
                if successes >= Self.successesToRecover { recover(to: max(1, politeness.connectionsPerHost)) }
            case .throttled(let retryAfter):
                slowDown(politeness, retryAfter: retryAfter, at: now)
            case .failed:
                successes = 0
                failures += 1
                guard failures >= Self.failuresToSlowDown, now >= pausedUntil else { return }
                failures = 0
                window = max(1, window / 2)
                pause(for: politeness.firstPause, at: now)
            }
        }

        private static var successesToRecover: Int { 16 }
        private static var failuresToSlowDown: Int { 3 }
        private static var leastSpacing: Duration { .milliseconds(100) }
        private static var mostSpacing: Duration { .seconds(2) }

        /// Halves the number of concurrent requests, or increases their spacing if there is only one.
        private mutating func slowDown(_ politeness: Politeness, retryAfter: Duration?, at now: Duration) {
            successes = 0
            failures = 0
            let asked = retryAfter.map { min($0, politeness.longestRetryAfter) }
            // Requests that were in progress when the pause began don't count again.
            guard now >= pausedUntil else {
                if let asked { pause(for: asked, at: now) }
                return
            }
            if window > 1 {
                window /= 2
            } else {
                spacing = min(max(spacing * 2, Self.leastSpacing), Self.mostSpacing)
            }
            let own = min(politeness.firstPause * (1 << min(pauses, 16)), politeness.longestPause)
            pauses += 1
            pause(for: asked.map { max($0, politeness.firstPause) } ?? own, at: now)
        }

        fileprivate mutating func pause(for time: Duration, at now: Duration) {
            pausedUntil = max(pausedUntil, now + time)
            notBefore = max(notBefore, pausedUntil)
        }

        private mutating func recover(to full: Int) {
            successes = 0
            pauses = max(0, pauses - 1)
            if spacing > .zero {
                spacing = spacing * 3 / 4
                if spacing < Self.leastSpacing { spacing = .zero }
            } else {
                window = min(window + 1, full)
            }
        }
    }
}

/// A queue of values by due time; values with the same time keep their order of insertion.
struct DueQueue<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var time: Duration
        var order: Int
        var value: Value

        func comes(before other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    // A binary heap.
    private var entries: [Entry] = []
    private var order = 0

    /// The due time of the first value, or nil if the queue is empty.
    var firstTime: Duration? { entries.first?.time }
    /// The first value, or nil if the queue is empty.
    var first: Value? { entries.first?.value }
    /// The number of values.
    var count: Int { entries.count }

    mutating func insert(_ value: Value, at time: Duration) {
        var index = entries.count
        entries.append(Entry(time: time, order: order, value: value))
        order += 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].comes(before: entries[parent]) else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    /// Removes and returns the first value that is due, or nil.
    mutating func pop(dueAt now: Duration) -> Value? {
        guard let first = entries.first, first.time <= now, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first.value }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].comes(before: entries[least]) {
                least = child
            }
            guard least != index else { return first.value }
            entries.swapAt(index, least)
            index = least
        }
    }
}

/// A queue of numbers with insertion at both ends and removal at the front, each in constant time.
struct ItemQueue: Sendable {
    // A ring whose size is a power of two.
    private var ring: [Int] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ item: Int) {
        growIfFull()
        ring[(head + count) & (ring.count - 1)] = item
        count += 1
    }

    mutating func prepend(_ item: Int) {
        growIfFull()
        head = (head - 1) & (ring.count - 1)
        ring[head] = item
        count += 1
    }

    mutating func popFirst() -> Int? {
        guard count > 0 else { return nil }
        let item = ring[head]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        if count == 0 { self = ItemQueue() }
        return item
    }

    private mutating func growIfFull() {
        guard count == ring.count else { return }
        var larger: [Int] = []
        larger.reserveCapacity(max(4, 2 * count))
        for offset in 0..<count { larger.append(ring[(head + offset) & (ring.count - 1)]) }
        larger.append(contentsOf: repeatElement(0, count: max(4, 2 * count) - count))
        ring = larger
        head = 0
    }
}
