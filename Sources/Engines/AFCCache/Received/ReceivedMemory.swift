/// What a process remembers of the received area, within bounds.
///
/// Which URLs have something is known of all; what they have only of those that were asked for lately, in two halves: what
/// is asked for in the older half moves to the younger one, and when that is full the older one goes.
struct ReceivedMemory {
    /// What has changes that aren't on the disk yet, with their number; it stays until they are.
    private var waiting: [String: Waiting] = [:]
    private var young: [String: ReceivedEntry] = [:]
    private var old: [String: ReceivedEntry] = [:]
    private var youngCost = 0
    private var hashes: Set<UInt64> = []
    private let half: Int

    private struct Waiting {
        var entry: ReceivedEntry
        var changes: Int
        /// True if a change was lost, so that the disk must be asked when nothing waits any more.
        var isDoubtful = false
    }

    /// Grows when what was read from the disk before may no longer be true.
    private(set) var stamp: UInt64 = 0

    init(limit: Int) { half = max(1, limit / 2) }

    /// What is remembered of a URL; nil where the disk must be asked.
    mutating func entry(_ key: ResourceKey) -> ReceivedEntry? {
        let url = key.text
        if !waiting.isEmpty, let found = waiting[url] { return found.entry }
        if let found = young[url] { return found }
        guard !old.isEmpty, let found = old.removeValue(forKey: url) else { return nil }
        keep(found, for: key)
        return found
    }

    /// Returns true if the disk may have something for a resource.
    func mayHave(_ key: ResourceKey) -> Bool { hashes.contains(key.hash) }

    mutating func addHash(_ hash: UInt64) { hashes.insert(hash) }
    mutating func replaceHashes(_ new: Set<UInt64>) { hashes = new }

    /// How many hashes are known, those of URLs that have nothing left counted.
    var hashCount: Int { hashes.count }

    /// Remembers what the disk has.
    mutating func keep(_ entry: ReceivedEntry, for key: ResourceKey) {
        let url = key.text
        forget(url)
        let cost = entry.cost + url.utf8.count
        guard cost <= half else { return }
        young[url] = entry
        youngCost += cost
        guard youngCost > half else { return }
        old = young
        young = [:]
        youngCost = 0
    }

    /// Remembers a change until it is on the disk.
    mutating func change(_ entry: ReceivedEntry, for key: ResourceKey) {
        let url = key.text
        hashes.insert(key.hash)
        forget(url)
        var known = waiting[url] ?? Waiting(entry: entry, changes: 0)
        known.entry = entry
        known.changes += 1
        waiting[url] = known
    }

    /// Changes are on the disk, or never will be.
    mutating func settle(_ keys: [ResourceKey], isLost: Bool) {
        stamp += 1
        for key in keys {
            let url = key.text
            guard var known = waiting.removeValue(forKey: url) else { continue }
            // It may have been read from the disk before the disk had the change.
            forget(url)
            known.changes -= 1
            known.isDoubtful = known.isDoubtful || isLost
            if known.changes > 0 {
                waiting[url] = known
            } else if !known.isDoubtful {
                keep(known.entry, for: key)
            }
        }
    }

    /// Something left the disk.
    mutating func remove(_ id: Int64, of url: String) {
        stamp += 1
        waiting[url]?.entry.remove([id])
        forget(url)
    }

    /// Forgets all that the disk can tell.
    mutating func forgetAll() {
        stamp += 1
        young = [:]
        old = [:]
        youngCost = 0
    }

    private mutating func forget(_ url: String) {
        if let known = young.removeValue(forKey: url) { youngCost -= known.cost + url.utf8.count }
        old[url] = nil
    }
}
