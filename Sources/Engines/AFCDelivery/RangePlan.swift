/// The requests for the parts of a package that a device lacks; pure.
///
/// A request costs about as much as the fields of request and response, and a round trip. So parts with a small gap
/// between them are requested together, and more so if there are many.
struct RangePlan: Equatable, Sendable {
    /// The bytes that a request costs beyond its part.
    static let requestCost: Int64 = 512
    /// The number of requests above which larger gaps are joined.
    static let wantedRequests = 120
    /// The largest number of requests.
    static let requestLimit = 1024
    /// The share of the package that gaps may take, in thousandths.
    static let gapShare: Int64 = 8

    /// The parts to request, ascending.
    let parts: [Range<Int64>]
    /// The bytes of all parts together.
    let bytes: Int64

    /// Makes a plan; nil if requesting the whole package is better.
    ///
    /// - Parameters:
    ///   - missing: The parts that are missing, ascending; adjacent ones may touch.
    ///   - total: The size of the package, in bytes.
    init?(missing: [Range<Int64>], total: Int64) {
        var parts: [Range<Int64>] = []
        for part in missing where !part.isEmpty {
            if let last = parts.last, part.lowerBound - last.upperBound <= Self.requestCost {
                parts[parts.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
            } else {
                parts.append(part)
            }
        }
        Self.join(&parts, upTo: total / 1000 * Self.gapShare)
        let bytes = parts.reduce(0) { $0 + Int64($1.count) }
        // Bytes that were received count for nothing: the whole package would bring them again.
        let cost = bytes + Int64(parts.count) * Self.requestCost
        guard parts.count <= Self.requestLimit, cost < total || parts.isEmpty else { return nil }
        (self.parts, self.bytes) = (parts, bytes)
    }

    /// Joins the parts with the smallest gaps between them until there are few enough or the gaps take too much.
    private static func join(_ parts: inout [Range<Int64>], upTo budget: Int64) {
        guard parts.count > wantedRequests else { return }
        let gaps = (1..<parts.count).sorted { left, right in
            gap(parts, left) == gap(parts, right) ? left < right : gap(parts, left) < gap(parts, right)
        }
        var (joined, spent) = (Set<Int>(), Int64(0))
        for place in gaps.prefix(parts.count - wantedRequests) {
            spent += gap(parts, place)
            guard spent <= budget else { break }
            joined.insert(place)
        }
        var result: [Range<Int64>] = []
        for (place, part) in parts.enumerated() {
            if joined.contains(place), let last = result.last {
                result[result.count - 1] = last.lowerBound..<part.upperBound
            } else {
                result.append(part)
            }
        }
        parts = result
    }

    private static func gap(_ parts: [Range<Int64>], _ place: Int) -> Int64 {
        parts[place].lowerBound - parts[place - 1].upperBound
    }
}
