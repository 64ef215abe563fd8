/// The load that a crawl may put on an origin.
public struct Politeness: Sendable, Equatable {
    /// The number of concurrent requests to one host.
    public var connectionsPerHost = 8
    /// The number of concurrent requests in total.
    public var connections = 32
    /// The time between the starts of two requests to one host, which then run one at a time; nil for no delay.
    ///
    /// A longer Crawl-delay in robots.txt takes precedence.
    public var delay: Duration?
    /// The number of bytes to receive per second, from all hosts together, or nil for no limit.
    public var bytesPerSecond: Int64?
    /// The longest accepted Crawl-delay; a longer one is reduced to this.
    public var longestCrawlDelay: Duration = .seconds(30)
    /// The first pause after a host reports an overload without Retry-After; each further one is twice as long.
    public var firstPause: Duration = .seconds(1)
    /// The longest pause without Retry-After.
    public var longestPause: Duration = .seconds(60)
    /// The longest pause with Retry-After.
    public var longestRetryAfter: Duration = .seconds(300)

    /// Creates the defaults.
    public init() {}
}

/// A limit on the rate of received bytes: a token bucket as a pure value.
///
/// The bytes of a quarter of a second may arrive at once.
package struct ByteRate: Sendable {
    private let bytesPerSecond: Double
    // The time at which all received bytes would have arrived at the permitted rate.
    private var paid: Duration = .zero - Self.burst

    /// Creates a full bucket.
    ///
    /// - Parameter bytesPerSecond: The number of bytes per second, at least one.
    package init(bytesPerSecond: Int64) { self.bytesPerSecond = Double(max(1, bytesPerSecond)) }

    /// Counts received bytes, and returns the time to wait before reading more.
    package mutating func wait(for bytes: Int, at now: Duration) -> Duration {
        paid = max(paid, now - Self.burst) + .seconds(Double(max(0, bytes)) / bytesPerSecond)
        return max(.zero, paid - now)
    }

    private static var burst: Duration { .milliseconds(250) }
}
