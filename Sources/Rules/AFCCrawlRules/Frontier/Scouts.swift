/// The URLs that are requested before it is known when, or whether, their turn comes.
///
/// They are references of early answers, and links of greater depth. Both lists are bounded: a URL that has no room is
/// found again when its turn comes.
struct Scouts {
    /// A URL that may be requested.
    struct Candidate {
        var item: CrawlItem
        var role: CrawlScope.Role
        var depth: Int
        var isNofollow = false
    }

    /// A URL that is being requested.
    struct Scout {
        var slot: Lane.Slot
        var role: CrawlScope.Role
        var depth: Int
    }

    /// The URLs being requested, by the numbers of their tickets.
    private(set) var running: [Int: Scout] = [:]
    private var runningKeys: Set<URLKey> = []
    private var candidates = SlotWindow<Candidate>()
    private var candidateKeys: Set<URLKey> = []
    private var lastNumber = 0
    /// The number of the last URL of greater depth that was read from the crawl's state.
    var lastLoaded: Int64 = 0
    /// True if the crawl's state may have further such URLs.
    var mayLoad = false

    private static let candidateLimit = 16_384

    var isEmpty: Bool { candidates.count == 0 }
    var hasRoom: Bool { candidates.count < Self.candidateLimit }

    /// Returns true if a URL is being requested.
    func isRunning(_ key: URLKey) -> Bool { runningKeys.contains(key) }

    subscript(number: Int) -> Lane.Slot? {
        get { running[number]?.slot }
        set {
            guard let newValue else { return }
            running[number]?.slot = newValue
        }
    }

    /// Adds a URL that may be requested, unless there is no room or it has already been added.
    mutating func offer(_ candidate: Candidate) {
        let key = candidate.item.key
        guard hasRoom, !runningKeys.contains(key), candidateKeys.insert(key).inserted else { return }
        _ = candidates.append(candidate)
    }

    /// Removes and returns the next URL to request.
    mutating func popFirst() -> Candidate? {
        guard let candidate = candidates.popFirst() else { return nil }
        candidateKeys.remove(candidate.item.key)
        return candidate
    }

    /// Records the start of a request.
    ///
    /// - Returns: The number of its ticket.
    mutating func start(_ candidate: Candidate) -> Int {
        lastNumber += 1
        var slot = Lane.Slot(item: candidate.item)
        slot.apply(.enqueue)
        running[lastNumber] = Scout(slot: slot, role: candidate.role, depth: candidate.depth)
        runningKeys.insert(candidate.item.key)
        return lastNumber
    }

    /// Records the end of a request.
    mutating func end(_ number: Int) -> Scout? {
        guard let scout = running.removeValue(forKey: number) else { return nil }
        runningKeys.remove(scout.slot.item.key)
        return scout
    }

    /// Starts reading from the beginning again, because the crawl has reached another depth.
    mutating func forgetLoads() {
        lastLoaded = 0
        mayLoad = true
    }
}
