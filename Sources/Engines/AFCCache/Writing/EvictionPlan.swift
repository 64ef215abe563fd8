/// The choice of what to evict from a full cache.
///
/// It is pure, so that a simulation can use it as well. See docs/reference/cache.md.
package struct EvictionPlan {
    /// A unit that is evicted as a whole.
    package struct Unit: Equatable {
        package enum Kind: Int, Comparable {
            case previousGeneration, package, entry

            package static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
        }

        package var kind: Kind
        /// An identifier that only the caller interprets.
        package var id: Int
        package var bytes: Int64
        package var entries: Int
        package var isExpired: Bool
        /// The time of the last use, in minutes since 1970.
        package var lastUse: UInt32
        /// The order of loading, for units that were last used at the same time.
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

        /// Returns true if this unit is evicted before another.
        func leavesBefore(_ other: Unit) -> Bool {
            func rank(_ unit: Unit) -> (Int, UInt32, Int64, Int) {
                if unit.kind == .previousGeneration { return (0, 0, unit.order, unit.id) }
                return (unit.isExpired ? 1 : 2, unit.lastUse, unit.order, unit.id)
            }
            return rank(self) < rank(other)
        }
    }

    /// Returns the units to evict, in order.
    ///
    /// - Parameters:
    ///   - units: The units that may be evicted.
    ///   - bytes: The number of excess bytes; 0 or less for none.
    ///   - entries: The number of excess entries; 0 or less for none.
    /// - Returns: The units, or nil if even all of them are not enough.
    package static func choose(from units: [Unit], bytes: Int64, entries: Int) -> [Unit]? {
        var (bytes, entries) = (bytes, entries)
        guard bytes > 0 || entries > 0 else { return [] }
        var chosen: [Unit] = []
        for unit in units.sorted(by: { $0.leavesBefore($1) }) {
            guard bytes > 0 || entries > 0 else { break }
            // Skip a unit whose eviction wouldn't reduce what is in excess.
            guard (bytes > 0 && unit.bytes > 0) || (entries > 0 && unit.entries > 0) else { continue }
            chosen.append(unit)
            bytes -= unit.bytes
            entries -= unit.entries
        }
        return bytes > 0 || entries > 0 ? nil : chosen
    }
}
