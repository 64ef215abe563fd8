internal import NIOCore

/// Whether bytes arrive fast enough to wait for more: a pure decision.
///
/// A server that sends a byte now and then is never silent, and would hold its connection for ever. Time in which nobody waits
/// isn't the server's.
struct Pace {
    /// In what time the fewest bytes must have come.
    private let window: TimeAmount
    private let least: Int
    private var since = NIODeadline.now()
    private var count = 0
    private var pausedAt: NIODeadline?

    /// Begins to measure.
    ///
    /// - Parameters:
    ///   - window: In what time the fewest bytes must have come.
    ///   - least: How many bytes those are.
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

    /// Takes note of bytes.
    mutating func receive(_ bytes: Int, at now: NIODeadline) {
        count += bytes
        if count >= least { restart(at: now) }
    }

    /// Nobody waits from now on.
    mutating func pause(at now: NIODeadline) { if pausedAt == nil { pausedAt = now } }

    /// Somebody waits again.
    mutating func resume(at now: NIODeadline) {
        if let pausedAt { since = since + (now - pausedAt) }
        pausedAt = nil
    }

    /// How long to wait still until too little came; never positive where that is so.
    func rest(at now: NIODeadline) -> TimeAmount { window - ((pausedAt ?? now) - since) }

    /// Whether anything came in the present window.
    var hasReceived: Bool { count > 0 }
}
