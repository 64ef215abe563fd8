/// The place of each URL's first entry in the manifest, by a hash of the URL.
///
/// Each entry takes 20 bytes, plus up to twice as many for free places. The hash (the standard library's SipHash) has a
/// key that no manifest can know. Different URLs may have the same hash, so a match must be confirmed.
struct EntryTable: Sendable {
    private struct Place: Sendable {
        /// The line's number, clamped to 32 bits.
        var line: UInt32 = 0
        /// The byte offset of the line in the manifest.
        var offset: UInt64 = 0
    }

    /// A search for one hash.
    struct Search {
        fileprivate var hash: UInt32
        fileprivate var index: Int
    }

    /// The hashes, kept apart from the rest because most searches look at nothing else; 0 marks a free place.
    private var hashes = [UInt32](repeating: 0, count: 1024)
    private var places = [Place](repeating: Place(), count: 1024)
    private var count = 0

    /// Starts a search for a URL.
    @inline(__always)
    func search(_ url: UnsafeBufferPointer<UInt8>) -> Search {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(url))
        let hash = max(1, UInt32(truncatingIfNeeded: hasher.finalize()))
        return Search(hash: hash, index: Int(hash) & (hashes.count - 1))
    }

    /// Returns the next entry that may have the URL, or nil if there is none; then a new entry can be inserted.
    @inline(__always)
    func next(_ search: inout Search) -> LinePlace? {
        while hashes[search.index] != 0 {
            let index = search.index
            search.index = (index + 1) & (hashes.count - 1)
            if hashes[index] == search.hash {
                return LinePlace(number: Int(places[index].line), offset: Int(places[index].offset))
            }
        }
        return nil
    }

    /// Inserts an entry where its search ended.
    @inline(__always)
    mutating func insert(_ search: Search, at place: LinePlace) {
        hashes[search.index] = search.hash
        places[search.index] = Place(line: UInt32(clamping: place.number), offset: UInt64(place.offset))
        count += 1
        if count * 4 > hashes.count * 3 { grow() }
    }

    private mutating func grow() {
        var larger = EntryTable()
        larger.hashes = [UInt32](repeating: 0, count: hashes.count * 2)
        larger.places = [Place](repeating: Place(), count: hashes.count * 2)
        larger.count = count
        let mask = larger.hashes.count - 1
        for (hash, place) in zip(hashes, places) where hash != 0 {
            var index = Int(hash) & mask
            while larger.hashes[index] != 0 { index = (index + 1) & mask }
            larger.hashes[index] = hash
            larger.places[index] = place
        }
        self = larger
    }
}
