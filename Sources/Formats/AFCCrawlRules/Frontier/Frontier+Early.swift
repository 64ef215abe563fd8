internal import AFCURL

/// How answers that come before their turn wait for it, and how no late answer keeps connections idle meanwhile.
extension Frontier {
    // MARK: Waiting for a turn

    /// Keeps an answer for its turn, which may have come.
    mutating func keep(_ outcome: FetchOutcome, _ ticket: Ticket, _ slot: Lane.Slot) {
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
    func answer(_ slot: Lane.Slot) -> EarlyAnswers.Answer? {
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
    mutating func recall(_ ticket: Ticket) {
        guard case .done? = self[ticket]?.status else { return }
        self[ticket]?.status = .recalling
        toRecall.append(ticket)
    }

    /// The next answer that is to be read again, while there is room for its body.
    mutating func nextRecall() -> Step? {
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
    mutating func recall(_ ticket: Ticket, _ outcome: FetchOutcome?) {
        recalling[ticket] = nil
        guard let slot = self[ticket] else { return }
        guard var outcome else {
            if early.remove(slot.item.key) { changes.settled.append(slot.item.url) }
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
    mutating func scout() -> Bool {
        let limit = max(1, options.politeness.connections)
        guard gate.waiting < limit, scouts.running.count < limit else { return false }
        offerEarly()
        var isAny = false
        while scouts.running.count < limit, mayScout, let candidate = scouts.popFirst() {
            guard isWanted(candidate) else { continue }
            let number = scouts.start(candidate)
            gate.enqueue(Ticket(lane: Ticket.scouts, number).value, host: candidate.item.url.host ?? "")
            isAny = true
        }
        return isAny
    }

    /// URLs of greater depth that may be asked for ahead of their turn, or nil.
    var scoutLoad: Load? {
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
        return options.limits.bytes.map { report.bytes + early.bytes < $0 } ?? true
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
            let item = CrawlItem(
                id: 0,
                url: found.url,
                key: found.key,
                redirects: 0,
                chain: chain,
                lane: role == .requisite ? 0 : 1,
                destination: found.destination,
                referrer: referrer
            )
            scouts.offer(Scouts.Candidate(item: item, role: role, depth: depth))
        }
    }

    /// Takes note of a URL that waits for its turn in the crawl's state.
    mutating func offer(_ item: CrawlItem, depth: Int) {
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
        if candidate.role != .requisite, let limit = options.limits.pages,
            pages + pagesAhead + pagesHeld + scouts.pages >= limit
        {
            return false
        }
        return known[candidate.item.key] != nil || traps.allows(url, as: candidate.role)
    }
}
