internal import AFCDiscovery

/// The answers that arrived before their turn.
///
/// Each stays in memory until it is saved in the crawl's state. Beyond a number of answers, or of their references,
/// memory keeps no contents: when its turn comes, an answer is read from the state, and its references from its body.
package struct EarlyAnswers {
    /// An answer to save in the crawl's state.
    package struct Row: Sendable {
        package var item: CrawlItem
        package var role: CrawlScope.Role
        package var outcome: FetchOutcome
    }

    fileprivate enum Persistence { case unwritten, underWay, written }

    /// An answer, with the facts that are needed before its turn.
    struct Answer {
        fileprivate var content: Content
        /// The destination as which the body was read.
        fileprivate(set) var destination: Destination
        /// The role that the URL had then.
        fileprivate(set) var role: CrawlScope.Role
        fileprivate var persistence: Persistence
        /// True if the outcome includes the body's references.
        fileprivate(set) var isRead: Bool
        fileprivate var isUnchanged: Bool
        fileprivate var isKept: Bool
        fileprivate var bytes: Int64
        fileprivate var requests: Int

        /// The outcome, or nil if only the crawl's state has it.
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
    /// The number of answers in memory.
    private(set) var held = 0
    /// The number of their references.
    private(set) var references = 0
    /// The number of resources and redirects among all answers.
    private(set) var kept = 0
    /// The total size of their bodies, in bytes.
    private(set) var bytes: Int64 = 0
    /// The number of requests that they took.
    private(set) var requests = 0

    var count: Int { entries.count }

    /// The number of answers that aren't saved yet.
    var unwrittenCount: Int { unwritten.count }

    subscript(key: URLKey) -> Answer? { entries[key] }

    func contains(_ key: URLKey) -> Bool { entries[key] != nil }

    /// Returns the size of an answer's body, in bytes.
    func size(of key: URLKey) -> Int64 { entries[key]?.bytes ?? 0 }

    /// Returns the outcome of an answer and its item, if they are in memory.
    func held(_ key: URLKey) -> (outcome: FetchOutcome, item: CrawlItem)? { entries[key]?.content.held }

    /// Adds an answer.
    ///
    /// - Parameters:
    ///   - outcome: The answer.
    ///   - item: The item that was requested.
    ///   - role: The role of the item then.
    ///   - isRead: Whether the outcome includes the body's references.
    mutating func insert(_ outcome: FetchOutcome, of item: CrawlItem, as role: CrawlScope.Role, isRead: Bool) {
        _ = remove(item.key)
        let isKept = outcome.isKept
        entries[item.key] = Answer(
            content: .memory(outcome, item),
            destination: item.destination,
            role: role,
            persistence: .unwritten,
            isRead: isRead,
            isUnchanged: outcome.isUnchanged,
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

    /// Loads the references of an answer into memory again.
    mutating func reread(_ key: URLKey, _ outcome: FetchOutcome, of item: CrawlItem) {
        guard var entry = entries[key] else { return }
        if let before = entry.content.held { references -= before.outcome.references.count } else { held += 1 }
        var outcome = outcome
        outcome.isUnchanged = entry.isUnchanged
        references += outcome.references.count
        entry.content = .memory(outcome, item)
        entry.isRead = true
        entry.destination = item.destination
        entries[key] = entry
    }

    /// Adds an answer of an interrupted crawl, which is already saved.
    mutating func restore(_ past: PastAnswer) {
        entries[past.key] = Answer(
            content: .state,
            destination: past.destination,
            role: past.role,
            persistence: .written,
            isRead: false,
            isUnchanged: false,
            isKept: past.isKept,
            bytes: past.bytes,
            requests: past.requests
        )
        if past.isKept { kept += 1 }
        bytes += past.bytes
        requests += past.requests
    }

    /// Removes an answer.
    ///
    /// - Returns: True if the answer is, or soon will be, in the crawl's state.
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

    /// Returns the answers that aren't saved yet; the caller saves them.
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

    /// Records that the returned answers are saved, and drops contents that memory doesn't need.
    mutating func noteWritten() {
        for key in underWay where entries[key]?.persistence == .underWay {
            entries[key]?.persistence = .written
            guard entries[key]?.isRead == false, entries[key]?.content.held != nil else { continue }
            entries[key]?.content = .state
            held -= 1
        }
        underWay = []
    }

    /// Forgets the keys of answers that were taken before they were saved, so that they don't accumulate.
    mutating func forgetTaken() {
        guard unwritten.count > 2 * entries.count + 4096 else { return }
        unwritten = unwritten.filter { entries[$0] != nil }
    }
}
