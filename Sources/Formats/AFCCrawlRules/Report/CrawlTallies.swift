public import AFCURL

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

        package init(count: Int = 0, bytes: Int64 = 0) {
            self.count = count
            self.bytes = bytes
        }

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

/// The resources with the highest measures; equal ones are sorted by URL, so that the order of arrival doesn't matter.
public struct Ranking<Measure: Comparable & Sendable>: Sendable, Equatable {
    /// A resource with its measure.
    public struct Place: Sendable, Equatable {
        /// The resource.
        public var url: WebURL
        /// What it is ranked by.
        public var measure: Measure
        /// The bytes of its body.
        public var bytes: Int64
        /// Its media type, or nil for none.
        public var mediaType: String?
        /// Where it was found, or nil for a seed.
        public var referrer: WebURL?
    }

    /// The highest first.
    public private(set) var places: [Place] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func note(_ place: Place) {
        if places.count == limit, let last = places.last, !Self.isHigher(place, than: last) { return }
        let index = places.firstIndex { Self.isHigher(place, than: $0) } ?? places.count
        places.insert(place, at: index)
        if places.count > limit { places.removeLast() }
    }

    private static func isHigher(_ one: Place, than other: Place) -> Bool {
        one.measure == other.measure ? one.url < other.url : one.measure > other.measure
    }
}
