/// Whether bytes arrive fast enough to wait for more: a pure decision.
///
/// A server that sends a byte now and then is never silent, and would hold its connection for ever.
public struct Pace: Sendable {
    /// The fewest bytes of a window.
    public static let least = 1024

    private let window: Duration
    private var start: ContinuousClock.Instant
    private var count = 0

    /// Begins to measure.
    ///
    /// - Parameters:
    ///   - window: In what time the fewest bytes must have come.
    ///   - now: The present instant.
    public init(window: Duration, now: ContinuousClock.Instant) {
        self.window = window
        start = now
    }

    /// Leaves out time in which nothing was wanted.
    ///
    /// - Parameter time: How long that was.
    public mutating func pause(for time: Duration) { start += time }

    /// Takes note of bytes, and says whether they are enough.
    ///
    /// - Parameters:
    ///   - bytes: How many came.
    ///   - now: The present instant.
    /// - Returns: Whether to wait for more.
    public mutating func isEnough(_ bytes: Int, at now: ContinuousClock.Instant) -> Bool {
        count += bytes
        guard start.duration(to: now) >= window else { return true }
        guard count >= Self.least else { return false }
        start = now
        count = 0
        return true
    }
}
