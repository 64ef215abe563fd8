/// The decision when to retry and when to give up, made purely from failures and from the bytes received between them.
struct RetryBudget {
    /// The bytes that must arrive after a failure for it not to count.
    static let progress: Int64 = 64 << 10
    /// The longest pause that the budget chooses by itself.
    static let longestPause = Duration.seconds(60)

    /// The number of times without progress that a server may let a time limit pass: it costs a minute each time.
    static let timeouts = 1

    /// The number of failures without progress that are allowed.
    let retries: Int
    /// The pause after the first failure.
    let pause: Duration
    /// The number of failures since the last progress.
    private(set) var failures = 0
    /// The number of time limits that passed since the last progress.
    private var stalls = 0
    /// The most bytes received before a failure: a server that starts over each time makes no progress.
    private var highest: Int64

    init(retries: Int, pause: Duration, size: Int64) {
        self.retries = retries
        self.pause = pause
        highest = size
    }

    /// Counts a failure, and decides if there is a retry.
    ///
    /// - Parameters:
    ///   - size: The number of bytes received.
    ///   - isTimeout: True if the server let a time limit pass.
    /// - Returns: False to give up.
    mutating func allowsRetry(size: Int64, isTimeout: Bool = false) -> Bool {
        if size >= highest + Self.progress {
            highest = size
            (failures, stalls) = (0, 0)
        }
        failures += 1
        if isTimeout { stalls += 1 }
        return failures <= retries && stalls <= Self.timeouts
    }

    /// Returns a reason with the number of failures behind its first clause, unless there was only one.
    func counted(_ reason: String) -> String {
        guard failures > 1 else { return reason }
        let end = reason.firstIndex(of: ";") ?? reason.endIndex
        return "\(reason[..<end]), \(failures) times\(reason[end...])"
    }

    /// Returns the pause: the one that the server asked for, or twice the previous one.
    func wait(_ asked: Int64?) -> Duration {
        asked.map { .seconds($0) } ?? min(pause * (1 << min(max(failures, 1) - 1, 6)), Self.longestPause)
    }
}
