internal import AFCURL

/// How URLs come from the queue into the window, and from there to their host's turn.
extension Frontier {
    /// Fills the windows.
    ///
    /// - Returns: Whether there was something to admit.
    mutating func admit() -> Bool {
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
            if role(of: item) != .requisite {
                self[ticket]?.isHeldPage = true
                pagesHeld += 1
            }
            if held[origin] == nil { originsToLearn.append((item, origin)) }
            held[origin, default: []].append(ticket)
        }
    }

    /// Notes what an origin's robots.txt says.
    mutating func learn(_ answer: RobotsAnswer, of origin: String, host: String) {
        robots[origin] = answer.rules
        noteDigest(answer.digest ?? Self.noDigest, of: origin)
        report.requests += answer.requests
        report.retries += answer.retries
        if let delay = answer.rules.delay { gate.setDelay(delay, for: host) }
        if let failure = answer.failure { report.noteFailure(failure) }
        let tickets = held.removeValue(forKey: origin) ?? []
        for ticket in tickets where self[ticket]?.isHeldPage == true { pagesHeld -= 1 }
        for ticket in tickets { apply(answer.rules, to: ticket) }
    }

    private mutating func noteDigest(_ digest: String, of origin: String) {
        // One that has changed since an interruption is as good as none.
        let digest = robotsDigests[origin].map { $0 == digest ? digest : Self.noDigest } ?? digest
        robotsDigests[origin] = digest
        changes.robots.append((origin, digest))
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
        if role(of: slot.item) != .requisite, pages + pagesAhead + pagesHeld >= options.limits.pages ?? .max {
            self[ticket]?.status = .deferred
        } else {
            queue(ticket)
        }
    }

    /// Decides on a page that was deferred and has come to the head, so that all before it is known.
    mutating func decide(on ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        if role(of: slot.item) != .requisite, pages >= options.limits.pages ?? .max {
            self[ticket]?.status = .refused(.maxPages)
        } else {
            queue(ticket)
        }
    }

    private mutating func queue(_ ticket: Ticket) {
        guard let slot = self[ticket] else { return }
        if role(of: slot.item) != .requisite {
            self[ticket]?.isCounted = true
            pagesAhead += 1
        }
        if let answer = early[slot.item.key] {
            lanes[ticket.lane].answer(ticket.number)
            if answer.role != .requisite { scouts.pages = max(0, scouts.pages - 1) }
        } else if scouts.isRunning(slot.item.key) {
            self[ticket]?.status = .scouted
        } else {
            self[ticket]?.status = .queued
            gate.enqueue(ticket.value, host: slot.item.url.host ?? "")
        }
    }
}
