internal import AFCCaching

/// What one event loop has answered, in numbers that only grow.
struct Counters: Sendable, Equatable {
    /// What the cache did for an answer.
    enum Verdict: Int, CaseIterable, Sendable {
        /// A stored response was served.
        case hit
        /// Somebody else was asked.
        case forward
        /// Nothing was stored that may be served.
        case miss
        /// The server's own pages and refusals.
        case own

        init(_ status: CacheStatus?) {
            switch status {
            case let status? where status.isHit: self = .hit
            case let status? where status.forward != nil: self = .forward
            case let status? where status.ttl != nil || status.detail == "offline-miss": self = .miss
            default: self = .own
            }
        }
    }

    /// The upper ends of the classes of time, in microseconds.
    static let bounds: [Int64] = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000, 10_000_000,
    ]

    /// Answers by hundreds of the status and verdict.
    private(set) var answers = [Int](repeating: 0, count: 6 * Verdict.allCases.count)
    /// Answers by class of time; the last one has all that took longer.
    private(set) var times = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var microseconds: Int64 = 0
    private(set) var bodyBytes: Int64 = 0
    /// Answers that went out again from memory.
    private(set) var memoryHits = 0
    /// Answers that were cut off.
    private(set) var incomplete = 0
    /// Connections that were begun.
    var connections = 0

    /// Counts an answer.
    mutating func count(status: Int, verdict: Verdict, bytes: Int64, microseconds: Int64, isComplete: Bool) {
        answers[min(max(status / 100, 0), 5) * Verdict.allCases.count + verdict.rawValue] &+= 1
        times[Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count] &+= 1
        self.microseconds &+= microseconds
        bodyBytes &+= bytes
        if !isComplete { incomplete &+= 1 }
    }

    /// Counts an answer from memory, whose time isn't worth a look at the clock.
    mutating func countMemoryHit(status: Int, bytes: Int) {
        answers[min(max(status / 100, 0), 5) * Verdict.allCases.count] &+= 1
        times[0] &+= 1
        bodyBytes &+= Int64(bytes)
        memoryHits &+= 1
    }

    /// Adds what another loop has answered.
    static func += (left: inout Counters, right: Counters) {
        for index in left.answers.indices { left.answers[index] += right.answers[index] }
        for index in left.times.indices { left.times[index] += right.times[index] }
        left.microseconds += right.microseconds
        left.bodyBytes += right.bodyBytes
        left.memoryHits += right.memoryHits
        left.incomplete += right.incomplete
        left.connections += right.connections
    }
}
