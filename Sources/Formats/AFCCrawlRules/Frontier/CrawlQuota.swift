internal import AFCDiscovery

extension CrawlLimits {
    /// A kind of URLs of which a crawl takes only so many; its name stands in the crawl's fingerprint.
    public enum Kind: String, CaseIterable, Sendable {
        /// Seeds and links; requisites don't count.
        case pages

        /// The rule that refuses one too many, and the URLs that count.
        fileprivate var row: (rule: SkipRule, counts: (CrawlScope.Role, Destination) -> Bool) {
            switch self {
            case .pages: (.maxPages, { role, _ in role != .requisite })
            }
        }
    }
}

/// Counts the URLs of each limited kind, so that no more is asked for than is taken.
///
/// A URL claims its room when it comes into a window, and only taking, which goes in the crawl's order, decides. So the same
/// URLs are taken however far requests run ahead.
struct CrawlQuota: Sendable {
    /// The limits that a URL counts for.
    struct Claim: OptionSet {
        let rawValue: UInt32
    }

    private struct Count {
        let kind: CrawlLimits.Kind
        let limit: Int
        /// Those that were taken.
        var taken = 0
        /// Those in the window that are asked for, or may be once their origin's robots.txt is known.
        var claimed = 0
        /// Those that are, or were, asked for without a turn, and have had none yet.
        var scouted = 0
    }

    private var counts: [Count]

    /// Creates a quota that has counted nothing.
    init(_ limits: CrawlLimits) {
        counts = CrawlLimits.Kind.allCases.compactMap { kind in limits[kind].map { Count(kind: kind, limit: $0) } }
    }

    /// Why a URL whose turn has come isn't taken, or nil.
    func obstacle(to item: CrawlItem, as role: CrawlScope.Role) -> SkipRule? {
        first(of: item, role) { $0.taken >= $0.limit }?.kind.row.rule
    }

    /// Takes a URL whose turn has come.
    mutating func take(_ item: CrawlItem, as role: CrawlScope.Role) {
        update(claim(of: item.destination, role)) { $0.taken += 1 }
    }

    /// Whether there is room for a URL beside all that were taken or may be.
    func allows(_ item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        first(of: item, role) { $0.taken + $0.claimed >= $0.limit } == nil
    }

    /// Keeps room for a URL in a window, until it is released.
    mutating func claim(_ item: CrawlItem, as role: CrawlScope.Role) -> Claim {
        let claim = claim(of: item.destination, role)
        update(claim) { $0.claimed += 1 }
        return claim
    }

    /// Gives up the room that was kept.
    mutating func release(_ claim: Claim) { update(claim) { $0.claimed -= 1 } }

    /// Whether there is room for a URL without a turn.
    func allowsScout(_ item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        first(of: item, role) { $0.taken + $0.claimed + $0.scouted >= $0.limit } == nil
    }

    /// Notes that a URL is asked for without a turn.
    mutating func beginScout(_ destination: Destination, as role: CrawlScope.Role) {
        update(claim(of: destination, role)) { $0.scouted += 1 }
    }

    /// Notes that a URL that was asked for without a turn has one.
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
        counts.first { isFull($0) && $0.kind.row.counts(role, item.destination) }
    }

    private mutating func update(_ claim: Claim, _ change: (inout Count) -> Void) {
        for place in counts.indices where claim.contains(Claim(rawValue: 1 << place)) { change(&counts[place]) }
    }
}
