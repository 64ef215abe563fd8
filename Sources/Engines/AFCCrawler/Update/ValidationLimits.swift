internal import AFCCrawlRules
internal import AFCURL

/// The limits of the requests that validate a package: it never sends one that the package's own crawl wouldn't send.
struct ValidationLimits {
    private let scope: CrawlScope
    private let options: CrawlOptions
    /// The rules of the origins' robots.txt files.
    private let rules: [String: RobotsRules]

    /// Creates the limits.
    ///
    /// - Parameters:
    ///   - options: The crawl's.
    ///   - older: The package, whose redirects may have led the crawl from a seed to another host.
    ///   - rules: The rules of each origin's robots.txt.
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

    /// Returns true if the robots.txt of an origin may be requested.
    func allows(origin: WebURL) -> Bool { scope.obstacle(to: origin, as: .requisite, depth: 0) == nil }

    /// Returns true if all URLs may be requested.
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
