/// How long to wait so that bytes come no faster than they may: a token bucket as a pure value.
///
/// What a quarter of a second allows may come at once.
struct ByteRate: Sendable {
    private let bytesPerSecond: Double
    // When all that came so far would have come at the rate.
    private var paid: Duration = .zero - Self.burst

    /// Creates a bucket that is full.
    ///
    /// - Parameter bytesPerSecond: How many bytes may come in a second, at least one.
    init(bytesPerSecond: Int64) { self.bytesPerSecond = Double(max(1, bytesPerSecond)) }

    /// Takes bytes that came, and says how long to wait before the next.
    mutating func wait(for bytes: Int, at now: Duration) -> Duration {
        paid = max(paid, now - Self.burst) + .seconds(Double(max(0, bytes)) / bytesPerSecond)
        return max(.zero, paid - now)
    }

    private static var burst: Duration { .milliseconds(250) }
}
