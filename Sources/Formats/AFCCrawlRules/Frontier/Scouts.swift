/// URLs that are asked for before it is known when their turn comes, or whether.
///
/// They are what answers refer to that came before their own turn, and links of greater depth. Both lists are bounded: what
/// finds no room is found again when its turn comes.
struct Scouts {
    /// A URL that may be asked for.
    struct Candidate {
        var item: CrawlItem
        var role: CrawlScope.Role
        var depth: Int
        var isNofollow = false
    }

    /// A URL that is asked for.
    struct Scout {
        var slot: Lane.Slot
        var role: CrawlScope.Role
        var depth: Int
    }

    /// What is asked for, by the number of its ticket.
    private(set) var running: [Int: Scout] = [:]
    private var runningKeys: Set<URLKey> = []
    private var candidates = SlotWindow<Candidate>()
    private var candidateKeys: Set<URLKey> = []
    private var lastNumber = 0
    /// The last URL of greater depth that was read from the crawl's state.
    var lastLoaded: Int64 = 0
    /// Whether the crawl's state may have further ones.
    var mayLoad = false

    private static let candidateLimit = 16_384

    var isEmpty: Bool { candidates.count == 0 }
    var hasRoom: Bool { candidates.count < Self.candidateLimit }

    /// Whether a URL is asked for.
    func isRunning(_ key: URLKey) -> Bool { runningKeys.contains(key) }

    subscript(number: Int) -> Lane.Slot? {
        get { running[number]?.slot }
        set {
            guard let newValue else { return }
            running[number]?.slot = newValue
        }
    }

    /// Takes a URL that may be asked for, unless there is no room or it is here already.
    mutating func offer(_ candidate: Candidate) {
        let key = candidate.item.key
        guard hasRoom, !runningKeys.contains(key), candidateKeys.insert(key).inserted else { return }
        _ = candidates.append(candidate)
    }

    /// The next URL that may be asked for.
    mutating func popFirst() -> Candidate? {
        guard let candidate = candidates.popFirst() else { return nil }
        candidateKeys.remove(candidate.item.key)
        return candidate
    }

    /// Begins to ask for a URL.
    ///
    /// - Returns: The number of its ticket.
    mutating func start(_ candidate: Candidate) -> Int {
        lastNumber += 1
        let slot = Lane.Slot(item: candidate.item, status: .queued)
        running[lastNumber] = Scout(slot: slot, role: candidate.role, depth: candidate.depth)
        runningKeys.insert(candidate.item.key)
        return lastNumber
    }

    /// Ends asking for a URL.
    mutating func end(_ number: Int) -> Scout? {
        guard let scout = running.removeValue(forKey: number) else { return nil }
        runningKeys.remove(scout.slot.item.key)
        return scout
    }

    /// Forgets what might be asked for, as the crawl has come to another depth.
    mutating func forgetLoads() {
        lastLoaded = 0
        mayLoad = true
    }
}
