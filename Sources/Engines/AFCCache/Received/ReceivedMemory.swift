internal import AFCCaching

/// The bounded memory of a process for the received area.
///
/// It knows of every URL whether it has responses. The responses themselves are kept only for recently requested URLs,
/// in two halves: an entry requested in the older half moves to the newer one, and when that is full, the older half is
/// dropped.
struct ReceivedMemory {
    /// The entries with changes that aren't on disk yet, and the numbers of these changes; they stay until they are
    /// written.
    private var waiting: [String: Waiting] = [:]
    private var young: [String: ReceivedEntry] = [:]
    private var old: [String: ReceivedEntry] = [:]
    private var youngCost = 0
    private var hashes: Set<UInt64> = []
    private let half: Int

    private struct Waiting {
        var entry: ReceivedEntry
        var changes: Int
        /// True if a change was lost, so that the disk must be read once no changes are pending.
        var isDoubtful = false
    }

    /// The responses that are found by more than their URL.
    private(set) var relations = ReceivedRelations()

    /// A number that increases when data read from disk earlier may be outdated.
    private(set) var stamp: UInt64 = 0

    init(limit: Int) { half = max(1, limit / 2) }

    /// Returns the entry of a URL; nil if the disk must be read.
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

    /// Adds a response that is found by more than its URL.
    mutating func relate(_ url: String, _ variance: SearchVariance?, _ groups: [String]) {
        relations.add(url, variance, groups)
    }

    /// Removes the URLs of an origin from some groups.
    ///
    /// - Returns: The URLs, and false if some may be missing among them.
    mutating func takeURLs(of groups: Set<String>, at origin: String) -> (urls: Set<String>, isAll: Bool) {
        (relations.takeURLs(of: groups, at: origin), relations.hasAllGroups)
    }

    /// Notes that responses with groups may be missing among the relations.
    mutating func noteMissingGroups() { relations.noteMissingGroups() }

    /// Forgets all hashes and relations, before those of another state of the disk are added.
    mutating func forgetHashes() {
        hashes = []
        relations = ReceivedRelations()
    }

    /// The number of known hashes, including those of URLs without responses left.
    var hashCount: Int { hashes.count }

    /// Keeps an entry that was read from disk.
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

    /// Keeps a change until it is on disk.
    mutating func change(_ entry: ReceivedEntry, for key: ResourceKey) {
        let url = key.text
        hashes.insert(key.hash)
        for variant in entry.variants where variant.isRelated { relations.add(url, variant.variance, variant.groups) }
        forget(url)
        var known = waiting[url] ?? Waiting(entry: entry, changes: 0)
        known.entry = entry
        known.changes += 1
        waiting[url] = known
    }

    /// Settles changes that were written, or that never will be.
    mutating func settle(_ keys: [ResourceKey], isLost: Bool) {
        stamp += 1
        for key in keys {
            let url = key.text
            guard var known = waiting.removeValue(forKey: url) else { continue }
            // The entry may have been read from the disk before the change was written.
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

    /// Removes a response that was removed from disk.
    mutating func remove(_ id: Int64, of url: String) {
        stamp += 1
        waiting[url]?.entry.remove([id])
        forget(url)
    }

    /// Forgets everything that can be read from disk again.
    mutating func forgetAll() {
        stamp += 1
        young = [:]
        old = [:]
        youngCost = 0
    }

    /// Forgets everything, also changes that will never be written.
    mutating func startOver() {
        forgetAll()
        waiting = [:]
        forgetHashes()
    }

    private mutating func forget(_ url: String) {
        if let known = young.removeValue(forKey: url) { youngCost -= known.cost + url.utf8.count }
        old[url] = nil
    }
}
