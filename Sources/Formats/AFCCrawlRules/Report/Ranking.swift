public import AFCURL

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
