internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip

/// What a crawl has found out since its state was last written.
struct CrawlChanges: Sendable {
    /// A URL that was found.
    struct Row: Sendable {
        var item: CrawlItem
        var role: CrawlScope.Role
        var depth: Int
        /// Why it is not asked for, or nil: it waits.
        var rule: SkipRule?
    }

    /// New URLs, in the order in which they were found.
    var found: [Row] = []
    /// URLs that wait, found again in a better way.
    var improved: [(id: Int64, role: CrawlScope.Role, depth: Int)] = []
    /// Rows that don't count any more, since their URLs stand in later ones.
    var superseded: [Int64] = []
    /// URLs that waited, and are not asked for after all.
    var refused: [(item: CrawlItem, rule: SkipRule)] = []
    /// Why whatever waits is not asked for, or nil: the crawl goes on.
    var refusesRest: SkipRule?
    /// The digests of origins' robots.txt.
    var robots: [(origin: String, digest: String)] = []
    /// What was asked for.
    var results: [CrawlResult] = []
    /// Answers that came before their turn.
    var early: [EarlyAnswers.Row] = []
    /// URLs whose early answer has had its turn.
    var settled: [WebURL] = []
    /// The decisions of a dry run about URLs, in the order in which they are made.
    var plan: [CrawlEvent] = []

    /// How many rows are to be written.
    var count: Int {
        found.count + improved.count + superseded.count + refused.count + results.count + early.count + settled.count
            + plan.count
    }
}

/// What became of one URL that was asked for.
struct CrawlResult: Sendable {
    enum Content: Sendable {
        /// A resource, and where its body waits.
        case resource(ResourceRecord, CrawledBody)
        /// The older package's resource, though asking for it failed.
        case kept(ResourceRecord, CrawledBody, FetchFailure)
        /// A redirect.
        case redirect(ResourceRecord, target: WebURL)
        case failure(FetchFailure)
        /// It was read, or would have been, by a dry run.
        case planned
        /// It was read, and is left out of the package.
        case leftOut(SkipRule)
    }

    var id: Int64
    var content: Content
    /// How many requests it took.
    var requests: Int
    /// How long the last of them took.
    var elapsed: Duration
    /// The bytes of the body as they came, their coding still on.
    var received: Int64
    /// What became of it since the package that is updated.
    var change: CrawlReport.Change?
    /// For which limits some of what it refers to is left out.
    var cuts: Set<DiscoveryCut> = []
    /// Indicates whether it is a page that seems to need scripts.
    var needsScripts = false
}

/// A body, compressed, and the file it lies in.
struct CrawledBody: Sendable {
    enum Place: Sendable {
        /// The crawl's own file.
        case spool
        /// A member of the package that is updated, by its index.
        case older(member: Int)
    }

    var place: Place
    var data: DeflatedBody
}
