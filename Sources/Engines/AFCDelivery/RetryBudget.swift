/// When to try again, and when to give up: a pure decision from failures and from what arrived between them.
struct RetryBudget {
    /// How many bytes must have come since the last failure for it not to count.
    static let progress: Int64 = 64 << 10
    /// The longest pause that the budget makes by itself.
    static let longestPause = Duration.seconds(60)

    /// How many failures without progress there may be.
    let retries: Int
    /// The pause after the first of them.
    let pause: Duration
    /// Failures since anything of worth arrived.
    private(set) var failures = 0
    /// The most bytes that were there at a failure: a server that begins anew each time makes no progress.
    private var highest: Int64

    init(retries: Int, pause: Duration, size: Int64) {
        self.retries = retries
        self.pause = pause
        highest = size
    }

    /// Takes note of a failure, and says whether to try again.
    ///
    /// - Parameter size: How many bytes are there.
    /// - Returns: False means to give up.
    mutating func allowsRetry(size: Int64) -> Bool {
        if size >= highest + Self.progress {
            highest = size
            failures = 0
        }
        failures += 1
        return failures <= retries
    }

    /// How long to wait now: what the server asked for, or twice as long each time.
    func wait(_ asked: Int64?) -> Duration {
        asked.map { .seconds($0) } ?? min(pause * (1 << min(max(failures, 1) - 1, 6)), Self.longestPause)
    }
}
