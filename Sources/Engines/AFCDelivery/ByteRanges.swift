/// The parts of a file that are there: ascending ranges that neither overlap nor touch.
struct ByteRanges: Equatable, Sendable {
    /// The ranges.
    private(set) var ranges: [Range<Int64>] = []

    /// The number of bytes.
    var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Adds a range, which may overlap others.
    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var (low, high) = (range.lowerBound, range.upperBound)
        // The first range that touches it, and the first one behind it.
        let start = firstIndex(where: { $0.upperBound >= low })
        var end = start
        while end < ranges.count, ranges[end].lowerBound <= high {
            low = min(low, ranges[end].lowerBound)
            high = max(high, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [low..<high])
    }

    /// Removes what is there of a range.
    mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let start = firstIndex(where: { $0.upperBound > range.lowerBound })
        var (end, rest) = (start, [Range<Int64>]())
        while end < ranges.count, ranges[end].lowerBound < range.upperBound {
            let there = ranges[end]
            if there.lowerBound < range.lowerBound { rest.append(there.lowerBound..<range.lowerBound) }
            if there.upperBound > range.upperBound { rest.append(range.upperBound..<there.upperBound) }
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: rest)
    }

    /// Returns the parts of a range that aren't there.
    func missing(in range: Range<Int64>) -> [Range<Int64>] {
        var missing: [Range<Int64>] = []
        var next = range.lowerBound
        for index in firstIndex(where: { $0.upperBound > range.lowerBound })..<ranges.count {
            let there = ranges[index]
            guard there.lowerBound < range.upperBound else { break }
            if there.lowerBound > next { missing.append(next..<there.lowerBound) }
            next = there.upperBound
        }
        if next < range.upperBound { missing.append(next..<range.upperBound) }
        return missing
    }

    /// Returns true if all bytes of a range are there.
    func contains(_ range: Range<Int64>) -> Bool { missing(in: range).isEmpty }

    /// Finds by halving; the condition must be false up to a range and true from there on.
    private func firstIndex(where condition: (Range<Int64>) -> Bool) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
