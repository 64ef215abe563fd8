/// The decision when to retry and when to give up, made purely from failures and from the bytes received between them.
struct RetryBudget {
    /// The bytes that must arrive after a failure for it not to count.
    static let progress: Int64 = 64 << 10
    /// The longest pause that the budget chooses by itself.
    static let longestPause = Duration.seconds(60)

    /// The number of failures without progress that are allowed.
    let retries: Int
    /// The pause after the first failure.
    let pause: Duration
    /// The number of failures since the last progress.
    private(set) var failures = 0
    /// The most bytes received before a failure: a server that starts over each time makes no progress.
    private var highest: Int64

    init(retries: Int, pause: Duration, size: Int64) {
        self.retries = retries
        self.pause = pause
        highest = size
    }

    /// Counts a failure, and decides if there is a retry.
    ///
    /// - Parameter size: The number of bytes received.
    /// - Returns: False to give up.
    mutating func allowsRetry(size: Int64) -> Bool {
        if size >= highest + Self.progress {
            highest = size
            failures = 0
        }
        failures += 1
        return failures <= retries
    }

    /// The number of failures, to be put behind the reason; empty after the first one.
    var times: String { failures <= 1 ? "" : ", \(failures) times" }

    /// Returns the pause: the one that the server asked for, or twice the previous one.
    func wait(_ asked: Int64?) -> Duration {
        asked.map { .seconds($0) } ?? min(pause * (1 << min(max(failures, 1) - 1, 6)), Self.longestPause)
    }
}
