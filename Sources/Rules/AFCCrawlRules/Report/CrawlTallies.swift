public import AFCURL

/// Counts of a bounded number of keys.
///
/// The first keys are counted separately, and all others together, because untrusted origins choose the keys.
public struct Tally<Key: Hashable & Comparable & Sendable>: Sendable, Equatable {
    /// The count and size of one key.
    public struct Share: Sendable, Equatable {
        /// The number of items.
        public var count = 0
        /// The total size, in bytes.
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

    /// The keys that are counted separately.
    public private(set) var shares: [Key: Share] = [:]
    /// The total of all other keys.
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

    /// The number of items of all keys.
    public var total: Int { shares.values.reduce(other.count) { $0 + $1.count } }

    /// The separately counted keys, sorted.
    public var sorted: [(key: Key, share: Share)] {
        shares.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The separately counted keys by descending size, then by descending count.
    public var largestFirst: [(key: Key, share: Share)] {
        sorted.sorted { ($0.share.bytes, $0.share.count, $1.key) > ($1.share.bytes, $1.share.count, $0.key) }
    }
}

/// The resources with the highest measures; equal ones are sorted by URL, so that the order of arrival has no effect.
public struct Ranking<Measure: Comparable & Sendable>: Sendable, Equatable {
    /// A resource with its measure.
    public struct Place: Sendable, Equatable {
        /// The resource.
        public var url: WebURL
        /// The measure by which it is ranked.
        public var measure: Measure
        /// The size of its body, in bytes.
        public var bytes: Int64
        /// Its media type, or nil for none.
        public var mediaType: String?
        /// The page with the reference, or nil for a seed.
        public var referrer: WebURL?
    }

    /// The ranked resources, the highest first.
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
