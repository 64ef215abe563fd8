package import AFCDiscovery
internal import AFCHTTP
package import AFCPackageFormat
package import AFCURL
internal import HTTPTypes

/// The outcome of fetching one URL.
package struct FetchOutcome: Sendable {
    package enum Content: Sendable {
        case resource(ResourceRecord, CrawledBody, [FoundURL])
        /// The older package's resource is kept, because the request failed.
        case kept(ResourceRecord, CrawledBody, FetchFailure, [FoundURL])
        case redirect(ResourceRecord, target: WebURL)
        case failure(FetchFailure)
        /// A temporary failure, after which the request is repeated.
        case again(FetchFailure, after: Duration)
        /// The origin confirmed the older package's body.
        case notModified(FetchHead)
        /// A dry run has read the body, or would have.
        case planned([FoundURL])
        /// The body was read for its references, but stays out of the package.
        case leftOut(SkipRule, [FoundURL])
    }

    package var content: Content
    /// The number of requests.
    package var requests: Int
    /// The duration of the last request.
    package var elapsed: Duration = .zero
    /// The number of body bytes received.
    package var received: Int64 = 0
    /// The feedback for the host's gate.
    package var feedback = HostGate.Feedback.fine
    /// The change since the older package.
    package var change: CrawlReport.Change?
    /// True if the older package has the same, except for times.
    package var isUnchanged = false
    /// True if the references of a large text must still be read from the spool.
    package var isUnread = false
    /// The limits that caused references to be left out.
    package var cuts: Set<DiscoveryCut> = []

    /// True for a page that wasn't searched, because it answers a request for something else, such as an image.
    package var isMisplaced = false
    /// True for a page that names no icon, so that browsers request the origin's.
    package var asksForIcon = false
    /// True for a page that seems to need scripts.
    package var needsScripts = false

    /// What the script, or the scripts in the page, name in texts.
    package var scriptTexts = ScriptTexts()
    /// The base of a page's addresses if it isn't the page's URL.
    package var base: WebURL?
    /// The import maps of the page.
    package var moduleMap: ModuleMap?
    /// The names that the module imports.
    package var moduleNames: [ModuleName] = []
    /// The scripts that resolve addresses against a page, too; set when the page's answer is taken.
    package var loads: [ScriptLoad] = []

    package init(content: Content, requests: Int) {
        self.content = content
        self.requests = requests
    }

    /// The references.
    package var references: [FoundURL] {
        switch content {
        case .resource(_, _, let references), .kept(_, _, _, let references), .leftOut(_, let references),
            .planned(let references):
            references
        case .redirect, .failure, .again, .notModified: []
        }
    }

    /// Removes some of the references.
    package mutating func removeReferences(where isUnwanted: (FoundURL) -> Bool) {
        switch content {
        case .resource(let record, let body, let found):
            content = .resource(record, body, found.filter { !isUnwanted($0) })
        case .kept(let record, let body, let failure, let found):
            content = .kept(record, body, failure, found.filter { !isUnwanted($0) })
        case .leftOut(let rule, let found): content = .leftOut(rule, found.filter { !isUnwanted($0) })
        case .planned(let found): content = .planned(found.filter { !isUnwanted($0) })
        case .redirect, .failure, .again, .notModified: break
        }
    }

    /// Removes all references.
    package mutating func removeReferences() { removeReferences { _ in true } }

    /// True if the crawl's state can store the outcome, so that the references can be read from its body again.
    package var isPersistent: Bool {
        switch content {
        case .resource, .kept, .redirect, .failure: true
        case .again, .leftOut, .notModified, .planned: false
        }
    }

    /// The essence of the media type of a resource, or nil if there is none.
    var mediaType: String? {
        switch content {
        case .resource(let record, _, _), .kept(let record, _, _, _):
            record.fields.value(of: .contentType).flatMap { MediaType($0)?.essence.lowercased() } ?? ""
        case .redirect, .failure, .again, .notModified, .planned, .leftOut: nil
        }
    }

    /// True if the outcome belongs in the package.
    package var isKept: Bool {
        switch content {
        case .resource, .kept, .redirect: true
        case .failure, .again, .leftOut, .notModified, .planned: false
        }
    }

    /// The size of its body in the package, in bytes.
    package var size: Int64 {
        switch content {
        case .resource(let record, _, _), .kept(let record, _, _, _): record.size ?? 0
        case .redirect, .failure, .again, .leftOut, .notModified, .planned: 0
        }
    }

    /// The outcome without its references, as stored in the crawl's state.
    package var recorded: FetchOutcome {
        var outcome = self
        outcome.removeReferences()
        outcome.scriptTexts = ScriptTexts()
        outcome.base = nil
        outcome.moduleMap = nil
        outcome.moduleNames = []
        outcome.loads = []
        if case .again(let failure, _) = content { outcome.content = .failure(failure) }
        return outcome
    }
}

/// A script that a page loads, if the page is one of the two whose folders count as bases of the script's addresses.
package struct ScriptLoad: Sendable, Equatable {
    package var script: WebURL
    /// True if a page in another folder loaded the script before.
    package var isSecond: Bool

    package init(_ script: WebURL, isSecond: Bool) {
        self.script = script
        self.isSecond = isSecond
    }
}

/// The result of a request for an origin's robots.txt.
package struct RobotsAnswer: Sendable {
    package var rules: RobotsRules
    package var requests: Int
    /// The number of requests that were retries.
    package var retries = 0
    /// The file's SHA-256 in hexadecimal digits, ``noFile``, or nil if it is unknown.
    package var digest: String?
    package var failure: CrawlReport.Failure?

    package init(
        rules: RobotsRules,
        requests: Int = 0,
        digest: String? = nil,
        failure: CrawlReport.Failure? = nil
    ) {
        self.rules = rules
        self.requests = requests
        self.digest = digest
        self.failure = failure
    }

    /// The value in place of a digest if there is no file.
    package static let noFile = "none"
}

/// The changes since the crawl's state was last written.
package struct CrawlChanges: Sendable {
    /// A URL that was found.
    package struct Row: Sendable {
        package var item: CrawlItem
        package var role: CrawlScope.Role
        package var depth: Int
        /// The rule by which the URL is skipped, or nil if it waits.
        package var rule: SkipRule?
        /// True if a sitemap lists it.
        package var isListed = false
        /// The progress of reading it as a page.
        package var page = PageReading.none

        package init(
            item: CrawlItem,
            role: CrawlScope.Role,
            depth: Int,
            rule: SkipRule?,
            isListed: Bool = false,
            page: PageReading = .none
        ) {
            self.item = item
            self.role = role
            self.depth = depth
            self.rule = rule
            self.isListed = isListed
            self.page = page
        }
    }

    /// The progress of reading a URL's answer as a page, whatever was found first: a page or, for example, an image.
    package enum PageReading: Int, Sendable {
        /// Nothing refers to it as a page.
        case none
        /// Something refers to it as a page.
        case wanted
        /// Its answer must be read again as a page.
        case due
        /// Its answer has been read again as a page.
        case done
        /// It was read as a page, and must be read again because fewer links lead to it.
        case relaxed
    }

    /// The new URLs, in the order in which they were found.
    package var found: [Row] = []
    /// The waiting URLs that were found again with a stronger role or a smaller depth.
    package var improved: [(id: Int64, role: CrawlScope.Role, depth: Int)] = []
    /// The waiting scripts and style sheets that may never be loaded and were found again in a certain way.
    package var certain: [Int64] = []
    /// The URLs that were found again as pages.
    package var pages: [(id: Int64, reading: PageReading)] = []
    /// The outcomes whose bodies were read again as pages, by the numbers of their rows.
    package var reread: [(id: Int64, outcome: FetchOutcome)] = []
    /// The rows that later rows replace.
    package var superseded: [Int64] = []
    /// The waiting URLs that are skipped after all.
    package var refused: [(item: CrawlItem, rule: SkipRule)] = []
    /// The rule by which all waiting URLs are skipped; nil while the crawl continues.
    package var refusesRest: SkipRule?
    /// The rounds of guesses that began.
    package var rounds: [GuessRound] = []
    /// The digests of origins' robots.txt.
    package var robots: [(origin: String, digest: String)] = []
    /// The outcomes of requested URLs, by the numbers of their rows.
    package var results: [(id: Int64, outcome: FetchOutcome)] = []
    /// The answers that arrived before their turn.
    package var early: [EarlyAnswers.Row] = []
    /// The URLs whose early answers have been taken.
    package var settled: [WebURL] = []
    /// The decisions of a dry run about URLs, in the order in which they are made.
    package var plan: [CrawlEvent] = []

    package init() {}

    /// The number of rows to write.
    package var count: Int {
        found.count + improved.count + superseded.count + refused.count + results.count + early.count + settled.count
            + plan.count + certain.count + pages.count + reread.count + rounds.count
    }
}

/// The location of a compressed body, and its properties.
package struct CrawledBody: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// Parts of the crawl's own file.
        case spool([Extent])
        /// A member of the package to update, by its index.
        case older(member: Int)
    }

    /// A part of a file.
    package struct Extent: Sendable, Equatable {
        package var offset: Int64
        package var count: Int

        package init(offset: Int64, count: Int) {
            self.offset = offset
            self.count = count
        }
    }

    package var place: Place
    package var crc32: UInt32
    /// The size of the uncompressed body, in bytes.
    package var size: Int64
    package var compressedSize: Int64
    package var isDeflated: Bool

    package init(place: Place, crc32: UInt32, size: Int64, compressedSize: Int64, isDeflated: Bool) {
        self.place = place
        self.crc32 = crc32
        self.size = size
        self.compressedSize = compressedSize
        self.isDeflated = isDeflated
    }
}

/// A URL of an interrupted crawl.
package struct PastURL {
    package var row: CrawlChanges.Row
    /// True if a later row replaces this one.
    package var isSuperseded: Bool
    /// The outcome, or nil if the URL waits or is skipped.
    package var outcome: FetchOutcome?

    package init(row: CrawlChanges.Row, isSuperseded: Bool, outcome: FetchOutcome?) {
        self.row = row
        self.isSuperseded = isSuperseded
        self.outcome = outcome
    }
}

/// An answer of an interrupted crawl that arrived before its turn.
package struct PastAnswer {
    package var url: WebURL
    package var key: URLKey
    package var destination: Destination
    package var role: CrawlScope.Role
    /// True for a resource or a redirect.
    package var isKept: Bool
    /// The size of its body, in bytes.
    package var bytes: Int64
    package var requests: Int

    package init(
        _ url: WebURL,
        as destination: Destination,
        _ role: CrawlScope.Role,
        isKept: Bool,
        bytes: Int64,
        requests: Int
    ) {
        self.url = url
        key = URLKey(url)
        self.destination = destination
        self.role = role
        self.isKept = isKept
        self.bytes = bytes
        self.requests = requests
    }
}
