/// Decides what leaves a cache that is full.
///
/// It is pure, so that a simulation can ask the same question. See docs/eviction.md.
package struct EvictionPlan {
    /// What can leave at once.
    package struct Unit: Equatable {
        package enum Kind: Int, Comparable {
            case previousGeneration, package, entry

            package static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
        }

        package var kind: Kind
        /// Which one; means something to the caller only.
        package var id: Int
        package var bytes: Int64
        package var entries: Int
        package var isExpired: Bool
        /// When it was last used, in minutes since 1970.
        package var lastUse: UInt32
        /// Which was loaded later, for those that were used at the same time.
        package var order: Int64

        package init(
            kind: Kind,
            id: Int,
            bytes: Int64,
            entries: Int,
            isExpired: Bool,
            lastUse: UInt32,
            order: Int64
        ) {
            self.kind = kind
            self.id = id
            self.bytes = bytes
            self.entries = entries
            self.isExpired = isExpired
            self.lastUse = lastUse
            self.order = order
        }

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
    package static func choose(from units: [Unit], bytes: Int64, entries: Int) -> [Unit]? {
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
