/// Where in the manifest each URL stood first, by a hash of the URL.
///
/// 20 bytes for an entry, and up to twice as many free. The hash has a key that no manifest knows (the standard library's
/// SipHash), and one that is found must be confirmed: two URLs may have the same.
struct EntryTable: Sendable {
    private struct Place: Sendable {
        /// The line's number, as far as 32 bits go.
        var line: UInt32 = 0
        /// Where the line begins, in bytes of the manifest.
        var offset: UInt64 = 0
    }

    /// A search for one hash.
    struct Search {
        fileprivate var hash: UInt32
        fileprivate var index: Int
    }

    /// By themselves, since they are looked through where nothing comes again; 0 where the place is free.
    private var hashes = [UInt32](repeating: 0, count: 1024)
    private var places = [Place](repeating: Place(), count: 1024)
    private var count = 0

    /// Starts to look for a URL.
    @inline(__always)
    func search(_ url: UnsafeBufferPointer<UInt8>) -> Search {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(url))
        let hash = max(1, UInt32(truncatingIfNeeded: hasher.finalize()))
        return Search(hash: hash, index: Int(hash) & (hashes.count - 1))
    }

    /// The next entry that may have the URL, or nil where none has; then it can be inserted.
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

    /// Adds an entry where the search for it ended.
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
