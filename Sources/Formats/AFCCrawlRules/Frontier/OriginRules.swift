internal import AFCURL

/// The robots.txt of each origin, and the URLs that wait until it is known.
struct OriginRules {
    private var rules: [String: RobotsRules] = [:]
    /// The digest of each origin's robots.txt, ``noDigest`` where it isn't known.
    var digests: [String: String] = [:]
    /// The origins whose sitemaps were added.
    private var mapped: Set<String> = []
    private var held: [String: [Frontier.Ticket]] = [:]
    private var unknown: [(CrawlItem, origin: String)] = []

    /// The digest of a robots.txt that could not be had.
    static let noDigest = ""

    /// The rules of an origin, or nil where they aren't known yet.
    subscript(origin: String) -> RobotsRules? { rules[origin] }

    /// Keeps a URL until the rules of its origin are known.
    mutating func hold(_ ticket: Frontier.Ticket, for item: CrawlItem) {
        let origin = item.url.origin
        if held[origin] == nil { unknown.append((item, origin)) }
        held[origin, default: []].append(ticket)
    }

    /// The next origin whose rules are to be asked for, with a URL of it; each comes once.
    mutating func popUnknown() -> (CrawlItem, origin: String)? { unknown.isEmpty ? nil : unknown.removeFirst() }

    /// Takes the rules of an origin.
    ///
    /// - Returns: The digest that counts, and the URLs that waited.
    mutating func learn(_ answer: RobotsAnswer, of origin: String) -> (digest: String, tickets: [Frontier.Ticket]) {
        rules[origin] = answer.rules
        // One that has changed since an interruption is as good as none.
        let new = answer.digest ?? Self.noDigest
        let digest = digests[origin].map { $0 == new ? new : Self.noDigest } ?? new
        digests[origin] = digest
        return (digest, held.removeValue(forKey: origin) ?? [])
    }

    /// The sitemaps that an origin names; none the second time.
    mutating func takeSitemaps(of origin: String) -> [String] {
        mapped.insert(origin).inserted ? rules[origin]?.sitemaps ?? [] : []
    }
}
