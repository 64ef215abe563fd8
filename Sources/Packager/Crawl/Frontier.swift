public import URLStandard

/// What is to be asked for next: a pure value, so that the order doesn't depend on which answer comes first.
///
/// The crawl goes breadth first, in rounds. A round holds all that is known of the smallest depth, sorted by URL; what its
/// answers refer to is added afterwards. Redirect targets and requisites have the depth of what led to them, links one more,
/// so a depth may take several rounds. Each URL comes in one round only.
public struct Frontier {
    /// A URL to ask for.
    public struct Item: Equatable, Sendable {
        /// The URL.
        public var url: WebURL
        /// How it was found.
        public var role: CrawlScope.Role
        /// How many links away from a seed.
        public var depth: Int
        /// How many redirects led to it.
        public var redirects: Int
        /// Where it was found, or nil for a seed.
        public var referrer: WebURL?

        /// Creates an item.
        public init(url: WebURL, role: CrawlScope.Role, depth: Int, redirects: Int, referrer: WebURL?) {
            self.url = url
            self.role = role
            self.depth = depth
            self.redirects = redirects
            self.referrer = referrer
        }
    }

    private let scope: CrawlScope
    private let maxPages: Int?
    private var pages = 0
    private var pending: [WebURL: Item] = [:]
    private var done: Set<WebURL> = []
    private var refused: [WebURL: SkipRule] = [:]

    /// Starts with the seeds.
    ///
    /// - Parameters:
    ///   - seeds: Where the crawl begins.
    ///   - scope: Which URLs it asks for.
    ///   - maxPages: How many seeds and links it asks for, or nil for no limit; requisites don't count.
    public init(seeds: [WebURL], scope: CrawlScope, maxPages: Int? = nil) {
        self.scope = scope
        self.maxPages = maxPages
        for seed in seeds { add(Item(url: seed, role: .seed, depth: 0, redirects: 0, referrer: nil)) }
    }

    /// How many URLs wait.
    public var count: Int { pending.count }

    /// How many URLs were not asked for, by rule.
    public var skipped: [SkipRule: Int] {
        refused.values.reduce(into: [:]) { counts, rule in counts[rule, default: 0] += 1 }
    }

    /// The first URLs not asked for by a rule, sorted.
    public func examples(of rule: SkipRule, limit: Int) -> [WebURL] {
        Array(refused.lazy.filter { $0.value == rule }.map(\.key).sorted().prefix(limit))
    }

    /// Adds a URL that an answer refers to, unless it was asked for already or something forbids it.
    public mutating func add(_ item: Item) {
        guard !done.contains(item.url) else { return }
        if let known = pending[item.url] {
            if Self.isBetter(item, than: known) { pending[item.url] = item }
            return
        }
        if let rule = scope.obstacle(to: item.url, as: item.role, depth: item.depth) {
            if refused[item.url] == nil { refused[item.url] = rule }
            return
        }
        refused[item.url] = nil
        pending[item.url] = item
    }

    /// Takes the next round: all URLs of the smallest depth, sorted; empty where nothing waits.
    ///
    /// - Parameter isAllowed: What the origins' robots.txt say. A URL that they forbid doesn't count as a page.
    /// - Returns: What to ask for; empty, too, where all of the depth is forbidden.
    public mutating func nextRound(isAllowed: (WebURL) -> Bool = { _ in true }) -> [Item] {
        let items = upcoming()
        var round: [Item] = []
        round.reserveCapacity(items.count)
        for item in items {
            pending[item.url] = nil
            if !isAllowed(item.url) {
                refused[item.url] = .robots
            } else if item.role != .requisite, let maxPages, pages >= maxPages {
                refused[item.url] = .maxPages
                continue
            } else {
                if item.role != .requisite { pages += 1 }
                round.append(item)
            }
            done.insert(item.url)
        }
        return round
    }

    /// What the next round will be taken from, sorted: whose robots.txt must be known before.
    public func upcoming() -> [Item] {
        guard let depth = pending.values.lazy.map(\.depth).min() else { return [] }
        return pending.values.filter { $0.depth == depth }.sorted { $0.url < $1.url }
    }

    /// Notes that a URL was left out after all.
    public mutating func refuse(_ url: WebURL, because rule: SkipRule) {
        refused[url] = rule
    }

    /// Whether the way to the same URL is the shorter one; ties go by the referring page, so that order doesn't matter.
    private static func isBetter(_ one: Item, than other: Item) -> Bool {
        if one.depth != other.depth { return one.depth < other.depth }
        if one.role != other.role { return one.role < other.role }
        if one.redirects != other.redirects { return one.redirects < other.redirects }
        guard let first = one.referrer, let second = other.referrer else {
            return one.referrer == nil && other.referrer != nil
        }
        return first < second
    }
}
