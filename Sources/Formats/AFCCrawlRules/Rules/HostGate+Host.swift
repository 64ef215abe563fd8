extension HostGate {
    /// One host: what waits for it, what runs, and how it took what was asked so far.
    struct Host: Sendable {
        let name: String
        var items = ItemQueue()
        /// Items that wait for their own time.
        var later = 0
        var running = 0
        /// When the next request may start.
        private(set) var notBefore: Duration = .zero
        /// The time between two starts, where requests come one after the other.
        private(set) var delay: Duration?
        /// Whether it stands among those that are ready, or that wait for their time.
        var isQueued = false
        /// Whether it stands among those that may be forgotten.
        var isCooling = false

        private var window: Int
        private var spacing: Duration = .zero
        private var pauses = 0
        private var pausedUntil: Duration = .zero
        private var successes = 0
        private var failures = 0
        private var lastStart: Duration?
        private var paceDue: Duration?

        init(name: String, window: Int, delay: Duration?) {
            self.name = name
            self.window = window
            self.delay = delay
        }

        /// How many requests may be under way at once.
        var limit: Int { delay == nil ? window : 1 }
        var isIdle: Bool { running == 0 && later == 0 && items.isEmpty }

        func mayStart(at now: Duration) -> Bool { !items.isEmpty && running < limit && notBefore <= now }

        /// Whether it gets less than a host that never complained.
        func isSlowed(window full: Int) -> Bool { window < full || spacing > .zero || pauses > 0 }

        mutating func setDelay(_ value: Duration?) {
            delay = value
            if let value, let lastStart { notBefore = max(notBefore, lastStart + value) }
        }

        mutating func start(at now: Duration, pace: Duration?) -> Int? {
            guard let item = items.popFirst() else { return nil }
            running += 1
            lastStart = now
            let wait = max(delay ?? .zero, spacing)
            if wait > .zero { notBefore = max(notBefore, now + wait) }
            if let pace {
                // A start that came late by less than one step doesn't delay those after it.
                let due = paceDue.map { now - $0 < pace ? $0 + pace : now + pace } ?? now + pace
                paceDue = due
                notBefore = max(notBefore, due)
            }
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

        /// Half as many at once; where that is one already, further apart.
        private mutating func slowDown(_ politeness: Politeness, retryAfter: Duration?, at now: Duration) {
            successes = 0
            failures = 0
            let asked = retryAfter.map { min($0, politeness.longestRetryAfter) }
            // What was under way when the pause began says the same again.
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

        private mutating func pause(for time: Duration, at now: Duration) {
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
