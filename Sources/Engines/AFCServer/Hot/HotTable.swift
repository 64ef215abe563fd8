internal import AFCHTTP
internal import AFCMemory
import AFCPlatform
internal import NIOCore
internal import Synchronization

/// The repeatable answers of a server, found by the request's head, byte for byte, or by its target; all event loops
/// share it.
///
/// A head that equals an earlier one byte for byte has the same meaning, so no second parser is needed to find its
/// answer. If there is no room for a new answer, one that wasn't used recently is evicted, but only if it is also
/// requested less often than the new one (``RequestCounts``). So many answers that are requested once don't displace
/// those that are requested often. Heads come before bodies: a head takes little room and saves most of the work, so
/// bodies that can be read from the disk make room for new heads.
final class HotTable: Sendable {
    /// The longest head that is remembered, in bytes.
    static let headLimit = 4 * 1024
    /// The number of heads under which one answer is found.
    static let headsPerAnswer = 8

    /// A plain request for a target.
    struct Target: Hashable, Sendable {
        var isHead: Bool
        var host: String
        var target: String
        /// The number of the ``ConnectionContext`` that the request came through.
        var context: Int

        /// The memory that a target takes, in bytes.
        fileprivate var cost: Int { host.utf8.count + target.utf8.count + 200 }
    }

    /// A head and its answer.
    final class HeadEntry: Sendable {
        let head: ByteBuffer
        let context: Int
        let answer: HotAnswer
        let record: AccessRecord?

        init(head: ByteBuffer, context: Int, answer: HotAnswer, record: AccessRecord?) {
            self.head = head
            self.context = context
            self.answer = answer
            self.record = record
        }

        /// The memory that the entry takes besides its answer, in bytes.
        fileprivate var cost: Int { head.readableBytes + 300 }
    }

    /// The key under which requests for an answer are counted.
    ///
    /// It is a hash with a seed that differs in each process, so that clients can't construct colliding keys.
    struct Key: Hashable, Sendable {
        fileprivate let hash: Int

        /// The key of a head that came through a context.
        init(head: UnsafeRawBufferPointer, context: Int) {
            var hasher = Hasher()
            hasher.combine(bytes: head)
            hasher.combine(context)
            hash = hasher.finalize()
        }

        /// The key of a plain request for a target.
        init(_ target: Target) { hash = target.hashValue }
    }

    /// An answer in the table, and everything under which it is found.
    fileprivate struct Slot {
        let answer: HotAnswer
        let key: Key
        var target: Target?
        var heads: [Key] = []
        /// The memory that the slot takes besides the body, in bytes.
        var cost: Int
        /// The memory that the body takes, in bytes.
        var bodyCost: Int
        var isUsed = true
    }

    fileprivate struct State {
        var slots: [Slot?] = []
        /// The places of the answers in `slots`.
        var places: [ObjectIdentifier: Int] = [:]
        var free: [Int] = []
        /// The slot at which the search for an answer to evict continues.
        var hand = 0
        var bytes = 0
        var heads: [Key: (entry: HeadEntry, slot: Int)] = [:]
        var targets: [Target: Int] = [:]
        var counts = RequestCounts()
        /// The state of the cache from which the answers come.
        var changes: UInt64 = 0
        var contexts: [ConnectionContext.Key: Int] = [:]
        var contextCount = 0
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    /// Creates a table.
    ///
    /// - Parameter byteLimit: The most bytes that the table may take.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The bytes that the table takes.
    var bytes: Int { state.withLock { $0.bytes } }

    /// True if the table keeps answers at all.
    var isEnabled: Bool { byteLimit > 0 }

    /// Returns a number for a context, the same for equal contexts.
    func number(of context: ConnectionContext) -> Int {
        let key = context.key
        return state.withLock { state in
            if let number = state.contexts[key] { return number }
            // Names come from clients, so their number must be bounded; a number is never reused for another context.
            if state.contexts.count >= 1000 { state.contexts.removeAll() }
            state.contextCount += 1
            state.contexts[key] = state.contextCount
            return state.contextCount
        }
    }

    // MARK: Finding

    /// Finds the answer to a head.
    ///
    /// - Parameters:
    ///   - head: All bytes of a request's head.
    ///   - context: The number of the context that the request came through.
    /// - Returns: The entry, whose answer may be out of date.
    func find(head: UnsafeRawBufferPointer, context: Int) -> HeadEntry? {
        let key = Key(head: head, context: context)
        let entry = state.withLock { state in
            guard let (entry, slot) = state.heads[key] else { return nil as HeadEntry? }
            state.use(slot)
            return entry
        }
        return entry.flatMap { Self.isSame($0, head, context) ? $0 : nil }
    }

    /// Finds the answer to a plain request for a target.
    func find(_ target: Target) -> HotAnswer? {
        state.withLock { state in
            guard let slot = state.targets[target] else { return nil }
            state.use(slot)
            return state.slots[slot]?.answer
        }
    }

    private static func isSame(_ entry: HeadEntry, _ head: UnsafeRawBufferPointer, _ context: Int) -> Bool {
        entry.context == context
            && entry.head.withUnsafeReadableBytes { bytes in
                guard bytes.count == head.count, let one = bytes.baseAddress, let other = head.baseAddress else {
                    return false
                }
                return memcmp(one, other, bytes.count) == 0
            }
    }

    // MARK: Keeping

    /// The part of an answer for which there is room.
    enum Admission {
        case none
        case head
        case whole
    }

    /// Counts a request whose answer isn't in the table, and makes room for the answer.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - head: The memory that the answer would take without its body, in bytes.
    ///   - body: The size of the body, in bytes; nil if it can't be kept in memory.
    ///   - isOnDisk: True if the body can be read from the disk as well.
    ///   - isForOneHead: True if the answer is for this head only, with its condition or range. Most such heads never come
    ///     again, so only the second one's answer is kept.
    ///   - view: The present, in which other answers are still valid or not.
    /// - Returns: The part for which there is room now.
    func admits(
        _ key: Key,
        head: Int,
        body: Int?,
        isOnDisk: Bool,
        isForOneHead: Bool = false,
        at view: View
    ) -> Admission {
        let head = head + Self.headLimit
        return state.withLock { state in
            state.counts.count(key.hash)
            state.forgetOthers(than: view.changes)
            guard !isForOneHead || state.counts.estimate(key.hash) > 1 else { return .none }
            if let body, head + body <= byteLimit / 8,
                state.makeRoom(for: head + body, within: byteLimit, key: key, at: view)
            {
                return .whole
            }
            let hasRoom =
                isOnDisk && head <= byteLimit / 8
                && state.makeRoom(for: head, within: byteLimit, key: key, at: view, droppingBodies: true)
            return hasRoom ? .head : .none
        }
    }

    /// Keeps the body of an answer of which only the head is in memory, if there is room.
    ///
    /// - Returns: True if the body is in memory now.
    @discardableResult
    func keep(_ body: ByteBuffer, of answer: HotAnswer, at view: View) -> Bool {
        state.withLock { state in
            guard let number = state.places[ObjectIdentifier(answer)], let slot = state.slots[number],
                slot.bodyCost == 0, answer.bodyBytes <= byteLimit / 8,
                state.makeRoom(for: answer.bodyBytes, within: byteLimit, key: slot.key, at: view),
                state.slots[number]?.answer === answer
            else { return false }
            // Under the lock, so that no one drops the body before it is there.
            answer.keepBody(body)
            state.slots[number]?.bodyCost = answer.bodyBytes
            state.bytes += answer.bodyBytes
            return true
        }
    }

    /// The present, in which an answer is valid or not.
    struct View {
        var now: Timestamp
        /// The state of the cache.
        var changes: UInt64
    }

    /// Keeps an answer that was admitted.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - key: The key of the request.
    ///   - target: The target, if the answer is right for all plain requests for it.
    ///   - entry: The head of the request, if requests with the same head get the answer.
    func insert(_ answer: HotAnswer, key: Key, target: Target?, entry: HeadEntry?) {
        guard isEnabled else { return }
        state.withLock { state in
            let number = state.add(answer, key: key, target: target)
            let isFound = entry.map { state.add($0, within: byteLimit) } ?? false
            // Without a head and a target, it would only take room.
            if !isFound, target == nil { state.remove(number) }
        }
    }

    /// Keeps another head whose answer is in the table.
    func insert(_ entry: HeadEntry) { state.withLock { _ = $0.add(entry, within: byteLimit) } }

    /// Removes an answer that is no longer valid.
    func remove(_ answer: HotAnswer) {
        state.withLock { state in
            if let number = state.places[ObjectIdentifier(answer)] { state.remove(number) }
        }
    }
}

extension HotTable.State {
    /// The number of slots that one search looks at, while other connections wait.
    private static let stepLimit = 64

    /// Notes a use of an answer.
    mutating func use(_ number: Int) {
        guard let key = slots[number]?.key else { return }
        slots[number]?.isUsed = true
        counts.count(key.hash)
    }

    /// Forgets all answers that come from another state of the cache, since none of them can become valid again.
    mutating func forgetOthers(than changes: UInt64) {
        guard changes != self.changes else { return }
        self.changes = changes
        slots.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        heads.removeAll(keepingCapacity: true)
        targets.removeAll(keepingCapacity: true)
        free.removeAll(keepingCapacity: true)
        (hand, bytes) = (0, 0)
    }

    /// Evicts answers until there is room for one that is requested more often than these.
    ///
    /// - Parameters:
    ///   - cost: The memory needed, in bytes.
    ///   - limit: The most memory that the table may take, in bytes.
    ///   - key: The key of the answer that needs the room.
    ///   - view: The present.
    ///   - dropsBodies: True if bodies that are also on the disk make room, however often they are requested.
    /// - Returns: True if there is room.
    mutating func makeRoom(
        for cost: Int,
        within limit: Int,
        key: HotTable.Key,
        at view: HotTable.View,
        droppingBodies dropsBodies: Bool = false
    ) -> Bool {
        let wanted = counts.estimate(key.hash)
        // The next search continues where this one ends, so a few steps are enough.
        var steps = min(slots.count, Self.stepLimit)
        while bytes + cost > limit {
            guard steps > 0 else { return false }
            steps -= 1
            hand = hand + 1 < slots.count ? hand + 1 : 0
            guard let slot = slots[hand] else { continue }
            if !slot.answer.isValid(at: view.now, changes: view.changes) {
                remove(hand)
            } else if dropsBodies, slot.bodyCost > 0, slot.answer.isOnDisk {
                slot.answer.dropBody()
                bytes -= slot.bodyCost
                slots[hand]?.bodyCost = 0
            } else if slot.isUsed {
                slots[hand]?.isUsed = false
            } else if counts.estimate(slot.key.hash) < wanted {
                remove(hand)
            } else if !dropsBodies {
                return false
            }
        }
        return true
    }

    /// Adds an answer, in place of an older one for the same target, and returns its slot.
    mutating func add(_ answer: HotAnswer, key: HotTable.Key, target: HotTable.Target?) -> Int {
        if let target, let old = targets[target] { remove(old) }
        let slot = HotTable.Slot(
            answer: answer,
            key: key,
            target: target,
            cost: answer.headSize + (target?.cost ?? 0),
            bodyCost: answer.keptBodySize
        )
        let number = free.popLast() ?? slots.count
        if number < slots.count { slots[number] = slot } else { slots.append(slot) }
        places[ObjectIdentifier(answer)] = number
        if let target { targets[target] = number }
        bytes += slot.cost + slot.bodyCost
        return number
    }

    /// Adds a head for an answer in the table.
    ///
    /// - Returns: True if the answer is found under the head.
    mutating func add(_ entry: HotTable.HeadEntry, within limit: Int) -> Bool {
        guard entry.head.readableBytes <= HotTable.headLimit, bytes + entry.cost <= limit,
            let number = places[ObjectIdentifier(entry.answer)], var slot = slots[number]
        else { return false }
        let key = entry.head.withUnsafeReadableBytes { HotTable.Key(head: $0, context: entry.context) }
        if let old = heads[key]?.slot {
            guard old != number else { return true }
            remove(old)
        }
        if slot.heads.count == HotTable.headsPerAnswer { removeHead(slot.heads.removeFirst(), of: &slot) }
        heads[key] = (entry, number)
        slot.heads.append(key)
        slot.cost += entry.cost
        bytes += entry.cost
        slots[number] = slot
        return true
    }

    mutating func removeHead(_ key: HotTable.Key, of slot: inout HotTable.Slot) {
        guard let (entry, _) = heads.removeValue(forKey: key) else { return }
        slot.cost -= entry.cost
        bytes -= entry.cost
    }

    mutating func remove(_ number: Int) {
        guard let slot = slots[number] else { return }
        for key in slot.heads { heads[key] = nil }
        if let target = slot.target { targets[target] = nil }
        places[ObjectIdentifier(slot.answer)] = nil
        bytes -= slot.cost + slot.bodyCost
        slots[number] = nil
        free.append(number)
    }
}
