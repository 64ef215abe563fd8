/// Values in memory by key, within a limit on their costs.
///
/// If there is no room for a new value, one that wasn't used recently is evicted, but only if it is also used less often
/// than the new one (``RequestCounts``). So many values that are used once don't displace those that are used often.
///
/// Its code is visible to other modules, so that it is compiled for their keys and values; it is a third of the time of a
/// hit in memory without that.
@usableFromInline package struct CostTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline let key: Key
        /// The key's hash, which takes a third of the time of a use.
        @usableFromInline let hash: Int
        @usableFromInline var value: Value
        @usableFromInline var cost: Int
        @usableFromInline var isUsed: Bool

        @inlinable
        init(key: Key, hash: Int, value: Value, cost: Int, isUsed: Bool) {
            (self.key, self.hash, self.value, self.cost, self.isUsed) = (key, hash, value, cost, isUsed)
        }
    }

    /// The number of slots that one search for room looks at, while others wait for the table.
    @inlinable static var stepLimit: Int { 256 }

    @usableFromInline var slots: [Slot?] = []
    @usableFromInline var places: [Key: Int] = [:]
    @usableFromInline var free: [Int] = []
    /// The slot at which the next search for room starts.
    @usableFromInline var hand = 0
    @usableFromInline var counts: RequestCounts
    /// True if a new value may evict one that is used as often.
    @usableFromInline let prefersNew: Bool

    /// The sum of all costs.
    @usableFromInline package internal(set) var cost = 0
    /// The highest sum of costs.
    @usableFromInline package internal(set) var limit: Int
    /// The number of values.
    @inlinable package var count: Int { places.count }

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - limit: The highest sum of costs.
    ///   - width: The number of counters for uses; about the number of values that are expected.
    ///   - prefersNew: True if a new value may evict one that is used as often; then only values that are used more
    ///     often than once resist those that are used once.
    @inlinable package init(limit: Int, width: Int = 1 << 12, prefersNew: Bool = false) {
        self.limit = limit
        self.prefersNew = prefersNew
        counts = RequestCounts(width: width)
    }

    /// Finds a value, and counts its use.
    ///
    /// - Parameter key: The key, whose use is counted even if there is no value.
    /// - Returns: The value, or nil.
    @inlinable package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let hash = slots[place]?.hash else {
            counts.count(key.hashValue)
            return nil
        }
        counts.count(hash)
        slots[place]?.isUsed = true
        return slots[place]?.value
    }

    /// Finds a value without counting that as a use.
    @inlinable package func value(for key: Key) -> Value? { places[key].flatMap { slots[$0]?.value } }

    /// All keys, in no order.
    @inlinable package var keys: some Collection<Key> { places.keys }

    /// Keeps a value in place of an earlier one with the same key.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - cost: The cost, at least 0.
    /// - Returns: False if there is no room for it; the earlier value is then removed, too.
    @discardableResult @inlinable package mutating func insert(_ value: Value, for key: Key, cost: Int) -> Bool {
        precondition(cost >= 0, "the cost \(cost) is negative")
        remove(key)
        let hash = key.hashValue
        guard cost <= limit, makeRoom(for: cost, wanted: counts.estimate(hash)) else { return false }
        let slot = Slot(key: key, hash: hash, value: value, cost: cost, isUsed: true)
        let place = free.popLast() ?? slots.count
        if place < slots.count { slots[place] = slot } else { slots.append(slot) }
        places[key] = place
        self.cost += cost
        return true
    }

    /// Changes a value in place, without counting that as a use.
    @inlinable package mutating func update(_ key: Key, _ body: (inout Value) -> Void) {
        guard let place = places[key], var slot = slots[place] else { return }
        slots[place] = nil
        body(&slot.value)
        slots[place] = slot
    }

    /// Changes all values in place, without counting that as a use.
    @inlinable package mutating func updateAll(_ body: (inout Value) -> Void) {
        for place in slots.indices {
            guard var slot = slots[place] else { continue }
            slots[place] = nil
            body(&slot.value)
            slots[place] = slot
        }
    }

    /// Removes a value.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value, or nil if there was none.
    @discardableResult @inlinable package mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let slot = slots[place] else { return nil }
        slots[place] = nil
        free.append(place)
        cost -= slot.cost
        return slot.value
    }

    /// Removes all values.
    @inlinable package mutating func removeAll() {
        slots = []
        places = [:]
        free = []
        (hand, cost) = (0, 0)
    }

    /// Sets the highest sum of costs, and evicts until the values fit.
    @inlinable package mutating func setLimit(_ limit: Int) {
        self.limit = limit
        shrink(to: limit)
    }

    /// Evicts values, those that weren't used recently first, until the sum of costs isn't higher than a number.
    @inlinable package mutating func shrink(to target: Int) {
        while cost > target, !places.isEmpty {
            guard let slot = step() else { continue }
            if slot.isUsed { slots[hand]?.isUsed = false } else { remove(slot.key) }
        }
    }

    @inlinable mutating func makeRoom(for added: Int, wanted: UInt8) -> Bool {
        var steps = min(2 * slots.count, Self.stepLimit)
        while cost + added > limit {
            guard steps > 0 else { return false }
            steps -= 1
            guard let slot = step() else { continue }
            let count = counts.estimate(slot.hash)
            if slot.isUsed {
                slots[hand]?.isUsed = false
            } else if count < wanted || (prefersNew && count == wanted) {
                remove(slot.key)
            } else {
                return false
            }
        }
        return true
    }

    /// Moves the hand to the next slot, and returns what is in it.
    @inlinable mutating func step() -> Slot? {
        hand = hand + 1 < slots.count ? hand + 1 : 0
        return slots[hand]
    }
}
