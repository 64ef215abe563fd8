/// How often each of a bounded number of things came.
///
/// The first so many things are told apart, and the rest is counted as one: whoever answers a crawl chooses what there is to
/// count.
public struct Tally<Key: Hashable & Comparable & Sendable>: Sendable, Equatable {
    /// How much there is of one thing.
    public struct Share: Sendable, Equatable {
        /// How many.
        public var count = 0
        /// How many bytes.
        public var bytes: Int64 = 0

        mutating func add(_ more: Int64) {
            count += 1
            bytes += more
        }
    }

    /// What is told apart.
    public private(set) var shares: [Key: Share] = [:]
    /// All else.
    public private(set) var other = Share()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func note(_ key: Key, bytes: Int64 = 0) {
        if shares[key] == nil, shares.count >= limit {
            other.add(bytes)
        } else {
            shares[key, default: Share()].add(bytes)
        }
    }

    /// How many there are of all things.
    public var total: Int { shares.values.reduce(other.count) { $0 + $1.count } }

    /// What is told apart, sorted.
    public var sorted: [(key: Key, share: Share)] {
        shares.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What is told apart, most bytes first, then what comes most often.
    public var largestFirst: [(key: Key, share: Share)] {
        sorted.sorted { ($0.share.bytes, $0.share.count, $1.key) > ($1.share.bytes, $1.share.count, $0.key) }
    }
}
