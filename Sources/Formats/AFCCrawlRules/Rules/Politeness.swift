/// How much of an origin's attention a crawl may take.
public struct Politeness: Sendable, Equatable {
    /// How many requests to one host are under way at once.
    public var connectionsPerHost = 8
    /// How many requests are under way at once.
    public var connections = 32
    /// How long to wait between the starts of two requests to one host, which then come one after the other; nil for no wait.
    ///
    /// Where a robots.txt asks for a longer Crawl-delay, that counts.
    public var delay: Duration?
    /// How many requests to one host start in a second, evenly spread, or nil for no limit.
    public var requestsPerSecond: Double?
    /// How many bytes are received in a second, from all hosts together, or nil for no limit.
    public var bytesPerSecond: Int64?
    /// The longest Crawl-delay that is kept; a longer one counts as this.
    public var longestCrawlDelay: Duration = .seconds(30)
    /// How long a host is left alone after it was asked too much, and doesn't say how long; doubled each time.
    public var firstPause: Duration = .seconds(1)
    /// How long it is left alone at most where it doesn't say how long.
    public var longestPause: Duration = .seconds(60)
    /// How long it is left alone at most where its Retry-After says so.
    public var longestRetryAfter: Duration = .seconds(300)

    /// Creates the defaults.
    public init() {}

    /// The time between the starts of two requests to one host by ``requestsPerSecond``.
    package var pace: Duration? {
        guard let rate = requestsPerSecond, rate > 0, rate.isFinite else { return nil }
        return .seconds(1 / max(rate, 1e-6))
    }
}

/// How long to wait so that bytes come no faster than they may: a token bucket as a pure value.
///
/// What a quarter of a second allows may come at once.
package struct ByteRate: Sendable {
    private let bytesPerSecond: Double
    // When all that came so far would have come at the rate.
    private var paid: Duration = .zero - Self.burst

    /// Creates a bucket that is full.
    ///
    /// - Parameter bytesPerSecond: How many bytes may come in a second, at least one.
    package init(bytesPerSecond: Int64) { self.bytesPerSecond = Double(max(1, bytesPerSecond)) }

    /// Takes bytes that came, and says how long to wait before the next.
    package mutating func wait(for bytes: Int, at now: Duration) -> Duration {
        paid = max(paid, now - Self.burst) + .seconds(Double(max(0, bytes)) / bytesPerSecond)
        return max(.zero, paid - now)
    }

    private static var burst: Duration { .milliseconds(250) }
}
