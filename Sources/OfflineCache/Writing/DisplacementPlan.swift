/// Decides what leaves a store that is full.
///
/// It is pure, so that a simulation can ask the same question. See docs/displacement.md.
struct DisplacementPlan {
    /// What can leave at once.
    struct Unit: Equatable {
        enum Kind: Int, Comparable {
            case previousGeneration, package, entry

            static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
        }

        var kind: Kind
        /// Which one; means something to the caller only.
        var id: Int
        var bytes: Int64
        var entries: Int
        var isExpired: Bool
        /// When it was last used, in minutes since 1970.
        var lastUse: UInt32
        /// Which was loaded later, for those that were used at the same time.
        var order: Int64

        /// Units that leave earlier sort first.
        func leavesBefore(_ other: Unit) -> Bool {
            func rank(_ unit: Unit) -> (Int, UInt32, Int64, Int) {
                if unit.kind == .previousGeneration { return (0, 0, unit.order, unit.id) }
                return (unit.isExpired ? 1 : 2, unit.lastUse, unit.order, unit.id)
            }
            return rank(self) < rank(other)
        }
    }

    /// What leaves, in order.
    ///
    /// - Parameters:
    ///   - units: What may leave.
    ///   - bytes: How many bytes are too many; 0 or less for none.
    ///   - entries: How many entries are too many; 0 or less for none.
    /// - Returns: The units, or nil where all of them are not enough.
    static func choose(from units: [Unit], bytes: Int64, entries: Int) -> [Unit]? {
        var (bytes, entries) = (bytes, entries)
        guard bytes > 0 || entries > 0 else { return [] }
        var chosen: [Unit] = []
        for unit in units.sorted(by: { $0.leavesBefore($1) }) {
            guard bytes > 0 || entries > 0 else { break }
            // What doesn't help with what is too much stays.
            guard (bytes > 0 && unit.bytes > 0) || (entries > 0 && unit.entries > 0) else { continue }
            chosen.append(unit)
            bytes -= unit.bytes
            entries -= unit.entries
        }
        return bytes > 0 || entries > 0 ? nil : chosen
    }
}
