package import AFCDiscovery
package import AFCPackageFormat
package import AFCURL

/// What one URL of the queue brought.
package struct FetchOutcome: Sendable {
    package enum Content: Sendable {
        case resource(ResourceRecord, CrawledBody, [FoundURL])
        /// The older package's resource stands, though asking for it failed.
        case kept(ResourceRecord, CrawledBody, FetchFailure, [FoundURL])
        case redirect(ResourceRecord, target: WebURL)
        case failure(FetchFailure)
        /// It failed in a way that may pass, and is asked for again.
        case again(FetchFailure, after: Duration)
        /// The older package's body stands.
        case notModified(FetchHead)
        /// It was read, or would have been, by a dry run.
        case planned([FoundURL])
        /// It was read for what it refers to, and doesn't come into the package.
        case leftOut(SkipRule, [FoundURL])
    }

    package var content: Content
    /// How many requests it took.
    package var requests: Int
    /// How long the last of them took.
    package var elapsed: Duration = .zero
    /// The bytes of the body as they came.
    package var received: Int64 = 0
    /// What the host's turn is to know.
    package var feedback = HostGate.Feedback.fine
    /// What became of it since the older package.
    package var change: CrawlReport.Change?
    /// Whether the older package has just that, but for when it came.
    package var isAsBefore = false
    /// Indicates whether what the body refers to is still to be read from the spool: the body is a large text.
    package var isUnread = false
    /// For which limits some of what it refers to is left out.
    package var cuts: Set<DiscoveryCut> = []

    /// Indicates whether it is a page that names no icon, so that browsers ask for the origin's.
    package var asksForIcon = false
    /// Indicates whether it is a page that seems to need scripts.
    package var needsScripts = false

    package init(content: Content, requests: Int) {
        self.content = content
        self.requests = requests
    }

    /// The URLs that it refers to.
    package var references: [FoundURL] {
        switch content {
        case .resource(_, _, let references), .kept(_, _, _, let references), .leftOut(_, let references),
            .planned(let references):
            references
        case .redirect, .failure, .again, .notModified: []
        }
    }

    /// Takes away some of the URLs that it refers to.
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

    /// Forgets the URLs that it refers to.
    package mutating func removeReferences() { removeReferences { _ in true } }

    /// Indicates whether the crawl's state can hold it, so that what it refers to can be read again from its body.
    package var isPersistent: Bool {
        switch content {
        case .resource, .kept, .redirect, .failure: true
        case .again, .leftOut, .notModified, .planned: false
        }
    }

    /// Whether it comes into the package.
    package var isKept: Bool {
        switch content {
        case .resource, .kept, .redirect: true
        case .failure, .again, .leftOut, .notModified, .planned: false
        }
    }

    /// The bytes of its body in the package.
    package var size: Int64 {
        switch content {
        case .resource(let record, _, _), .kept(let record, _, _, _): record.size ?? 0
        case .redirect, .failure, .again, .leftOut, .notModified, .planned: 0
        }
    }

    /// The outcome as the crawl's state keeps it, without what it refers to.
    package var recorded: FetchOutcome {
        var outcome = self
        outcome.removeReferences()
        if case .again(let failure, _) = content { outcome.content = .failure(failure) }
        return outcome
    }
}

/// What an origin's robots.txt says, or why nothing is known of it.
package struct RobotsAnswer: Sendable {
    package var rules: RobotsRules
    package var requests: Int
    /// The number of requests that were retries.
    package var retries = 0
    /// The file's SHA-256 in hexadecimal digits, ``noFile``, or nil where nothing is known of it.
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

    /// What stands for a file's digest where there is none.
    package static let noFile = "none"
}

/// What a crawl has found out since its state was last written.
package struct CrawlChanges: Sendable {
    /// A URL that was found.
    package struct Row: Sendable {
        package var item: CrawlItem
        package var role: CrawlScope.Role
        package var depth: Int
        /// Why it is not asked for, or nil: it waits.
        package var rule: SkipRule?

        package init(item: CrawlItem, role: CrawlScope.Role, depth: Int, rule: SkipRule?) {
            self.item = item
            self.role = role
            self.depth = depth
            self.rule = rule
        }
    }

    /// New URLs, in the order in which they were found.
    package var found: [Row] = []
    /// URLs that wait, found again in a better way.
    package var improved: [(id: Int64, role: CrawlScope.Role, depth: Int)] = []
    /// Rows that don't count any more, since their URLs stand in later ones.
    package var superseded: [Int64] = []
    /// URLs that waited, and are not asked for after all.
    package var refused: [(item: CrawlItem, rule: SkipRule)] = []
    /// The reason why waiting URLs are not asked for; nil while the crawl continues.
    package var refusesRest: SkipRule?
    /// The digests of origins' robots.txt.
    package var robots: [(origin: String, digest: String)] = []
    /// What became of the URLs that were asked for, by the number of their rows.
    package var results: [(id: Int64, outcome: FetchOutcome)] = []
    /// Answers that came before their turn.
    package var early: [EarlyAnswers.Row] = []
    /// URLs whose early answer has had its turn.
    package var settled: [WebURL] = []
    /// The decisions of a dry run about URLs, in the order in which they are made.
    package var plan: [CrawlEvent] = []

    package init() {}

    /// How many rows are to be written.
    package var count: Int {
        found.count + improved.count + superseded.count + refused.count + results.count + early.count + settled.count
            + plan.count
    }
}

/// Where a body lies, compressed, and what is known of it.
package struct CrawledBody: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// The crawl's own file, in these parts.
        case spool([Extent])
        /// A member of the package that is updated, by its index.
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
    /// The bytes of the body itself.
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
    /// Whether the URL stands in a later row.
    package var isSuperseded: Bool
    /// What became of it, or nil: it waits, or is refused.
    package var outcome: FetchOutcome?

    package init(row: CrawlChanges.Row, isSuperseded: Bool, outcome: FetchOutcome?) {
        self.row = row
        self.isSuperseded = isSuperseded
        self.outcome = outcome
    }
}

/// An answer of an interrupted crawl that came before its turn.
package struct PastAnswer {
    package var url: WebURL
    package var key: URLKey
    package var destination: Destination
    package var role: CrawlScope.Role
    /// Whether it is a resource or a redirect.
    package var isKept: Bool
    /// How many bytes its body has.
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
