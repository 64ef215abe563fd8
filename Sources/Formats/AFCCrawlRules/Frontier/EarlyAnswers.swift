internal import AFCDiscovery

/// Answers that came before their turn.
///
/// Each stays in memory until the crawl's state has it. Beyond a number of them, and of the URLs that they refer to, only the
/// state keeps an answer, and what it refers to is read again from its body when its turn comes.
package struct EarlyAnswers {
    /// An answer for the crawl's state.
    package struct Row: Sendable {
        package var item: CrawlItem
        package var role: CrawlScope.Role
        package var outcome: FetchOutcome
    }

    fileprivate enum Persistence { case unwritten, underWay, written }

    /// An answer, and what must be known of it until its turn.
    struct Answer {
        fileprivate var content: Content
        /// What the body was read as.
        fileprivate(set) var destination: Destination
        /// How the URL had been found.
        fileprivate(set) var role: CrawlScope.Role
        fileprivate var persistence: Persistence
        /// Whether the outcome has what the body refers to.
        fileprivate(set) var isRead: Bool
        fileprivate var isAsBefore: Bool
        fileprivate var isKept: Bool
        fileprivate var bytes: Int64
        fileprivate var requests: Int

        /// What came, or nil: the crawl's state has it.
        var outcome: FetchOutcome? { content.held?.outcome }
    }

    fileprivate indirect enum Content {
        case memory(FetchOutcome, CrawlItem)
        case state

        var held: (outcome: FetchOutcome, item: CrawlItem)? {
            if case .memory(let outcome, let item) = self { (outcome, item) } else { nil }
        }
    }

    private var entries: [URLKey: Answer] = [:]
    private var unwritten: [URLKey] = []
    private var underWay: [URLKey] = []
    /// How many answers are in memory.
    private(set) var held = 0
    /// How many URLs those in memory refer to.
    private(set) var references = 0
    /// How many resources and redirects there are among all.
    private(set) var kept = 0
    /// How many bytes their bodies have.
    private(set) var bytes: Int64 = 0
    /// How many requests brought them.
    private(set) var requests = 0

    var count: Int { entries.count }

    /// How many answers the crawl's state hasn't got yet.
    var unwrittenCount: Int { unwritten.count }

    subscript(key: URLKey) -> Answer? { entries[key] }

    func contains(_ key: URLKey) -> Bool { entries[key] != nil }

    /// How many bytes the body of an answer has.
    func size(of key: URLKey) -> Int64 { entries[key]?.bytes ?? 0 }

    /// Where an answer was found, and what it refers to, as far as memory has that.
    func held(_ key: URLKey) -> (outcome: FetchOutcome, item: CrawlItem)? { entries[key]?.content.held }

    /// Keeps an answer.
    ///
    /// - Parameters:
    ///   - outcome: The answer.
    ///   - item: What was asked for.
    ///   - role: How it had been found.
    ///   - isRead: Whether the answer has what its body refers to.
    mutating func insert(_ outcome: FetchOutcome, of item: CrawlItem, as role: CrawlScope.Role, isRead: Bool) {
        _ = remove(item.key)
        let isKept = outcome.isKept
        entries[item.key] = Answer(
            content: .memory(outcome, item),
            destination: item.destination,
            role: role,
            persistence: .unwritten,
            isRead: isRead,
            isAsBefore: outcome.isAsBefore,
            isKept: isKept,
            bytes: outcome.size,
            requests: outcome.requests
        )
        held += 1
        references += outcome.references.count
        if isKept { kept += 1 }
        bytes += outcome.size
        requests += outcome.requests
        if outcome.isPersistent { unwritten.append(item.key) }
    }

    /// Puts what an answer refers to back into memory.
    mutating func reread(_ key: URLKey, _ outcome: FetchOutcome, of item: CrawlItem) {
        guard var entry = entries[key] else { return }
        if let before = entry.content.held { references -= before.outcome.references.count } else { held += 1 }
        var outcome = outcome
        outcome.isAsBefore = entry.isAsBefore
        references += outcome.references.count
        entry.content = .memory(outcome, item)
        entry.isRead = true
        entry.destination = item.destination
        entries[key] = entry
    }

    /// Keeps an answer of an interrupted crawl, which its state has.
    mutating func restore(_ past: PastAnswer) {
        entries[past.key] = Answer(
            content: .state,
            destination: past.destination,
            role: past.role,
            persistence: .written,
            isRead: false,
            isAsBefore: false,
            isKept: past.isKept,
            bytes: past.bytes,
            requests: past.requests
        )
        if past.isKept { kept += 1 }
        bytes += past.bytes
        requests += past.requests
    }

    /// Takes an answer away.
    ///
    /// - Returns: Whether the crawl's state has it, or soon will.
    mutating func remove(_ key: URLKey) -> Bool {
        guard let entry = entries.removeValue(forKey: key) else { return false }
        if let (outcome, _) = entry.content.held {
            held -= 1
            references -= outcome.references.count
        }
        if entry.isKept { kept -= 1 }
        bytes -= entry.bytes
        requests -= entry.requests
        return entry.persistence != .unwritten
    }

    /// The answers that the crawl's state hasn't got yet; it gets them now.
    mutating func takeUnwritten() -> [Row] {
        var rows: [Row] = []
        for key in unwritten {
            guard entries[key]?.persistence == .unwritten, let (outcome, item) = entries[key]?.content.held else {
                continue
            }
            entries[key]?.persistence = .underWay
            underWay.append(key)
            rows.append(Row(item: item, role: entries[key]?.role ?? .link, outcome: outcome.recorded))
        }
        unwritten = []
        return rows
    }

    /// Notes that the crawl's state has what it was given; what isn't needed in memory goes.
    mutating func noteWritten() {
        for key in underWay where entries[key]?.persistence == .underWay {
            entries[key]?.persistence = .written
            guard entries[key]?.isRead == false, entries[key]?.content.held != nil else { continue }
            entries[key]?.content = .state
            held -= 1
        }
        underWay = []
    }

    /// Forgets the keys of answers that were taken before anything was written, so that they don't gather.
    mutating func forgetTaken() {
        guard unwritten.count > 2 * entries.count + 4096 else { return }
        unwritten = unwritten.filter { entries[$0] != nil }
    }
}
