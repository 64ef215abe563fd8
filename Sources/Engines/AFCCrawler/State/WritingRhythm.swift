/// The schedule for writing a crawl's state: often enough to lose little, rarely enough to cost little.
struct WritingRhythm {
    /// The longest time whose results may be lost.
    private let interval: Duration
    /// The largest number of changes kept in memory.
    private static let changeLimit = 20_000

    /// True during a write.
    private(set) var isWriting = false
    /// The time of the next write, if there are changes.
    private(set) var next: Duration

    init(interval: Duration) {
        self.interval = interval
        next = interval
    }

    /// Returns true if a write starts now, and records that it is in progress.
    mutating func begins(at now: Duration, changes: Int) -> Bool {
        guard !isWriting, changes > 0, now >= next || changes >= Self.changeLimit else { return false }
        isWriting = true
        return true
    }

    /// Records the end of a write; a slow write is followed by a longer pause.
    mutating func ends(at now: Duration, took duration: Duration) {
        isWriting = false
        next = now + max(interval, duration * 10)
    }
}
