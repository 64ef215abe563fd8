internal import AFCText

/// Detects entries whose URL came before.
///
/// As long as URLs ascend, none can repeat, and only the last one is remembered.
struct FirstEntries: Sendable {
    /// The greatest URL so far, in a buffer that is reused.
    private var last = [UInt8](repeating: 0, count: 256)
    private var lastCount = 0
    /// The table of first entries, created when a URL doesn't ascend for the first time.
    private var table: EntryTable?
    /// The entry that was found last: repeated lines often repeat the same one.
    var confirmed: ManifestReader.Item?

    /// True if there was no entry yet.
    var isEmpty: Bool { lastCount == 0 }
    var hasTable: Bool { table != nil }

    /// Remembers a URL and returns true if it sorts after all others.
    ///
    /// Returns false if that can't be decided.
    @inline(__always)
    mutating func ascends(to url: UnsafeBufferPointer<UInt8>) -> Bool {
        guard table == nil, isEmpty || compare(url) > 0 else { return false }
        remember(url)
        return true
    }

    /// Remembers a URL and returns true if it can't have come before and sorts after the last one.
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

    /// Returns the last URL if it sorts after an entry's URL.
    func previous(sortedAfter item: ManifestReader.Item) -> String? {
        guard !isEmpty, item.withURLBytes(compare) < 0 else { return nil }
        return String(decoding: last[..<lastCount], as: UTF8.self)
    }

    /// Uses a table to look entries up from now on.
    mutating func useTable(_ table: EntryTable) { self.table = table }

    /// Starts a search for an entry's URL.
    func search(_ item: ManifestReader.Item) -> EntryTable.Search? {
        table.map { item.withURLBytes($0.search) }
    }

    /// Returns the place of the next entry that may have the URL.
    func next(_ search: inout EntryTable.Search?) -> LinePlace? {
        guard let table, var place = search else { return nil }
        defer { search = place }
        return table.next(&place)
    }

    /// Inserts an entry where its search ended.
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

    /// Compares a URL with the last one: above zero if it sorts after, below zero if it sorts before.
    @inline(__always)
    private func compare(_ url: UnsafeBufferPointer<UInt8>) -> Int {
        last.withUnsafeBufferPointer { ByteCursor.compare(url, UnsafeBufferPointer(rebasing: $0[..<lastCount])) }
    }
}
