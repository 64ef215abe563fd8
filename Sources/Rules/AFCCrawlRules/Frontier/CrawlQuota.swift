internal import AFCDiscovery

extension CrawlLimits {
    /// A kind of URLs that a limit can apply to; its name is part of the crawl's fingerprint.
    public enum Kind: String, CaseIterable, Sendable {
        /// Seeds, links and guesses of pages; requisites don't count.
        case pages

        /// The rule that skips URLs beyond the limit, and the condition for URLs to count.
        fileprivate var row: (rule: SkipRule, counts: (CrawlScope.Role, Destination) -> Bool) {
            switch self {
            case .pages: (.maxPages, { role, loads in !role.isRequisite || role == .guess && loads.showsPages })
            }
        }
    }
}

/// Counts the URLs of each limited kind, so that the crawl doesn't request more than it takes.
///
/// The target of a redirect has the room of the URL that led to it, so that a page counts once, however it is reached.
///
/// A URL claims room when it enters a window, but only taking it, in the crawl's order, is decisive. The same URLs are
/// therefore taken, however far requests run ahead.
struct CrawlQuota: Sendable {
    /// The limits that a URL counts toward.
    struct Claim: OptionSet {
        let rawValue: UInt32
    }

    private struct Count {
        let kind: CrawlLimits.Kind
        let limit: Int
        /// The number of URLs that were taken.
        var taken = 0
        /// The number of URLs in the window that are requested, or may be once their origin's robots.txt is known.
        var claimed = 0
        /// The number of URLs that were requested without a turn and have none yet.
        var scouted = 0
    }

    private var counts: [Count]

    /// Creates a quota without counts.
    init(_ limits: CrawlLimits) {
        counts = CrawlLimits.Kind.allCases.compactMap { kind in limits[kind].map { Count(kind: kind, limit: $0) } }
    }

    /// Returns the rule by which a URL whose turn has come is skipped, or nil.
    func obstacle(to item: CrawlItem, as role: CrawlScope.Role) -> SkipRule? {
        first(of: item, role) { $0.taken >= $0.limit }?.kind.row.rule
    }

    /// Counts a URL whose turn has come.
    mutating func take(_ item: CrawlItem, as role: CrawlScope.Role) {
        guard item.redirects == 0 else { return }
        update(claim(of: item.destination, role)) { $0.taken += 1 }
    }

    /// Returns true if there is room for another URL in a window.
    func allows(_ item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        first(of: item, role) { $0.taken + $0.claimed >= $0.limit } == nil
    }

    /// Reserves room for a URL in a window, until it is released.
    mutating func claim(_ item: CrawlItem, as role: CrawlScope.Role) -> Claim {
        guard item.redirects == 0 else { return [] }
        let claim = claim(of: item.destination, role)
        update(claim) { $0.claimed += 1 }
        return claim
    }

    /// Releases reserved room.
    mutating func release(_ claim: Claim) { update(claim) { $0.claimed -= 1 } }

    /// Returns true if there is room for a URL without a turn.
    func allowsScout(_ item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        first(of: item, role) { $0.taken + $0.claimed + $0.scouted >= $0.limit } == nil
    }

    /// Counts a URL that is requested without a turn.
    mutating func beginScout(_ destination: Destination, as role: CrawlScope.Role) {
        update(claim(of: destination, role)) { $0.scouted += 1 }
    }

    /// Records that a URL that was requested without a turn now has one.
    mutating func endScout(_ destination: Destination, as role: CrawlScope.Role) {
        update(claim(of: destination, role)) { $0.scouted = max(0, $0.scouted - 1) }
    }

    private func claim(of destination: Destination, _ role: CrawlScope.Role) -> Claim {
        var claim = Claim()
        for (place, count) in counts.enumerated() where count.kind.row.counts(role, destination) {
            claim.insert(Claim(rawValue: 1 << place))
        }
        return claim
    }

    private func first(of item: CrawlItem, _ role: CrawlScope.Role, where isFull: (Count) -> Bool) -> Count? {
        guard item.redirects == 0 else { return nil }
        return counts.first { isFull($0) && $0.kind.row.counts(role, item.destination) }
    }

    private mutating func update(_ claim: Claim, _ change: (inout Count) -> Void) {
        for place in counts.indices where claim.contains(Claim(rawValue: 1 << place)) { change(&counts[place]) }
    }
}
