internal import AFCCrawlRules
internal import Synchronization

/// A limit on bytes in a second that all fetches of a crawl keep together.
final class SharedByteRate: Sendable {
    private let rate: Mutex<ByteRate>
    private let started = ContinuousClock.now

    init(bytesPerSecond: Int64) { rate = Mutex(ByteRate(bytesPerSecond: bytesPerSecond)) }

    /// Takes bytes that came, and says how long to wait before the next are read.
    func wait(for bytes: Int) -> Duration {
        let now = started.duration(to: .now)
        return rate.withLock { $0.wait(for: bytes, at: now) }
    }
}
