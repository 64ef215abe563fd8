internal import AFCURL

/// How an interrupted crawl comes back.
extension Frontier {
    /// Brings back one URL; they come in the order in which they were found.
    mutating func restore(_ past: CrawlState.Past) {
        let (item, role, depth) = (past.row.item, past.row.role, past.row.depth)
        nextID = max(nextID, item.id + 1)
        // The watch for traps counts what was shown to it, so it is shown the same again.
        if past.row.rule.map({ !$0.isFound }) ?? true { _ = traps.obstacle(to: item.url, as: role) }
        guard !past.isSuperseded else { return }
        if role == .seed, let referrer = item.referrer?.url, item.url.isNearby(referrer) { scope.extend(to: item.url) }
        let state: KnownURLs.State
        if let rule = past.row.rule {
            state = .refused(rule)
            note(item.url, leftOutBy: rule)
        } else if let result = past.result {
            state = .taken
            // What was compared before the interruption isn't compared again.
            isAsBefore = false
            mapped.insert(item.url.origin)
            if role != .requisite { pages += 1 }
            note(result, of: item, depth: depth)
        } else {
            state = .waiting
            restored[item.lane][depth, default: 0] += 1
        }
        known[item.key] = KnownURLs.Entry(id: item.id, role: role, depth: depth, state: state)
    }

    /// Brings back an answer that came before its turn.
    mutating func restore(_ past: CrawlState.Early) {
        switch known[past.key]?.state {
        case .taken, .refused: return
        case .waiting, nil:
            early.restore(past)
            if past.role != .requisite { scouts.pages += 1 }
        }
    }

    /// Ends bringing back.
    mutating func endRestoring() {
        if options.scope.depth != nil { depth = restored.flatMap(\.keys).min() ?? 0 }
        for lane in lanes.indices {
            for (depth, count) in restored[lane] {
                if depth <= self.depth { lanes[lane].stored += count } else { deeper += count }
            }
        }
        restored = [[:], [:]]
    }
}
