/// When a crawl's state is written: often enough that little is lost, seldom enough that it costs little.
struct WritingRhythm {
    /// How much a crawl may lose.
    private let interval: Duration
    /// How many changes are kept in memory at most.
    private static let changeLimit = 20_000

    /// Whether a write is under way.
    private(set) var isWriting = false
    /// When a write is due, where there are changes.
    private(set) var next: Duration

    init(interval: Duration) {
        self.interval = interval
        next = interval
    }

    /// Whether a write begins now; then one is under way.
    mutating func begins(at now: Duration, changes: Int) -> Bool {
        guard !isWriting, changes > 0, now >= next || changes >= Self.changeLimit else { return false }
        isWriting = true
        return true
    }

    /// Notes that the write is done; the pause is long where writing takes long.
    mutating func ends(at now: Duration, took duration: Duration) {
        isWriting = false
        next = now + max(interval, duration * 10)
    }
}
