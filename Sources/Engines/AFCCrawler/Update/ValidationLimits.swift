internal import AFCCrawlRules
internal import AFCURL

/// What an update may ask for before it has read anything: no package leads it where its own crawl wouldn't go.
struct ValidationLimits {
    private let scope: CrawlScope
    private let options: CrawlOptions
    /// What the origins' robots.txt say.
    private let rules: [String: RobotsRules]

    /// - Parameters:
    ///   - options: The crawl's.
    ///   - older: The package, whose redirects may have led the crawl from a seed to another host.
    ///   - rules: What the robots.txt of each origin says.
    init(_ options: CrawlOptions, _ older: OlderPackage, rules: [String: RobotsRules] = [:]) {
        self.options = options
        self.rules = rules
        var scope = CrawlScope(seeds: options.seeds, options: options.scope)
        for seed in options.seeds {
            var url = seed
            for _ in 0..<options.limits.redirects {
                guard let target = older.redirectTarget(of: url), target.isNearby(seed) else { break }
                scope.extend(to: target)
                url = target
            }
        }
        self.scope = scope
    }

    /// Whether the robots.txt of an origin may be asked for.
    func allows(origin: WebURL) -> Bool { scope.obstacle(to: origin, as: .requisite, depth: 0) == nil }

    /// Whether all URLs may be asked for.
    func allow(_ urls: some Sequence<WebURL>) -> Bool {
        var last: (origin: String, rules: RobotsRules)?
        for url in urls {
            guard scope.obstacle(to: url, as: .requisite, depth: 0) == nil else { return false }
            if options.ignoresRobots { continue }
            let origin = url.origin
            if last?.origin != origin { last = rules[origin].map { (origin, $0) } }
            guard let last, last.origin == origin, last.rules.isAllowed(url) else { return false }
        }
        return true
    }
}
