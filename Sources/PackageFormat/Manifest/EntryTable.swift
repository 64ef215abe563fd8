/// Where in the manifest each URL stood first, by a hash of the URL.
///
/// 16 bytes for an entry, and up to twice as many free. The hash has a key that no manifest knows (the standard library's
/// SipHash), and one that is found must be confirmed: two URLs may have the same.
struct EntryTable: Sendable {
    private struct Place: Sendable {
        var hash: UInt32 = 0
        /// The line's number, as far as 32 bits go; 0 where the place of the table is free.
        var line: UInt32 = 0
        /// Where the line begins, in bytes of the manifest.
        var offset = 0
    }

    /// A search for one hash.
    struct Search {
        fileprivate var hash: UInt32
        fileprivate var index: Int
    }

    private var places = [Place](repeating: Place(), count: 1024)
    private var count = 0

    /// Starts to look for a URL.
    func search(_ url: UnsafeBufferPointer<UInt8>) -> Search {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(url))
        let hash = UInt32(truncatingIfNeeded: hasher.finalize())
        return Search(hash: hash, index: Int(hash) & (places.count - 1))
    }

    /// The next entry that may have the URL, or nil where none has; then it can be inserted.
    func next(_ search: inout Search) -> LinePlace? {
        while places[search.index].line != 0 {
            let place = places[search.index]
            search.index = (search.index + 1) & (places.count - 1)
            if place.hash == search.hash { return LinePlace(number: Int(place.line), offset: place.offset) }
        }
        return nil
    }

    /// Adds an entry where the search for it ended.
    mutating func insert(_ search: Search, at place: LinePlace) {
        places[search.index] = Place(hash: search.hash, line: UInt32(clamping: place.number), offset: place.offset)
        count += 1
        if count * 4 > places.count * 3 { grow() }
    }

    private mutating func grow() {
        var larger = [Place](repeating: Place(), count: places.count * 2)
        let mask = larger.count - 1
        for place in places where place.line != 0 {
            var index = Int(place.hash) & mask
            while larger[index].line != 0 { index = (index + 1) & mask }
            larger[index] = place
        }
        places = larger
    }
}
