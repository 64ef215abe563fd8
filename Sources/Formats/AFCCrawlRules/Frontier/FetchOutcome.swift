internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCURL

/// What one URL of the queue brought.
struct FetchOutcome: Sendable {
    enum Content: Sendable {
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

    var content: Content
    /// How many requests it took.
    var requests: Int
    /// How long the last of them took.
    var elapsed: Duration = .zero
    /// The bytes of the body as they came.
    var received: Int64 = 0
    /// What the host's turn is to know.
    var feedback = HostGate.Feedback.fine
    /// What became of it since the older package.
    var change: CrawlReport.Change?
    /// Whether the older package has just that, but for when it came.
    var isAsBefore = false
    /// Indicates whether what the body refers to is still to be read from the spool: the body is a large text.
    var isUnread = false
    /// For which limits some of what it refers to is left out.
    var cuts: Set<DiscoveryCut> = []

    /// Indicates whether it is a page that names no icon, so that browsers ask for the origin's.
    var asksForIcon = false
    /// Indicates whether it is a page that seems to need scripts.
    var needsScripts = false

    /// The URLs that it refers to.
    var references: [FoundURL] {
        switch content {
        case .resource(_, _, let references), .kept(_, _, _, let references), .leftOut(_, let references),
            .planned(let references):
            references
        case .redirect, .failure, .again, .notModified: []
        }
    }

    /// Takes away some of the URLs that it refers to.
    mutating func removeReferences(where isUnwanted: (FoundURL) -> Bool) {
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
    mutating func removeReferences() { removeReferences { _ in true } }

    /// Indicates whether the crawl's state can hold it, so that what it refers to can be read again from its body.
    var isPersistent: Bool {
        switch content {
        case .resource, .kept, .redirect, .failure: true
        case .again, .leftOut, .notModified, .planned: false
        }
    }

    /// Whether it comes into the package.
    var isKept: Bool {
        switch content {
        case .resource, .kept, .redirect: true
        case .failure, .again, .leftOut, .notModified, .planned: false
        }
    }

    /// The bytes of its body in the package.
    var size: Int64 {
        switch content {
        case .resource(let record, _, _), .kept(let record, _, _, _): record.size ?? 0
        case .redirect, .failure, .again, .leftOut, .notModified, .planned: 0
        }
    }

    /// The outcome as the crawl's state keeps it.
    func result(id: Int64) -> CrawlResult {
        let content: CrawlResult.Content =
            switch content {
            case .resource(let record, let body, _): .resource(record, body)
            case .kept(let record, let body, let failure, _): .kept(record, body, failure)
            case .redirect(let record, let target): .redirect(record, target: target)
            case .failure(let failure), .again(let failure, _): .failure(failure)
            case .notModified(let head): .failure(.status(head.status, reason: head.reason))
            case .planned: .planned
            case .leftOut(let rule, _): .leftOut(rule)
            }
        return CrawlResult(
            id: id,
            content: content,
            requests: requests,
            elapsed: elapsed,
            received: received,
            change: change,
            cuts: cuts,
            needsScripts: needsScripts
        )
    }
}

/// What an origin's robots.txt says, or why nothing is known of it.
struct RobotsAnswer: Sendable {
    var rules: RobotsRules
    var requests: Int
    /// The number of requests that were retries.
    var retries = 0
    /// The file's SHA-256 in hexadecimal digits, ``noFile``, or nil where nothing is known of it.
    var digest: String?
    var failure: CrawlReport.Failure?

    /// What stands for a file's digest where there is none.
    static let noFile = "none"
}
