internal import URLStandard

/// The entries of a manifest so far, to tell which URL comes again.
///
/// While URLs ascend, none does, and nothing is looked up.
struct SeenEntries: Sendable {
    private struct Entry {
        var url: WebURL
        var line: Int
        /// Of all but the URL; enough to tell equal from different.
        var hash: Int
    }

    private var entries: [Entry] = []
    /// Where each URL is; made when the first doesn't ascend.
    private var places: [WebURL: Int]?

    /// The URL that came last for the first time.
    var last: WebURL? { entries.last?.url }

    var isEmpty: Bool { entries.isEmpty }

    /// Remembers an entry.
    ///
    /// - Returns: Where its URL stood first, and whether it was the same entry; nil where the URL is new.
    mutating func insert(_ entry: ManifestEntry, line: Int) -> (line: Int, isEqual: Bool)? {
        let hash = Self.hash(entry)
        if places == nil, let last, !(last < entry.url) {
            places = Dictionary(uniqueKeysWithValues: entries.indices.map { (entries[$0].url, $0) })
        }
        if let place = places?[entry.url] { return (entries[place].line, entries[place].hash == hash) }
        places?[entry.url] = entries.count
        entries.append(Entry(url: entry.url, line: line, hash: hash))
        return nil
    }

    private static func hash(_ entry: ManifestEntry) -> Int {
        var hasher = Hasher()
        hasher.combine(entry.lastModified)
        hasher.combine(entry.expires)
        hasher.combine(entry.mediaType)
        hasher.combine(entry.member)
        return hasher.finalize()
    }
}
