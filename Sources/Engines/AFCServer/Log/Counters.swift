internal import AFCCaching

/// The statistics of one event loop, in numbers that only grow.
struct Counters: Sendable, Equatable {
    /// The cache result of an answer.
    enum Verdict: Int, CaseIterable, Sendable {
        /// A stored response was served.
        case hit
        /// The request was forwarded.
        case forward
        /// No stored response may be served.
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

    /// The upper bounds of the histogram's buckets, in microseconds.
    static let bounds: [Int64] = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000, 10_000_000,
    ]

    /// The number of answers by hundreds of the status and verdict.
    private(set) var answers = [Int](repeating: 0, count: 6 * Verdict.allCases.count)
    /// The number of answers per bucket; the last one holds all that took longer.
    private(set) var times = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var microseconds: Int64 = 0
    private(set) var bodyBytes: Int64 = 0
    /// The number of answers repeated from memory.
    private(set) var memoryHits = 0
    /// The number of answers that were cut off.
    private(set) var incomplete = 0
    /// The number of accepted connections.
    var connections = 0

    /// Counts an answer.
    mutating func count(status: Int, verdict: Verdict, bytes: Int64, microseconds: Int64, isComplete: Bool) {
        answers[min(max(status / 100, 0), 5) * Verdict.allCases.count + verdict.rawValue] &+= 1
        times[Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count] &+= 1
        self.microseconds &+= microseconds
        bodyBytes &+= bytes
        if !isComplete { incomplete &+= 1 }
    }

    /// Counts an answer from memory, which is too fast to be worth timing.
    mutating func countMemoryHit(status: Int, verdict: Verdict, bytes: Int) {
        answers[min(max(status / 100, 0), 5) * Verdict.allCases.count + verdict.rawValue] &+= 1
        times[0] &+= 1
        bodyBytes &+= Int64(bytes)
        memoryHits &+= 1
    }

    /// Adds another loop's numbers.
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
