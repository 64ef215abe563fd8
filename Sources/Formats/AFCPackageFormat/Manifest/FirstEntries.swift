internal import AFCText

/// What tells whether an entry's URL came before.
///
/// While URLs ascend, none does, and only the last is remembered.
struct FirstEntries: Sendable {
    /// The URL that came last for the first time, in a buffer that is used again.
    private var last = [UInt8](repeating: 0, count: 256)
    private var lastCount = 0
    /// Made when the first URL doesn't ascend.
    private var table: EntryTable?
    /// The entry that was found last: where lines repeat, many repeat one.
    var confirmed: ManifestReader.Item?

    /// Whether there was no entry yet.
    var isEmpty: Bool { lastCount == 0 }
    var hasTable: Bool { table != nil }

    /// Remembers a URL that sorts after all others; else, or where that isn't known any more, doesn't.
    @inline(__always)
    mutating func ascends(to url: UnsafeBufferPointer<UInt8>) -> Bool {
        guard table == nil, isEmpty || compare(url) > 0 else { return false }
        remember(url)
        return true
    }

    /// Remembers a URL that can't have come before and sorts after the last; else doesn't.
    @inline(__always)
    mutating func takes(_ url: UnsafeBufferPointer<UInt8>, at place: LinePlace) -> Bool {
        guard isEmpty || compare(url) > 0 else { return false }
        if var search = table?.search(url) {
            guard table?.next(&search) == nil else { return false }
            table?.insert(search, at: place)
        }
        remember(url)
        return true
    }

    /// The URL that came last, if it sorts after that of an entry.
    func previous(sortedAfter item: ManifestReader.Item) -> String? {
        guard !isEmpty, item.withURLBytes(compare) < 0 else { return nil }
        return String(decoding: last[..<lastCount], as: UTF8.self)
    }

    /// Looks entries up from now on.
    mutating func useTable(_ table: EntryTable) { self.table = table }

    /// Starts to look for an entry's URL.
    func search(_ item: ManifestReader.Item) -> EntryTable.Search? {
        table.map { item.withURLBytes($0.search) }
    }

    /// Where the next entry is that may have the URL.
    func next(_ search: inout EntryTable.Search?) -> LinePlace? {
        guard let table, var place = search else { return nil }
        defer { search = place }
        return table.next(&place)
    }

    /// Remembers an entry where the search for it ended.
    mutating func insert(_ item: ManifestReader.Item, _ search: EntryTable.Search?) {
        if let search { table?.insert(search, at: item.place) }
        item.withURLBytes { remember($0) }
    }

    @inline(__always)
    private mutating func remember(_ url: UnsafeBufferPointer<UInt8>) {
        if url.count > last.count { last = [UInt8](repeating: 0, count: url.count * 2) }
        last.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(url)) }
        lastCount = url.count
    }

    /// Above zero where the URL sorts after the last, below where it sorts before.
    @inline(__always)
    private func compare(_ url: UnsafeBufferPointer<UInt8>) -> Int {
        last.withUnsafeBufferPointer { ByteCursor.compare(url, UnsafeBufferPointer(rebasing: $0[..<lastCount])) }
    }
}
