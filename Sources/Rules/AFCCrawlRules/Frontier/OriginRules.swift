internal import AFCURL

/// The robots.txt of each origin, and the URLs that wait for it.
struct OriginRules {
    private var rules: [String: RobotsRules] = [:]
    /// The digest of each origin's robots.txt, or ``noDigest`` if it is unknown.
    var digests: [String: String] = [:]
    /// The origins whose sitemaps were added.
    private var mapped: Set<String> = []
    private var held: [String: [Frontier.Ticket]] = [:]
    private var unknown: [(CrawlItem, origin: String)] = []

    /// The value in place of the digest if a robots.txt couldn't be fetched.
    static let noDigest = ""

    /// The rules of an origin, or nil if they aren't known yet.
    subscript(origin: String) -> RobotsRules? { rules[origin] }

    /// Holds a URL until the rules of its origin are known.
    mutating func hold(_ ticket: Frontier.Ticket, for item: CrawlItem) {
        let origin = item.url.origin
        if held[origin] == nil { unknown.append((item, origin)) }
        held[origin, default: []].append(ticket)
    }

    /// Returns the next origin whose rules must be requested, with one of its URLs; each origin is returned once.
    mutating func popUnknown() -> (CrawlItem, origin: String)? { unknown.isEmpty ? nil : unknown.removeFirst() }

    /// Records the rules of an origin.
    ///
    /// - Returns: The digest to record, and the tickets of the URLs that waited.
    mutating func learn(_ answer: RobotsAnswer, of origin: String) -> (digest: String, tickets: [Frontier.Ticket]) {
        rules[origin] = answer.rules
        // If the file has changed since an interruption, no digest is valid for the whole crawl.
        let new = answer.digest ?? Self.noDigest
        let digest = digests[origin].map { $0 == new ? new : Self.noDigest } ?? new
        digests[origin] = digest
        return (digest, held.removeValue(forKey: origin) ?? [])
    }

    /// Returns the sitemaps that an origin names, or nil at the second call.
    mutating func takeSitemaps(of origin: String) -> [String]? {
        mapped.insert(origin).inserted ? rules[origin]?.sitemaps ?? [] : nil
    }
}
