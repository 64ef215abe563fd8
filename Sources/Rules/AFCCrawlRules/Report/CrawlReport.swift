internal import AFCDiscovery
public import AFCHTTP
public import AFCURL

/// The result of a crawl: counts, and the first items of long lists, so that its size doesn't grow with the site.
///
/// `CrawlRecorder` builds it. `json()` and `html()` present it; docs/reference/crawl-report.md documents both.
public struct CrawlReport: Sendable, Equatable {
    /// The start URLs.
    public var seeds: [WebURL] = []
    /// The program and its version.
    public var generator = ""
    /// The time at which the crawl first started.
    public var started: Timestamp?
    /// The time at which the crawl ended.
    public var finished: Timestamp?
    /// The duration of the crawl, over all its runs.
    public var elapsed: Duration = .zero
    /// The number of times the crawl was resumed.
    public var resumed = 0
    /// The way the crawl ended.
    public var ending = Ending.finished
    /// The package that was written, or nil for none.
    public var package: Package?

    /// The number of further resources and redirects that arrived before their turn; only for an interrupted crawl.
    public internal(set) var early = 0

    /// The number of requests, including robots.txt and retries.
    public var requests = 0
    /// The number of retries among them.
    public var retries = 0
    /// The number of resources with a body.
    public var fetched = 0
    /// The number of recorded redirects.
    public var redirects = 0
    /// The total size of all bodies, in bytes.
    public var bytes: Int64 = 0
    /// The number of bytes received for bodies, in their content coding.
    public var received: Int64 = 0

    /// The number of responses by status.
    public internal(set) var statuses = Tally<Int>(limit: 100)
    /// The number of resources and the size of their bodies by media type; an empty text stands for none.
    public internal(set) var types = Tally<String>(limit: 100)
    /// The number of resources and the size of their bodies by host.
    public internal(set) var hosts = Tally<String>(limit: 100)
    /// The number of resources for which their origins disallow a usage, such as `ai-train`, by its name.
    package internal(set) var disallowedUsages = Tally<String>(limit: 32)
    /// The number of resources by depth; the last of ``depthLimit`` elements includes all deeper ones.
    public internal(set) var depths: [Int] = []
    /// The largest bodies.
    public internal(set) var largest = Ranking<Int64>(limit: 20)
    /// The resources with the longest time from the request to the end of the body.
    public internal(set) var slowest = Ranking<Duration>(limit: 20)
    /// A summary of redirect chains.
    public internal(set) var redirection = RedirectSummary()

    /// The failures in the order of the crawl: the first 10,000, or fewer if they contain much text.
    public var failures: [Failure] = []
    /// The number of failures that aren't listed.
    public internal(set) var unlistedFailures = 0
    /// The number of failures of each importance, listed or not.
    public internal(set) var failuresByImportance: [Importance: Int] = [:]
    /// The number of failed URLs that something names for certain, which guesses and the icon of every site aren't.
    package var missing: Int {
        let icons = failures.count { $0.importance == .optional && $0.url.path == "/favicon.ico" }
        return failuresByImportance.values.reduce(0, +) - (failuresByImportance[.guess] ?? 0) - icons
    }
    /// The documents that were not searched completely, in the order of the crawl: the first 1,000.
    public internal(set) var cuts: [Cut] = []
    /// The number of such documents that aren't listed.
    public internal(set) var unlistedCuts = 0
    /// The number of live streams among them, of which nothing more could be taken.
    public internal(set) var liveCount = 0
    /// The skipped URLs, sorted by rule.
    public var skipped: [Skip] = []
    /// True if the user chose the limit for similar URLs.
    public package(set) var choosesTrapLimit = false
    /// The changes that an update found, or nil if nothing was compared.
    public internal(set) var changes: [Change: Changes]?
    /// True if the update would remove more than it may, so that no package was written.
    public package(set) var removesTooMuch = false
    /// The pages that ask for a password, if all pages of the crawl do, or the login forms to which all start URLs redirect.
    public package(set) var loginForms: [WebURL] = []
    /// True if the user gave the crawl a login.
    public package(set) var hadLogin = false
    /// True if the crawl got nothing but login forms, and had a login or would have replaced a larger package; then no package
    /// was written.
    public package(set) var isLoggedOut = false
    /// True if the package that was updated already has everything, except for newer times.
    public package(set) var isUnchanged = false

    /// The number of URLs that were guessed from scripts and that the site doesn't have.
    public internal(set) var absentGuesses = 0
    /// The number of addresses in scripts that the crawl didn't try, because too many others were wrong.
    public internal(set) var guessesLeftOut = 0

    /// The number of forms of calls in scripts that load addresses which the crawl couldn't read.
    public internal(set) var unreadCount = 0
    /// The first call of each of the first twenty forms, those of start pages first.
    public internal(set) var unread: [Unread] = []

    /// The number of files that scripts of start pages, and of pages that are empty without scripts, load by a name, and
    /// that the crawl didn't find.
    public internal(set) var unfoundCount = 0
    /// The first ten of them.
    public internal(set) var unfound: [Unfound] = []

    /// The number of times that a page was opened in a browser.
    public internal(set) var renderings = 0
    /// The number of pages that are empty without scripts, and that probably lack what their scripts load.
    public internal(set) var needsScriptsCount = 0
    /// The first ten such pages.
    public internal(set) var needsScripts: [WebURL] = []
    /// A script of another host that such a page names and that isn't in the package, or nil if there is none.
    public internal(set) var foreignScript: WebURL?

    /// The number of style sheets and scripts of other hosts that pages name and that aren't in the package.
    public internal(set) var foreignCount = 0
    /// The first ten of them.
    public internal(set) var foreign: [WebURL] = []

    /// The usual places of sitemaps that don't exist, of origins whose robots.txt names none; the first ten.
    public internal(set) var missingSitemaps: [WebURL] = []
    /// The number of requests for images, scripts, style sheets and the like that a page answered.
    ///
    /// A site that answers each unknown path with its page hides in this way that a file is missing.
    public internal(set) var misplacedCount = 0
    /// The first ten URLs of such requests.
    public internal(set) var misplaced: [WebURL] = []

    /// The pages of the start URLs' origin inside and outside of their folder; nil if they have several folders.
    package internal(set) var folder: StartFolder?

    /// The largest number of listed documents that were not searched completely.
    static let cutLimit = 1000
    /// The largest number of listed failures.
    public static let failureLimit = 10_000
    /// The largest size of the text of listed failures in bytes, because origins choose its length.
    static let failureByteLimit = 8 << 20
    /// The number of depths that are counted separately.
    public static let depthLimit = 100
    /// The number of listed URLs for each rule.
    public static let exampleLimit = 10
    /// The number of listed URLs for each change.
    public static let changeLimit = 1000
    /// The longest URL that is listed without a request for it, in bytes.
    ///
    /// A `data:` URL may contain a whole video.
    static let urlByteLimit = 16 << 10

    /// Creates an empty report.
    public init() {}

    /// The number of failed URLs, listed or not.
    public var failed: Int { failures.count + unlistedFailures }

    /// The number of documents that were not searched completely, listed or not.
    public var cutCount: Int { cuts.count + unlistedCuts }

    /// The number of skipped URLs.
    public var skippedCount: Int { skipped.reduce(0) { $0 + $1.count } }
}

extension CrawlReport {
    /// The number of listed calls.
    public static let unreadLimit = 20

    /// A call in a page or script whose address only a running script can compose.
    public struct Unread: Sendable, Equatable {
        /// The page or script.
        public var url: WebURL
        /// The line of the call, from 1.
        public var line: Int
        /// The column of the call in bytes of UTF-8, from 1.
        public var column: Int
        /// The beginning of the call, as written.
        public var code: String
        /// True if a start page, or a page that is empty without scripts, loads the script.
        public var isEarly = false
    }

    /// A file that a script loads by a name.
    public struct Unfound: Sendable, Equatable {
        /// The page or script.
        public var url: WebURL
        /// The name, as far as it is known.
        public var name: String
    }

    /// The way a crawl ended.
    public enum Ending: Sendable, Equatable {
        /// No URL was left to request.
        case finished
        /// The crawl was stopped, and the same command resumes it.
        case interrupted
        /// An error on this machine, described in words.
        case error(String)
    }

    /// The package that a crawl wrote.
    public struct Package: Sendable, Equatable {
        /// The file's name, without its folder.
        public var name: String
        /// The file's size, in bytes.
        public var bytes: Int64

        /// Creates the description of a package.
        public init(name: String, bytes: Int64) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A URL whose request failed.
    public struct Failure: Sendable, Equatable, CustomStringConvertible {
        /// The URL.
        public var url: WebURL
        /// The reason.
        public var reason: FetchFailure
        /// The page with the reference, or nil for a seed.
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

        /// The URL in quotes and the reason.
        public var description: String { "'\(url)': \(reason)" }

        /// A Boolean value that is true for a guess or a default icon that the site doesn't have.
        ///
        /// A cache that may not contact the origin answers 504 (RFC 9111 §5.2.1.7).
        package var isExpected: Bool {
            guard isGuess || url.path == "/favicon.ico" && importance == .optional, let status = reason.status else {
                return false
            }
            return (400..<500).contains(status) || status == 504
        }

        /// True if a recipe guessed the URL.
        package var isGuess: Bool { importance == .guess }
    }

    /// The importance of a failure; docs/reference/crawler.md describes the values.
    public enum Importance: String, Sendable, CaseIterable {
        /// The user named the URL.
        case seed
        /// Pages look or work wrong without it.
        case requisite
        /// Pages refer to it as a requisite, but most readers don't miss it.
        case optional
        /// A reader may follow the link.
        case link
        /// A script may load it, or it may not exist.
        case guess
    }

    /// The importance from which failures make the crawl count as failed.
    public enum Threshold: String, Sendable, CaseIterable {
        /// No failure counts.
        case none
        /// A failed seed.
        case seed
        /// A failed seed or requisite, or a document that was not searched completely.
        case requisite
        /// Any failure.
        case link
    }

    /// A document with more references than were taken from it.
    public struct Cut: Sendable, Equatable {
        /// The document.
        public var url: WebURL
        /// The limits that were reached.
        public var limits: [Limit]
        /// The page with the reference, or nil for a seed.
        public var referrer: WebURL?

        /// Creates the description of a document that was not searched completely.
        public init(url: WebURL, limits: [Limit], referrer: WebURL?) {
            self.url = url
            self.limits = limits
            self.referrer = referrer
        }

        /// A limit that a document reached; docs/reference/discovery.md has the numbers.
        public enum Limit: String, Sendable, CaseIterable {
            /// The document has too many different references.
            case references
            /// A reference is too long.
            case referenceLength = "reference-length"
            /// An attribute that holds several references, or a document, is too long.
            case attributeLength = "attribute-length"
            /// The URLs of all references together are too long.
            case urlBytes = "url-bytes"
            /// Documents are nested too deeply.
            case srcdocDepth = "srcdoc-depth"
            /// The text is too long.
            case text
            /// The document lists a live stream.
            case live
            /// The document names media with copy protection.
            case protection
            /// The playlist uses variables that nothing defines.
            case variables
            /// The crawl's time was over before a browser opened the page.
            case rendering
            /// The page took too long in the browser.
            case renderingTime = "rendering-time"
            /// The browser crashed.
            case renderingCrash = "rendering-crash"
            /// The page made too many requests in the browser.
            case renderingRequests = "rendering-requests"

            /// True if a browser may get further when it opens the page again.
            var isOfBrowser: Bool {
                [.rendering, .renderingTime, .renderingCrash, .renderingRequests].contains(self)
            }

            /// Converts the limit that AFCDiscovery reached.
            init(_ cut: DiscoveryCut) {
                self =
                    switch cut {
                    case .references: .references
                    case .referenceBytes: .referenceLength
                    case .attributeBytes: .attributeLength
                    case .urlBytes: .urlBytes
                    case .srcdocDepth: .srcdocDepth
                    case .text: .text
                    case .live: .live
                    case .protection: .protection
                    case .variables: .variables
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
                case .live: "it lists a live stream; only what it named at that moment was taken"
                case .protection: "its media are encrypted by a copy protection (DRM) and were skipped"
                case .variables: "it uses variables that no playlist defines; addresses with them were skipped"
                case .rendering: "the time was over before the browser opened it"
                case .renderingTime: "the time for it in the browser was over; what it requested until then counts"
                case .renderingCrash: "the browser crashed, twice"
                case .renderingRequests: "it made more than 5,000 requests in the browser; the rest failed"
                }
            }
        }
    }

    /// The URLs that were skipped because of one rule.
    public struct Skip: Sendable, Equatable {
        /// The rule.
        public var rule: SkipRule
        /// The number of URLs.
        public var count: Int
        /// The first URLs.
        public var examples: [WebURL]

        /// Creates the description of the URLs that a rule skipped.
        public init(rule: SkipRule, count: Int, examples: [WebURL]) {
            self.rule = rule
            self.count = count
            self.examples = examples
        }
    }

    /// The change of a resource since the older package.
    public enum Change: String, Sendable, CaseIterable, Comparable {
        /// The resource is new.
        case added
        /// The body, the status or the redirect target is different.
        case changed
        /// The resource is gone, or nothing refers to it any more.
        case removed
        /// The resource is unchanged.
        case unchanged

        /// Orders by name.
        public static func < (one: Change, other: Change) -> Bool { one.rawValue < other.rawValue }
    }

    /// The resources with one kind of change.
    public struct Changes: Sendable, Equatable {
        /// The number of resources.
        public var count = 0
        /// The first URLs.
        public var urls: [WebURL] = []

        package init(count: Int = 0, urls: [WebURL] = []) {
            self.count = count
            self.urls = urls
        }
    }
}

extension CrawlReport {
    /// The contents of an older package that is kept in place of a new one.
    package struct Holdings {
        var resources: Int
        var redirects: Int
        var bytes: Int64
        /// The first URLs, sorted.
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
    /// The outcome of a crawl, in one word; docs/reference/exit-codes.md has a code for each.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The package has everything that was requested.
        case complete
        /// The package lacks resources whose requests failed.
        case incomplete
        /// Nothing could be fetched, or an update would remove too much, and no package was written.
        case empty
        /// The crawl was stopped, and the same command resumes it.
        case interrupted
        /// An error on this machine ended the crawl.
        case error
    }

    /// The outcome of the crawl.
    public var outcome: Outcome {
        switch ending {
        case .interrupted: .interrupted
        case .error: .error
        case .finished:
            fetched == 0 || removesTooMuch || isLoggedOut
                ? .empty : failed > 0 || cutCount > 0 || isCut ? .incomplete : .complete
        }
    }

    /// True if a document was not searched to its end, or a limit that the user didn't choose left URLs out.
    ///
    /// A live stream has no end, so it doesn't count.
    public var isCut: Bool {
        cutCount > liveCount
            || skipped.contains { skip in
                switch skip.rule {
                case .maxURLs, .requisiteChain, .tooManyHosts: true
                case .tooManyAlike: !choosesTrapLimit
                default: false
                }
            }
    }

    /// Returns true if a failure is at least as important as the threshold.
    public func isFailed(at threshold: Threshold) -> Bool {
        func count(_ importance: Importance) -> Int { failuresByImportance[importance] ?? 0 }
        return switch threshold {
        case .none: false
        case .seed: count(.seed) > 0
        case .requisite: count(.seed) + count(.requisite) > 0 || isCut
        case .link: failed > 0 || isCut
        }
    }
}

extension FetchFailure {
    /// The kind of failure, for programs; docs/reference/crawl-report.md lists them.
    package var kind: String {
        switch self {
        case .status: "status"
        case .unknownHost: "unknown-host"
        case .privateAddress: "private-address"
        case .proxy: "proxy"
        case .refused: "refused"
        case .timeout: "timeout"
        case .connection: "connection"
        case .response: "response"
        case .tls: "tls"
        case .truncated: "truncated"
        case .tooLarge: "too-large"
        case .coding: "coding"
        case .expansion: "expansion"
        case .redirects: "redirects"
        case .redirectLoop: "redirect-loop"
        case .location: "location"
        case .target: "target"
        case .storage: "storage"
        }
    }

    /// True if the origin says that it doesn't have the resource.
    package var saysAbsent: Bool { status == 404 || status == 410 }

    /// The response's status, if it is the failure.
    package var status: Int? {
        if case .status(let status, _) = self { status } else { nil }
    }
}
