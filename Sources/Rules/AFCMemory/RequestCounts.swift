/// Approximate counts of recent requests, in a fixed amount of memory: a count-min sketch with aging, as in TinyLFU
/// (Einziger, Friedman and Manes, 2017).
///
/// A count is never too low, except that all counts are halved from time to time, so that old requests lose their
/// weight.
@usableFromInline package struct RequestCounts: Sendable {
    /// The highest count.
    @inlinable package static var limit: UInt8 { 15 }
    @inlinable package static var rows: Int { 4 }
    /// The number of counters in a row, a power of two; each row uses its own 16 bits of a hash.
    @usableFromInline let width: Int
    @usableFromInline var counters: [UInt8]
    @usableFromInline var counted = 0

    /// Creates counts.
    ///
    /// - Parameter width: The number of counters in each of four rows: a power of two, at most 65,536.
    @inlinable package init(width: Int = 1 << 16) {
        precondition(width > 0 && width <= 1 << 16 && width & (width - 1) == 0, "\(width) counters in a row")
        self.width = width
        counters = [UInt8](repeating: 0, count: Self.rows * width)
    }

    /// Counts a request.
    ///
    /// - Parameter hash: A hash of the request, whose bits must look random.
    @inlinable package mutating func count(_ hash: Int) {
        let lowest = estimate(hash)
        guard lowest < Self.limit else { return }
        // Only the lowest counters of the four are increased, so that others' requests distort a count less.
        for row in 0..<Self.rows {
            let place = place(hash, row)
            if counters[place] == lowest { counters[place] += 1 }
        }
        counted += 1
        guard counted >= 8 * width else { return }
        for place in counters.indices { counters[place] /= 2 }
        counted /= 2
    }

    /// Returns the count of a request.
    @inlinable package func estimate(_ hash: Int) -> UInt8 {
        var lowest = Self.limit
        for row in 0..<Self.rows { lowest = min(lowest, counters[place(hash, row)]) }
        return lowest
    }

    @inlinable func place(_ hash: Int, _ row: Int) -> Int {
        row * width + (hash >> (16 * row)) & (width - 1)
    }
}
