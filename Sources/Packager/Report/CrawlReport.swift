public import HTTPCaching
public import URLStandard

/// What became of a crawl: counts, and of what may be long the first part, so that its size doesn't grow with the site.
///
/// The crawl notes what happens in the order in which it takes outcomes; then two crawls of the same site differ only in
/// what is measured. ``json()`` and ``html()`` present it; docs/crawl-report.md documents both.
public struct CrawlReport: Sendable, Equatable {
    /// Where the crawl began.
    public var seeds: [WebURL] = []
    /// The program and its version.
    public var generator = ""
    /// When the crawl began, for the first time where it was interrupted.
    public var started: Timestamp?
    /// When it ended.
    public var finished: Timestamp?
    /// How long it took; of an interrupted crawl, what all its parts took.
    public var elapsed: Duration = .zero
    /// How often it was interrupted and went on.
    public var resumed = 0
    /// How it ended.
    public var ending = Ending.finished
    /// The package that was written, or nil for none.
    public var package: Package?

    /// How many requests were sent, robots.txt and further attempts included.
    public var requests = 0
    /// How many of them asked again for what had failed.
    public var retries = 0
    /// How many resources with a body are there.
    public var fetched = 0
    /// How many redirects were recorded.
    public var redirects = 0
    /// The bytes of all bodies.
    public var bytes: Int64 = 0
    /// The bytes that bodies had on the wire, in their content coding.
    public var received: Int64 = 0

    /// How many answers had which status.
    public internal(set) var statuses = Tally<Int>(limit: 100)
    /// How many resources of which media type, with the bytes of their bodies; an empty text stands for none.
    public internal(set) var types = Tally<String>(limit: 100)
    /// How many resources of which host, with the bytes of their bodies.
    public internal(set) var hosts = Tally<String>(limit: 100)
    /// How many resources at which depth; the last of ``depthLimit`` counts all that are deeper.
    public internal(set) var depths: [Int] = []
    /// The largest bodies.
    public internal(set) var largest = Ranking<Int64>(limit: 20)
    /// What took longest from the request to the body's end.
    public internal(set) var slowest = Ranking<Duration>(limit: 20)
    /// How redirects follow one another.
    public internal(set) var redirection = RedirectSummary()

    /// What failed, in the order of the crawl: the first 10,000, or fewer where they hold much text.
    public var failures: [Failure] = []
    /// How many more failed.
    public internal(set) var unlistedFailures = 0
    /// What was skipped, sorted by rule.
    public var skipped: [Skip] = []
    /// What an update found, or nil where nothing was compared.
    public internal(set) var changes: [Change: Changes]?
    /// Whether the package that was updated has all of it already, just so but for when it was seen.
    public internal(set) var isAsBefore = false

    /// The text of all failures that are listed, in bytes.
    var failureBytes = 0

    /// How many failures are listed.
    public static let failureLimit = 10_000
    /// How many bytes of text the listed failures may have, since origins choose their length.
    static let failureByteLimit = 8 << 20
    /// How many depths are told apart.
    public static let depthLimit = 100
    /// How many URLs of each rule are listed.
    public static let exampleLimit = 10
    /// How many URLs of each change are listed.
    public static let changeLimit = 1000
    /// The longest URL that is listed where no request was sent for it: a `data:` URL may hold a film.
    static let urlByteLimit = 16 << 10

    /// Creates an empty report.
    public init() {}

    /// How many URLs failed, listed or not.
    public var failed: Int { failures.count + unlistedFailures }

    /// How many URLs were skipped.
    public var skippedCount: Int { skipped.reduce(0) { $0 + $1.count } }
}

extension CrawlReport {
    /// How a crawl ended.
    public enum Ending: Sendable, Equatable {
        /// Nothing was left to ask for.
        case finished
        /// It was stopped, and the same command goes on.
        case interrupted
        /// Something on this machine failed: what, in words.
        case error(String)
    }

    /// The package that a crawl made.
    public struct Package: Sendable, Equatable {
        /// The file's name, without its folder.
        public var name: String
        /// Its size.
        public var bytes: Int64

        /// Creates the description of a package.
        public init(name: String, bytes: Int64) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A URL that was asked for in vain.
    public struct Failure: Sendable, Equatable {
        /// The URL.
        public var url: WebURL
        /// Why.
        public var reason: FetchFailure
        /// Where the URL was found, or nil for a seed.
        public var referrer: WebURL?

        /// Creates the description of a failure.
        public init(url: WebURL, reason: FetchFailure, referrer: WebURL?) {
            self.url = url
            self.reason = reason
            self.referrer = referrer
        }
    }

    /// The URLs that one rule kept from being asked for.
    public struct Skip: Sendable, Equatable {
        /// The rule.
        public var rule: SkipRule
        /// How many.
        public var count: Int
        /// The first of them.
        public var examples: [WebURL]

        /// Creates the description of what a rule kept out.
        public init(rule: SkipRule, count: Int, examples: [WebURL]) {
            self.rule = rule
            self.count = count
            self.examples = examples
        }
    }

    /// What became of a resource since the older package.
    public enum Change: String, Sendable, CaseIterable, Comparable {
        /// It is new.
        case added
        /// Its body, its status or its target is another.
        case changed
        /// It is gone, or nothing leads to it any more.
        case removed
        /// It is as it was.
        case unchanged

        /// Orders by name.
        public static func < (one: Change, other: Change) -> Bool { one.rawValue < other.rawValue }
    }

    /// The resources that changed in one way.
    public struct Changes: Sendable, Equatable {
        /// How many.
        public var count = 0
        /// The first of them.
        public var urls: [WebURL] = []
    }
}
