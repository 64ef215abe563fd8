internal import AFCDiscovery
public import AFCHTTP
public import AFCURL

/// What became of a crawl: counts, and of what may be long the first part, so that its size doesn't grow with the site.
///
/// ``CrawlRecorder`` makes it. ``json()`` and ``html()`` present it; docs/crawl-report.md documents both.
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

    /// The number of further resources and redirects, which came before their turn; only of an interrupted crawl.
    public internal(set) var early = 0

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
    /// The number of failures of each importance, listed or not.
    public internal(set) var failuresByImportance: [Importance: Int] = [:]
    /// The resources that were not searched to their end, in the order of the crawl: the first 1,000.
    public internal(set) var cuts: [Cut] = []
    /// The number of those that aren't listed.
    public internal(set) var unlistedCuts = 0
    /// What was skipped, sorted by rule.
    public var skipped: [Skip] = []
    /// What an update found, or nil where nothing was compared.
    public internal(set) var changes: [Change: Changes]?
    /// Whether the package that was updated has all of it already, just so but for when it was seen.
    public package(set) var isAsBefore = false

    /// The number of pages that seem to need scripts.
    public internal(set) var needsScriptsCount = 0
    /// The first ten of them.
    public internal(set) var needsScripts: [WebURL] = []

    /// The number of listed resources that were not searched to their end.
    static let cutLimit = 1000
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

    /// The number of resources that were not searched to their end, listed or not.
    public var cutCount: Int { cuts.count + unlistedCuts }

    /// How many URLs were skipped.
    public var skippedCount: Int { skipped.reduce(0) { $0 + $1.count } }
}

extension CrawlReport {
    /// How a crawl ended.
    public enum Ending: Sendable, Equatable {
        /// Nothing was left to ask for.
        case finished
        /// It was stopped, and the same command resumes it.
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
        /// The importance of the failure.
        public var importance: Importance

        /// Creates the description of a failure.
        public init(url: WebURL, reason: FetchFailure, referrer: WebURL?, importance: Importance = .link) {
            self.url = url
            self.reason = reason
            self.referrer = referrer
            self.importance = importance
        }

        /// A Boolean value that is true for an icon that browsers request by themselves and that the site doesn't give.
        ///
        /// A cache that may not ask the origin says 504 (RFC 9111 §5.2.1.7).
        package var isAbsentIcon: Bool {
            guard url.path == "/favicon.ico", importance == .optional, let status = reason.status else { return false }
            return (400..<500).contains(status) || status == 504
        }
    }

    /// The importance of a failure; docs/crawler.md describes the values.
    public enum Importance: String, Sendable, CaseIterable {
        /// The user named the URL.
        case seed
        /// Pages don't look, or work, as they should without it.
        case requisite
        /// Pages refer to it as something that they need, and are the same without it for most readers.
        case optional
        /// A reader may have gone there.
        case link
    }

    /// From which failures on a crawl counts as failed.
    public enum Threshold: String, Sendable, CaseIterable {
        /// Whatever fails, the package that could be made is good enough.
        case none
        /// A seed that failed.
        case seed
        /// A seed or a requisite that failed, or a resource that wasn't searched to its end.
        case requisite
        /// Anything that failed.
        case link
    }

    /// A resource that refers to more than was taken from it.
    public struct Cut: Sendable, Equatable {
        /// The resource.
        public var url: WebURL
        /// The limits for which something was left out.
        public var limits: [Limit]
        /// Where the URL was found, or nil for a seed.
        public var referrer: WebURL?

        /// Creates the description of what was not searched to its end.
        public init(url: WebURL, limits: [Limit], referrer: WebURL?) {
            self.url = url
            self.limits = limits
            self.referrer = referrer
        }

        /// The limits that were reached; docs/crawler.md has the numbers.
        public enum Limit: String, Sendable, CaseIterable {
            /// It refers to more different URLs than are taken.
            case references
            /// A reference is longer than one may be.
            case referenceLength = "reference-length"
            /// An attribute that holds several references, or a document, is longer than one may be.
            case attributeLength = "attribute-length"
            /// All URLs together are longer than they may be.
            case urlBytes = "url-bytes"
            /// Documents are within each other more often than is read.
            case srcdocDepth = "srcdoc-depth"
            /// Its text is longer than what is searched.
            case text

            /// Translates the limit that discovery reached.
            init(_ cut: DiscoveryCut) {
                self =
                    switch cut {
                    case .references: .references
                    case .referenceBytes: .referenceLength
                    case .attributeBytes: .attributeLength
                    case .urlBytes: .urlBytes
                    case .srcdocDepth: .srcdocDepth
                    case .text: .text
                    }
            }

            /// The limit in words.
            public var description: String {
                switch self {
                case .references: "it has more than 1,000,000 different references; the rest were skipped"
                case .referenceLength: "it has references longer than 64 KiB, which were skipped"
                case .attributeLength: "it has attributes longer than 4 MiB, which were not searched"
                case .urlBytes: "the URLs of its references exceed 128 MiB; the rest were skipped"
                case .srcdocDepth: "it nests 'srcdoc' documents too deeply; the innermost were not searched"
                case .text: "only its first 64 MiB were searched for references"
                }
            }
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

        package init(count: Int = 0, urls: [WebURL] = []) {
            self.count = count
            self.urls = urls
        }
    }
}

extension CrawlReport {
    /// What an older package holds that stays in the place of a new one.
    package struct Holdings {
        var resources: Int
        var redirects: Int
        var bytes: Int64
        /// The first of its URLs, sorted.
        var urls: [WebURL]

        package init(resources: Int, redirects: Int, bytes: Int64, urls: [WebURL]) {
            self.resources = resources
            self.redirects = redirects
            self.bytes = bytes
            self.urls = urls
        }
    }
}

extension CrawlReport {
    /// What a crawl came to, in one word; docs/exit-codes.md has a code for each.
    public enum Outcome: String, Sendable, CaseIterable {
        /// All that was asked for is in the package.
        case complete
        /// The package lacks what failed.
        case incomplete
        /// Nothing could be fetched, and no package was written.
        case empty
        /// The crawl was stopped, and the same command resumes it.
        case interrupted
        /// Something on this machine failed.
        case error
    }

    /// What the crawl came to.
    public var outcome: Outcome {
        switch ending {
        case .interrupted: .interrupted
        case .error: .error
        case .finished: fetched == 0 ? .empty : failed + cutCount > 0 ? .incomplete : .complete
        }
    }

    /// Tells whether something failed that matters as much as a threshold says.
    public func isFailed(at threshold: Threshold) -> Bool {
        func count(_ importance: Importance) -> Int { failuresByImportance[importance] ?? 0 }
        // What no option of the user's cuts is missing as if it had failed.
        let isCut = cutCount > 0 || skipped.contains { $0.rule == .maxURLs || $0.rule == .requisiteChain }
        return switch threshold {
        case .none: false
        case .seed: count(.seed) > 0
        case .requisite: count(.seed) + count(.requisite) > 0 || isCut
        case .link: failed > 0 || isCut
        }
    }
}

extension FetchFailure {
    /// The kind of failure, for programs; docs/crawl-report.md lists them.
    package var kind: String {
        switch self {
        case .status: "status"
        case .unknownHost: "unknown-host"
        case .privateAddress: "private-address"
        case .proxy: "proxy"
        case .refused: "refused"
        case .timeout: "timeout"
        case .connection: "connection"
        case .tls: "tls"
        case .truncated: "truncated"
        case .tooLarge: "too-large"
        case .coding: "coding"
        case .expansion: "expansion"
        case .redirects: "redirects"
        case .redirectLoop: "redirect-loop"
        case .location: "location"
        case .storage: "storage"
        }
    }

    /// The status of the answer, where that is the failure.
    package var status: Int? {
        if case .status(let status, _) = self { status } else { nil }
    }
}
