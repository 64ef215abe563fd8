internal import AFCHTTP
internal import AFCMemory
internal import Foundation
internal import Synchronization

/// Decoded values by URL, type and variant.
final class ObjectMemory: Sendable {
    /// A value, and what it was decoded from.
    struct Entry: Sendable {
        /// The URL as serialized.
        var url: String
        var kind: ObjectKind
        var value: any Sendable
        /// A hash of the body, with a seed of this process.
        var fingerprint: Int
        var cost: Int
        /// The time at which the response was looked up; at an earlier one, the clock was set back, and it proves
        /// nothing.
        var made: Timestamp
        /// The first second in which the response is no longer fresh.
        var end: Timestamp
        /// The state of other processes' changes when the value was looked up.
        var mark: UInt64?
        /// True if the stored response may have changed since.
        var isDoubtful = false
    }

    fileprivate struct State {
        /// By ``MemoryKey/group``.
        var table: CostTable<String, [Entry]>
        /// The number of changes so far.
        var changes: UInt64 = 0
        var hits = 0
        var misses = 0
    }

    private let state: Mutex<State>

    init(limit: Int) { state = Mutex(State(table: CostTable(limit: limit, prefersNew: true))) }

    /// The sum of the values' costs.
    var cost: Int { state.withLock { $0.table.cost } }
    var counts: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }
    /// The number of changes so far; a value from before a change is doubtful when it is kept.
    var changes: UInt64 { state.withLock { $0.changes } }

    /// Finds a value.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - kind: The type and the variant.
    ///   - now: The time at which it must be fresh; nil for any age.
    ///   - mark: The state of other processes' changes.
    /// - Returns: The value, or nil.
    func find(_ url: URL, _ kind: ObjectKind, at now: Timestamp?, mark: UInt64?) -> (any Sendable)? {
        let found = mark.flatMap { mark in
            MemoryKey.first(of: url.absoluteString) { group, url in
                state.withLock { $0.use(group, of: url, kind, at: now, mark: mark) }
            }
        }
        if found == nil { state.withLock { $0.misses += 1 } }
        return found
    }

    /// Returns the entry, valid or not.
    func entry(_ key: MemoryKey, _ kind: ObjectKind) -> Entry? {
        state.withLock { $0.table.value(for: key.group)?.first { $0.url == key.url && $0.kind == kind } }
    }

    /// Keeps a value; it is doubtful if something has changed since a number of changes.
    func keep(_ entry: Entry, for key: MemoryKey, changes: UInt64) {
        state.withLock { state in
            var entry = entry
            entry.isDoubtful = state.changes != changes
            var all = (state.table.value(for: key.group) ?? []).filter { $0.url != entry.url || $0.kind != entry.kind }
            all.append(entry)
            let cost = all.reduce(key.group.utf8.count + 200) { $0 + $1.cost + $1.url.utf8.count }
            state.table.insert(all, for: key.group, cost: cost)
        }
    }

    /// Removes the values of a URL.
    func remove(_ key: MemoryKey) { _ = state.withLock { $0.table.remove(key.group) } }

    /// Removes all values; one that is being made is doubtful.
    func removeAll() {
        state.withLock { state in
            state.changes &+= 1
            state.table.removeAll()
        }
    }

    /// Notes that what is stored for a URL may have changed.
    func doubt(_ key: MemoryKey) {
        state.withLock { state in
            state.changes &+= 1
            state.table.update(key.group) { all in for place in all.indices { all[place].isDoubtful = true } }
        }
    }

    /// Notes that anything may have changed.
    func doubtAll() {
        state.withLock { state in
            state.changes &+= 1
            state.table.updateAll { all in for place in all.indices { all[place].isDoubtful = true } }
        }
    }

    func setLimit(_ limit: Int) { state.withLock { $0.table.setLimit(limit) } }
    func shrink(to cost: Int) { state.withLock { $0.table.shrink(to: cost) } }
}

extension ObjectMemory.Entry {
    /// Returns true if the value may be returned at a time, or at any if it is nil.
    fileprivate func isValid(at now: Timestamp?, mark: UInt64) -> Bool {
        guard !isDoubtful, self.mark == mark else { return false }
        guard let now else { return true }
        return now >= made && now < end
    }
}

extension ObjectMemory.State {
    /// Finds a value, and counts its use.
    fileprivate mutating func use(
        _ group: String,
        of url: String,
        _ kind: ObjectKind,
        at now: Timestamp?,
        mark: UInt64
    ) -> (any Sendable)? {
        guard let entries = table.use(group) else { return nil }
        // Few values are decoded from one URL. An entry isn't copied, which would count references to all its parts.
        for place in entries.indices where entries[place].kind == kind && entries[place].url == url {
            guard entries[place].isValid(at: now, mark: mark) else { return nil }
            hits += 1
            return entries[place].value
        }
        return nil
    }
}
