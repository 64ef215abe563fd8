internal import NIOCore

/// A pure decision whether bytes arrive fast enough to wait for more.
///
/// A server that sends a byte now and then is never silent, and could hold its connection forever. Time in which no
/// reader waits doesn't count.
struct Pace {
    /// The time in which the fewest bytes must arrive.
    private let window: TimeAmount
    private let least: Int
    private var since = NIODeadline.now()
    private var count = 0
    private var pausedAt: NIODeadline?

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - window: The time in which the fewest bytes must arrive.
    ///   - least: The fewest bytes.
    init(window: TimeAmount, least: Int) {
        self.window = window
        self.least = least
    }

    /// Starts over.
    mutating func restart(at now: NIODeadline) {
        since = now
        count = 0
        if pausedAt != nil { pausedAt = now }
    }

    /// Counts bytes.
    mutating func receive(_ bytes: Int, at now: NIODeadline) {
        count += bytes
        if count >= least { restart(at: now) }
    }

    /// Notes that no reader waits from now on.
    mutating func pause(at now: NIODeadline) { if pausedAt == nil { pausedAt = now } }

    /// Notes that a reader waits again.
    mutating func resume(at now: NIODeadline) {
        if let pausedAt { since = since + (now - pausedAt) }
        pausedAt = nil
    }

    /// Returns the time that is left; zero or negative if too few bytes arrived.
    func rest(at now: NIODeadline) -> TimeAmount { window - ((pausedAt ?? now) - since) }

    /// True if any bytes arrived in the current window.
    var hasReceived: Bool { count > 0 }
}
